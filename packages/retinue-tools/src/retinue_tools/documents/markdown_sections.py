"""Headings in Markdown: table of contents, sections and style."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated

from markdown_it.token import Token
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.documents._html_trees import word_count
from retinue_tools.documents.markdown_convert import Markdown, inline_text, parser, split_front_matter

_MOST = 5000
_DOCUMENT = "# Tides\n\nIntro\n\n## High water\n\ntext\n\n## Low water\n\n### Ebb & flow\n\ntext\n"

Level = Annotated[int, About("Deepest heading level, 1 to 6", minimum=1, maximum=6)]


class Heading(TypedDict):
    """A heading."""

    level: Annotated[int, About("1 to 6")]
    text: Annotated[str, About("Text without markup")]
    anchor: Annotated[str, About("Anchor of the heading on GitHub, without #")]
    line: Annotated[int, About("Line number, from 1")]


class Contents(TypedDict):
    """A table of contents."""

    contents: Annotated[str, About("Table as a Markdown list of links")]
    headings: Annotated[list[Heading], About("Headings in the table")]


class Section(TypedDict):
    """A section below a heading."""

    heading: Annotated[str | None, About("Heading; null for text before the first heading")]
    level: Annotated[int, About("Level of the heading; 0 without one")]
    path: Annotated[list[str], About("Path of enclosing headings, including its own")]
    text: Annotated[str, About("Markdown of the section without the heading")]
    words: Annotated[int, About("Number of words")]


class Sections(TypedDict):
    """Sections of a document."""

    sections: Annotated[list[Section], About("Sections in order; together they form the whole document")]


class StyleFault(TypedDict):
    """A style problem."""

    line: Annotated[int, About("Line number, from 1")]
    rule: Annotated[str, About("Name of the rule")]
    message: Annotated[str, About("Description of the problem")]


class StyleReport(TypedDict):
    """Result of a style check."""

    faults: Annotated[list[StyleFault], About("Problems by line, at most 5000")]
    counts: Annotated[dict[str, int], About("Number of violations by rule")]


@tool(
    tags="markdown table of contents toc headings outline anchors readme",
    use_when=(
        "Make a table of contents for this README",
        "List the headings of the document",
        "Which anchor has the heading 'Ebb & flow' on GitHub?",
    ),
    examples=(
        Example(
            {"markdown": _DOCUMENT, "first_level": 2},
            {
                "contents": "- [High water](#high-water)\n- [Low water](#low-water)\n  - [Ebb & flow](#ebb--flow)\n",
                "headings": [
                    {"level": 2, "text": "High water", "line": 5},
                    {"level": 2, "text": "Low water", "line": 9},
                    {"level": 3, "text": "Ebb & flow", "anchor": "ebb--flow", "line": 11},
                ],
            },
            source="GitHub's documentation of section links: lower case, spaces to hyphens, punctuation dropped",
        ),
        Example(
            {"markdown": "# A\n# A\n", "last_level": 1},
            {"contents": "- [A](#a)\n- [A](#a-1)\n"},
            source="GitHub numbers anchors that occur again",
        ),
        Refusal({"markdown": "text"}, "no headings"),
    ),
    reply={
        "contents": "The table of contents: {contents}",
        "": "There are no headings for a table of contents.",
    },
    pace="normal",
)
def markdown_build_contents(
    markdown: Markdown,
    first_level: Annotated[Level, About("Highest heading level to list, 1 to 6")] = 1,
    last_level: Level = 3,
) -> Contents:
    """Build a table of contents from the headings of a Markdown document, with GitHub-compatible links.

    Use it for a README, or to see the outline of a document. Headings within code are ignored.
    """
    headings = [item for item in list_headings(parser().parse(markdown)) if first_level <= item["level"] <= last_level]
    if not headings:
        raise ToolError("The document has no headings of these levels. Write them as # Heading.")
    least = min(heading["level"] for heading in headings)
    lines = (f"{'  ' * (item['level'] - least)}- [{item['text']}](#{item['anchor']})\n" for item in headings)
    return {"contents": "".join(lines), "headings": headings}


@tool(
    tags="markdown split sections headings chunks chapters rag",
    use_when=(
        "Split this document at its headings",
        "Cut the manual into sections for search",
        "Give me only the text below 'Low water'",
    ),
    examples=(
        Example(
            {"markdown": _DOCUMENT},
            {
                "sections": [
                    {"heading": "Tides", "level": 1, "path": ["Tides"], "text": "Intro", "words": 1},
                    {"heading": "High water", "level": 2, "path": ["Tides", "High water"], "text": "text"},
                    {"heading": "Low water", "level": 2, "path": ["Tides", "Low water"], "text": "", "words": 0},
                    {"heading": "Ebb & flow", "level": 3, "path": ["Tides", "Low water", "Ebb & flow"], "text": "text"},
                ]
            },
            source="by hand",
        ),
        Example(
            {"markdown": "before\n\n# A\n\n## B\n\nx\n", "deepest_level": 1},
            {
                "sections": [
                    {"heading": None, "level": 0, "path": [], "text": "before"},
                    {"heading": "A", "level": 1, "path": ["A"], "text": "## B\n\nx"},
                ]
            },
            source="by hand",
        ),
        Refusal({"markdown": "x", "deepest_level": 7}, "at most 6"),
    ),
    reply="The sections: {sections}",
    pace="normal",
)
def markdown_split_sections(markdown: Markdown, deepest_level: Level = 6) -> Sections:
    """Split a Markdown document at its headings into sections, each with the path of headings above it.

    Use it to index or quote parts of long documents. Text before the first heading is a separate section.
    """
    lines = markdown.split("\n")
    tokens = parser().parse(markdown)
    opened = [token for token in tokens if token.type == "heading_open" and token.level == 0]
    marks = [
        (token.map, heading)
        for token, heading in zip(opened, list_headings(tokens, outermost=True), strict=True)
        if token.map
    ]
    marks = [(span, heading) for span, heading in marks if heading["level"] <= deepest_level]
    sections: list[Section] = []
    first = marks[0][0][0] if marks else len(lines)
    if before := "\n".join(lines[:first]).strip():
        sections.append({"heading": None, "level": 0, "path": [], "text": before, "words": word_count(before)})
    above: list[tuple[int, str]] = []
    for number, (span, heading) in enumerate(marks):
        end = marks[number + 1][0][0] if number + 1 < len(marks) else len(lines)
        text = "\n".join(lines[span[1] : end]).strip()
        above = [*(one for one in above if one[0] < heading["level"]), (heading["level"], heading["text"])]
        sections.append(
            {
                "heading": heading["text"],
                "level": heading["level"],
                "path": [title for _, title in above],
                "text": text,
                "words": word_count(text),
            }
        )
    return {"sections": sections}


@tool(
    tags="markdown lint check style headings readme quality rules",
    use_when=(
        "Check the style of this Markdown",
        "Does the README skip heading levels?",
        "Find code blocks without a language and images without description",
    ),
    examples=(
        Example(
            {"markdown": "# A\n\n### B:\n\n```\nx\n```\n\n![](c.png) \t\n\n# C\n"},
            {
                "counts": {
                    "heading-increment": 1, "heading-punctuation": 1, "code-language": 1, "image-description": 1,
                    "trailing-space": 1, "single-title": 1,
                },
                "faults": [
                    {"line": 3, "rule": "heading-increment"},
                    {"line": 3, "rule": "heading-punctuation"},
                    {"line": 5, "rule": "code-language"},
                    {"line": 9, "rule": "image-description"},
                    {"line": 9, "rule": "trailing-space"},
                    {"line": 11, "rule": "single-title"},
                ],
            },
            source="by hand, by the rules that the descriptions name",
        ),
        Example(
            {"markdown": "# A\n\nlong long line\n", "longest_line": 10},
            {"faults": [{"line": 3, "rule": "line-length", "message": "The line has 14 characters, more than 10"}]},
            source="by hand",
        ),
        Refusal({"markdown": "x", "longest_line": 1}, "at least 10"),
    ),
    reply={
        "faults": "The style could be better: {faults}",
        "": "The style is right.",
    },
    pace="normal",
)  # fmt: skip
def markdown_check_style(
    markdown: Markdown,
    longest_line: Annotated[
        int | None, About("Report longer lines outside code; default: no limit", 120, minimum=10, maximum=1000)
    ] = None,
) -> StyleReport:
    """Check the style of a Markdown document: skipped or repeated titles, code without language, images without text.

    Use it to review documentation; markdown_format fixes spacing and list marks. Returns each problem with its line.
    """
    _, body = split_front_matter(markdown)
    offset = markdown.count("\n") - body.count("\n")
    tokens = parser().parse(body)
    faults = [
        *_heading_faults(list_headings(tokens)),
        *_block_faults(tokens),
        *_line_faults(body, tokens, longest_line),
    ]
    faults.sort(key=lambda fault: (fault["line"], fault["rule"] == "trailing-space"))
    listed: list[StyleFault] = [{**fault, "line": fault["line"] + offset} for fault in faults[:_MOST]]
    return {"faults": listed, "counts": dict(Counter(fault["rule"] for fault in faults))}


def line_of(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1


def list_headings(tokens: list[Token], *, outermost: bool = False) -> list[Heading]:
    found: list[Heading] = []
    seen: Counter[str] = Counter()
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and not (outermost and token.level):
            text = " ".join(inline_text(inline).split())
            anchor = _anchor(text)
            number = seen[anchor]
            seen[anchor] += 1
            anchor = f"{anchor}-{number}" if number else anchor
            found.append({"level": int(token.tag[1]), "text": text, "anchor": anchor, "line": line_of(token)})
    return found


def _anchor(text: str) -> str:
    """Return GitHub's anchor: lower case, with letters, digits, marks, hyphens and underscores kept, and spaces as
    hyphens.
    """
    characters = (c for c in text.lower() if c in " -_" or unicodedata.category(c)[0] in "LNM")
    return "".join(characters).replace(" ", "-")


def _heading_faults(headings: list[Heading]) -> Iterator[StyleFault]:
    last, titles = 0, 0
    for heading in headings:
        line, level = heading["line"], heading["level"]
        if last and level > last + 1:
            yield {"line": line, "rule": "heading-increment", "message": f"The level goes from {last} to {level}"}
        if heading["text"].endswith((".", ",", ";", ":")):
            yield {"line": line, "rule": "heading-punctuation", "message": "The heading ends with punctuation"}
        titles += level == 1
        if level == 1 and titles > 1:
            yield {"line": line, "rule": "single-title", "message": "The document has a title of level 1 already"}
        if not heading["text"]:
            yield {"line": line, "rule": "heading-empty", "message": "The heading is empty"}
        last = level


def _block_faults(tokens: list[Token]) -> Iterator[StyleFault]:
    for token in tokens:
        if token.type == "fence" and not token.info.strip():
            yield {"line": line_of(token), "rule": "code-language", "message": "The code block names no language"}
        for child in token.children or ():
            if child.type == "image" and not inline_text(child).strip():
                yield {"line": line_of(token), "rule": "image-description", "message": "The image has no description"}


def _line_faults(text: str, tokens: list[Token], longest: int | None) -> Iterator[StyleFault]:
    code = {
        number
        for token in tokens
        if token.type in ("fence", "code_block") and token.map
        for number in range(*token.map)
    }
    for number, line in enumerate(text.split("\n")):
        if number in code:
            continue
        space = len(line) - len(line.rstrip())
        if space and not (line.endswith("  ") and space == 2 and line.strip()) and line != "\r":
            yield {"line": number + 1, "rule": "trailing-space", "message": "The line ends with white space"}
        if longest is not None and len(line) > longest:
            message = f"The line has {len(line)} characters, more than {longest}"
            yield {"line": number + 1, "rule": "line-length", "message": message}
