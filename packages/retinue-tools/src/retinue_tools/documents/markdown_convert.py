"""Markdown conversion: HTML, plain text, formatted Markdown."""

from typing import Annotated, Literal

import mdformat
from lxml import etree
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdownify import markdownify
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.documents._html_trees import Html, text_lines, tree_of, word_count

Markdown = Annotated[str, About("Markdown text", "# Tides\n\nHigh at **noon**.", min_length=1, max_length=500_000)]


class AsHtml(TypedDict):
    """Markdown as HTML."""

    html: Annotated[str, About("HTML")]


class AsMarkdown(TypedDict):
    """HTML as Markdown."""

    markdown: Annotated[str, About("Markdown")]


class AsText(TypedDict):
    """Markdown without marks."""

    text: Annotated[str, About("Plain text")]
    words: Annotated[int, About("Number of words")]


class Tidy(TypedDict):
    """Formatted Markdown."""

    markdown: Annotated[str, About("Formatted Markdown, which renders identically")]
    changed: Annotated[bool, About("Whether it differs from the input")]


@tool(
    tags="markdown html convert render commonmark gfm tables",
    use_when=(
        "Convert this Markdown to HTML",
        "Render my README as a web page",
        "What HTML does '**bold**' give?",
    ),
    examples=(
        Example(
            {"markdown": "- `one`\n- two\n"},
            {"html": "<ul>\n<li><code>one</code></li>\n<li>two</li>\n</ul>\n"},
            source="CommonMark 0.31.2, sections 5.3 and 6.1",
        ),
        Example(
            {"markdown": "~~Hi~~ <b>you</b>", "raw_html": "keep", "document_title": "T & U"},
            {
                "html": '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>T &amp; U</title>\n'
                "</head>\n<body>\n<p><s>Hi</s> <b>you</b></p>\n</body>\n</html>\n"
            },
            source="GitHub Flavored Markdown 0.29, section 6.5",
        ),
        Example(
            {"markdown": "<script>x</script>"},
            {"html": "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"},
            source="HTML is shown, not passed on",
        ),
        Refusal({"markdown": ""}, "at least 1"),
    ),
    reply="The text in HTML: {html}",
    pace="normal",
)
def markdown_to_html(
    markdown: Markdown,
    raw_html: Annotated[
        Literal["escape", "keep"],
        About("escape shows HTML in the Markdown as text, keep passes it on: only for trusted text"),
    ] = "escape",
    document_title: Annotated[
        str | None, About("Title of a whole page; without it, a fragment is returned", "Tides", max_length=200)
    ] = None,
) -> AsHtml:
    """Convert Markdown (CommonMark with tables and strike-through) to HTML.

    Use it to publish or mail Markdown. HTML and scripts within it are escaped unless you keep them. Returns a fragment,
    or a whole page if a title is given.
    """
    body = parser(raw_html=raw_html == "keep").render(markdown)
    if document_title is None:
        return {"html": body}
    title = document_title.replace("&", "&amp;").replace("<", "&lt;")
    head = f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n'
    return {"html": f"{head}<body>\n{body}</body>\n</html>\n"}


@tool(
    tags="html markdown convert clean web page",
    use_when=(
        "Convert this HTML to Markdown",
        "Turn the web page's source into Markdown for my notes",
        "Rewrite an HTML table as Markdown",
    ),
    examples=(
        Example(
            {"html": "<h2>Tides</h2><p>High at <b>noon</b>, <a href='/t'>see</a>.</p><script>x()</script>"},
            {"markdown": "## Tides\n\nHigh at **noon**, [see](/t).\n"},
            source="CommonMark 0.31.2, sections 4.2, 6.2 and 6.3",
        ),
        Example(
            {"html": "<p>See <a href='/t'>this</a><img src='a.png' alt='A'></p>", "links": "text", "images": "drop"},
            {"markdown": "See this\n"},
            source="by hand",
        ),
        Refusal({"html": "<script>x</script>"}, "no readable content"),
    ),
    reply="The page in Markdown: {markdown}",
    pace="normal",
)
def markdown_from_html(
    html: Annotated[Html, About("HTML: a page or a fragment", "<h2>Tides</h2>", max_length=500_000)],
    links: Annotated[Literal["keep", "text"], About("Keep links, or only their text")] = "keep",
    images: Annotated[Literal["keep", "drop"], About("Keep or drop images")] = "keep",
) -> AsMarkdown:
    """Convert HTML to Markdown: headings, lists, tables, links, code.

    Use it to convert web pages or mails for notes or a language model. Scripts, styles and comments are omitted.
    """
    body = tree_of(html)
    for element in list(body.iter("script", "style", "template", "noscript", "head", "title")):
        element.drop_tree()
    stripped = (["a"] if links == "text" else []) + (["img"] if images == "drop" else [])
    source = "".join((body.text or "", *(_serialise(child) for child in body)))
    text = markdownify(source, heading_style="ATX", bullets="-", strip=stripped or None)
    lines = [line.rstrip() for line in text.strip().split("\n")]
    spaced = [line for index, line in enumerate(lines) if line or (index and lines[index - 1])]
    if not any(spaced):
        raise ToolError("The HTML has no readable content: it contains only scripts, styles or empty elements.")
    return {"markdown": "\n".join(spaced) + "\n"}


