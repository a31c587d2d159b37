"""Links in Markdown: extraction and checking."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import unquote, urlsplit

from markdown_it.token import Token
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.documents.markdown_convert import Markdown, inline_text, parser
from retinue_tools.documents.markdown_sections import line_of, list_headings

_MOST = 5000


class Link(TypedDict):
    """A link or image."""

    kind: Annotated[str, About("link or image")]
    text: Annotated[str, About("Text of the link, or description of the image")]
    target: Annotated[str, About("Target")]
    title: Annotated[str | None, About("Title of the link or image")]
    line: Annotated[int, About("First line of the enclosing paragraph")]


class Links(TypedDict):
    """Links of a document."""

    links: Annotated[list[Link], About("Links in order, at most 5000")]
    hosts: Annotated[dict[str, int], About("Number of links by host")]


class Problem(TypedDict):
    """A broken link."""

    line: Annotated[int, About("First line of the enclosing paragraph")]
    target: Annotated[str, About("Target of the link")]
    problem: Annotated[str, About("Description of the problem")]


class Checked(TypedDict):
    """Result of checking links."""

    problems: Annotated[list[Problem], About("Problems in order")]
    checked: Annotated[int, About("Number of checked links and images")]


@tool(
    tags="markdown links images urls list extract references",
    use_when=(
        "Which links are in this Markdown?",
        "List all images of the README",
        "To which sites does the document link?",
    ),
    examples=(
        Example(
            {
                "markdown": 'See [a](https://example.org/a "T") and\n\n![chart](c.png) [b][r]\n\n[r]: https://example.org/b\n'
            },
            {
                "links": [
                    {"kind": "link", "text": "a", "target": "https://example.org/a", "title": "T", "line": 1},
                    {"kind": "image", "text": "chart", "target": "c.png", "title": None, "line": 3},
                    {"kind": "link", "text": "b", "target": "https://example.org/b", "title": None, "line": 3},
                ],
                "hosts": {"example.org": 2},
            },
            source="CommonMark 0.31.2, sections 6.3 and 6.4",
        ),
        Refusal({"markdown": ""}, "at least 1"),
    ),
    reply={
        "links": "The links and images: {links}",
        "": "There are no links or images in the document.",
    },
    pace="normal",
)
def markdown_extract_links(markdown: Markdown) -> Links:
    """List the links and images of a Markdown document, including reference links, with their lines.

    Use it to review or rewrite references. Code is ignored. Returns targets, texts and hosts.
    """
    links = [link for link, _ in zip(_links(parser().parse(markdown)), range(_MOST), strict=False)]
    hosts = Counter(host for link in links if (host := _host(link["target"])))
    return {"links": links, "hosts": dict(hosts)}


@tool(
    tags="markdown links check broken anchors references validate lint",
    use_when=(
        "Are there broken anchors in this README?",
        "Check the links of my Markdown without opening them",
        "Which links have no target?",
    ),
    examples=(
        Example(
            {"markdown": "# Tides\n\n[up](#tides) [down](#tide) [x]() [y](http://) [z](docs/a b.md)\n\n[q][nowhere]\n"},
            {
                "checked": 4,
                "problems": [
                    {"line": 3, "target": "#tide", "problem": "No heading has this anchor"},
                    {"line": 3, "target": "", "problem": "The target is empty"},
                    {"line": 3, "target": "http://", "problem": "The address names no host"},
                    {"line": 5, "target": "nowhere", "problem": "The reference is not defined"},
                ],
            },
            source="by hand; with a space in its target the last is no link (CommonMark 0.31.2, section 6.3)",
        ),
        Example(
            {"markdown": "[a](docs/a.md) [b](b.md)", "files": ["docs/a.md"]},
            {"checked": 2, "problems": [{"line": 1, "target": "b.md", "problem": "No such file"}]},
            source="by hand",
        ),
        Refusal({"markdown": ""}, "at least 1"),
    ),
    reply={
        "problems": "I checked {checked|link}, and these are broken: {problems}",
        "": "I checked {checked|link}, and all are right.",
    },
    pace="normal",
)
def markdown_check_links(
    markdown: Markdown,
    files: Annotated[
        list[Annotated[str, About("Path", "docs/a.md", max_length=300)]] | None,
        About("Files that relative links may refer to, as paths from the document", ["docs/a.md"], max_items=5000),
    ] = None,
) -> Checked:
    """Check the links of a Markdown document without opening them: anchors, empty targets, addresses, references.

    Use it before publishing a README. Relative links are compared with the given files, if any. Returns each broken
    link with its line.
    """
    tokens = parser().parse(markdown)
    links = [link for link, _ in zip(_links(tokens), range(_MOST), strict=False)]
    anchors = {heading["anchor"] for heading in list_headings(tokens)}
    anchors |= set(re.findall(r"<a\s+(?:name|id)=[\"']([^\"'<>]{1,200})[\"']", markdown))
    known = None if files is None else {str(PurePosixPath(path)) for path in files}
    faults = ((link, _fault(link["target"], anchors, known)) for link in links)
    problems: list[Problem] = [
        {"line": link["line"], "target": link["target"], "problem": fault} for link, fault in faults if fault
    ]
    problems += _undefined_names(tokens)
    return {"problems": sorted(problems, key=lambda problem: problem["line"]), "checked": len(links)}


def _links(tokens: list[Token]) -> Iterator[Link]:
    for token in tokens:
        opened: Token | None = None
        text: list[str] = []
        for child in token.children or ():
            if child.type == "image":
                yield _link("image", child, inline_text(child), line_of(token), "src")
            elif child.type == "link_open":
                opened, text = child, []
            elif child.type == "link_close" and opened is not None:
                yield _link("link", opened, "".join(text), line_of(token), "href")
                opened = None
            elif child.content:
                text.append(child.content)


def _link(kind: str, token: Token, text: str, line: int, attribute: str) -> Link:
    title = token.attrGet("title")
    return {
        "kind": kind,
        "text": text[:1000],
        "target": str(token.attrGet(attribute) or "")[:2000],
        "title": str(title) if title else None,
        "line": line,
    }


def _host(target: str) -> str | None:
    try:
        return urlsplit(target).hostname
    except ValueError:
        return None


def _fault(target: str, anchors: set[str], files: set[str] | None) -> str | None:
    """Return the problem of a link target, as far as it can be detected without opening it."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return "The address is malformed"
    if not target:
        return "The target is empty"
    if target.startswith("#"):
        return None if unquote(target[1:]) in anchors or target == "#" else "No heading has this anchor"
    if parts.scheme in ("http", "https"):
        return None if parts.hostname else "The address names no host"
    if parts.scheme or target.startswith("/") or files is None:
        return None
    return None if str(PurePosixPath(unquote(parts.path))) in files else "No such file"


def _undefined_names(tokens: list[Token]) -> Iterator[Problem]:
    """Return references such as [text][name] that remain text because the name is not defined."""
    for token in tokens:
        for child in token.children or ():
            if child.type == "text":
                for name in re.findall(r"\[[^\[\]]{1,200}\]\[([^\[\]]{1,200})\]", child.content):
                    yield {"line": line_of(token), "target": name, "problem": "The reference is not defined"}
