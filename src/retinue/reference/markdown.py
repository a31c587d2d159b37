"""Render the guides' Markdown as HTML in the style of the reference.

A comment before a code block is hidden: `<!-- file: NAME -->` names the file to save the code as, and `<!--
illustration: REASON -->` says why the example does not run unchanged.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from retinue.reference.samples import colour

_COMMENT = re.compile(r"<!-- (?P<kind>\w+): (?P<text>.+?) -->\s*")
_GUIDE = re.compile(r"(?P<name>[a-z-]+)\.md(?P<anchor>#[a-z0-9-]+)?")
_LANGUAGES = {
    "bash": "Shell",
    "ini": "Unit file",
    "javascript": "JavaScript",
    "json": "JSON",
    "nginx": "nginx",
    "python": "Python",
    "text": "Output",
    "toml": "TOML",
}

Env = Mapping[str, object]


class _Renderer(RendererHTML):
    """Renders code as figures and tables in scrollable regions, without anything that the page's policy forbids."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Render a code block."""
        token = tokens[idx]
        title = escape(_file_name(tokens[idx - 1]) or _LANGUAGES[token.info])
        code = f'<pre tabindex="0" aria-label="{title}"><code>{colour(token.content)}</code></pre>'
        return f'<figure class="code"><figcaption>{title}</figcaption>{code}</figure>\n'

    def html_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Hide comments, which are for the programs that run the examples, and escape other HTML."""
        return "" if _COMMENT.fullmatch(tokens[idx].content) else escape(tokens[idx].content)

    def html_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Escape HTML inside a paragraph."""
        return escape(tokens[idx].content)

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Open a table that is labelled with the heading above it."""
        above = [tokens[at + 1].content for at in range(idx) if tokens[at].type == "heading_open"]
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(above[-1])}"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Close a table."""
        return "</table></div>\n"


_markdown = MarkdownIt("commonmark", renderer_cls=_Renderer).enable("table")


def parse(text: str) -> list[Token]:
    """Parse text into tokens, with ids on headings and links to the served pages."""
    tokens = _markdown.parse(text)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor_of(tokens[at + 1].content))
        elif token.type in {"th_open", "td_open"}:
            _dress_cell(token)
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _address(str(child.attrGet("href"))))
    return tokens


def headings(tokens: Sequence[Token], tag: str) -> list[tuple[str, str]]:
    """Return the anchor and text of every heading with that tag."""
    return [
        (str(token.attrGet("id")), tokens[at + 1].content)
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == tag
    ]


def html(tokens: Sequence[Token]) -> str:
    """Render tokens as HTML."""
    return str(_markdown.renderer.render(tokens, _markdown.options, {}))


def anchor_of(heading: str) -> str:
    """Return the id of a heading: its words in lower case, joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _file_name(before: Token) -> str:
    comment = _COMMENT.fullmatch(before.content) if before.type == "html_block" else None
    return comment["text"] if comment and comment["kind"] == "file" else ""


def _dress_cell(token: Token) -> None:
    """Align numbers with a class, because the page's policy forbids style attributes."""
    if token.attrs.pop("style", "") == "text-align:right":
        token.attrSet("class", "num")
    if token.type == "th_open":
        token.attrSet("scope", "col")


def _address(link: str) -> str:
    """Rewrite a link to another guide's file as the path of its page."""
    match = _GUIDE.fullmatch(link)
    return f"/docs/guides/{match['name']}{match['anchor'] or ''}" if match else link