@tool(
    tags="markdown plain text strip remove formatting",
    use_when=(
        "Strip the Markdown formatting from this text",
        "Give me the README as plain text for an SMS",
        "How many words has this Markdown without its marks?",
    ),
    examples=(
        Example(
            {"markdown": "# Tides\n\nHigh at **noon**, see [tables](t.html).\n\n- one\n- `two`\n"},
            {"text": "Tides\n\nHigh at noon, see tables.\n\n- one\n- two", "words": 8},
            source="by hand",
        ),
        Example(
            {"markdown": "a\n\n```py\nx = 1\n```\n", "code_blocks": "drop"},
            {"text": "a", "words": 1},
            source="by hand",
        ),
        Refusal({"markdown": ""}, "at least 1"),
    ),
    reply="The plain text: {text}",
    pace="normal",
)
def markdown_to_text(
    markdown: Markdown, code_blocks: Annotated[Literal["keep", "drop"], About("Keep or drop code blocks")] = "keep"
) -> AsText:
    """Strip Markdown of its marks: plain text with paragraphs, list marks and table cells, links as their text.

    Use it where formatting cannot be displayed: text messages, subjects, speech. Returns the text and its number of
    words.
    """
    rendered = parser().render(markdown)
    if not rendered.strip():
        return {"text": "", "words": 0}
    body = tree_of(rendered)
    for block in list(body.iter("pre")) if code_blocks == "drop" else ():
        block.drop_tree()
    text = text_lines(body)
    return {"text": text, "words": word_count(text)}


@tool(
    tags="markdown format tidy lint prettify style normalise wrap",
    use_when=(
        "Format this Markdown consistently",
        "Tidy up my README",
        "Wrap the Markdown at 80 columns",
    ),
    examples=(
        Example(
            {"markdown": "Title\n=====\n* a\n* b\n"},
            {"markdown": "# Title\n\n- a\n- b\n", "changed": True},
            source="CommonMark 0.31.2: both forms render the same",
        ),
        Example(
            {"markdown": "one two three four\n", "wrap_columns": 9},
            {"markdown": "one two\nthree\nfour\n"},
            source="by hand: a line end within a paragraph renders as a space",
        ),
        Example({"markdown": "1. a\n1. b\n", "number_lists": True}, {"markdown": "1. a\n2. b\n"}, source="by hand"),
        Refusal({"markdown": "x", "wrap_columns": 2}, "at least 5"),
    ),
    reply={
        "changed": "The formatted text: {markdown}",
        "": "The text needs no changes.",
    },
    pace="long",
)
def markdown_format(
    markdown: Annotated[str, About("Markdown text", "Title\n=====\n* a\n* b", min_length=1, max_length=100_000)],
    wrap_columns: Annotated[
        int | None, About("Wrap lines at this width; default: no change", 80, minimum=5, maximum=400)
    ] = None,
    number_lists: Annotated[bool, About("Whether to number lists 1, 2, 3 instead of 1, 1, 1")] = False,
) -> Tidy:
    """Format Markdown in one consistent style without changing what it renders to.

    Use it before committing or comparing documents: headings with #, one kind of list mark, even blank lines. Front
    matter between --- lines is kept as it is. Returns the formatted text.
    """
    front, body = split_front_matter(markdown)
    try:
        text = mdformat.text(
            body,
            options={"wrap": wrap_columns or "keep", "number": number_lists},
            extensions=set(),
            codeformatters=set(),
        )
    except ValueError as error:
        raise ToolError("The Markdown cannot be formatted without changing what it renders to.") from error
    text = front + ("\n" if front and text else "") + text
    return {"markdown": text, "changed": text != markdown}


def parser(*, raw_html: bool = False) -> MarkdownIt:
    """CommonMark with GitHub's tables and strike-through."""
    return MarkdownIt("commonmark", {"html": raw_html}).enable(["table", "strikethrough"])


def split_front_matter(markdown: str) -> tuple[str, str]:
    """Split off the lines from a --- or +++ at the very start to the next such line, including both, from the text
    after them.
    """
    lines = markdown.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or (mark := lines[0].strip()) not in ("---", "+++"):
        return "", markdown
    end = next((index for index, line in enumerate(lines[1:], 1) if line.rstrip() == mark), None)
    return ("", markdown) if end is None else ("".join(lines[: end + 1]), "".join(lines[end + 1 :]))


def inline_text(token: Token) -> str:
    """Return the text of an inline token, with images replaced by their description."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "code_inline", "html_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "image":
            parts.append(inline_text(child))
    return "".join(parts)


def _serialise(element: object) -> str:
    return str(etree.tostring(element, encoding="unicode", method="html"))
