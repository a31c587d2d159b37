"""The parts of Markdown documents: headings, links, code, sections, front matter, style."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import tomlkit
import yaml
from markdown_it.token import Token
from tomlkit.exceptions import TOMLKitError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.documents._html_trees import word_count
from retinue_tools.documents.markdown_convert import Markdown, inline_text, parser, split_front_matter

_MOST = 5000
_DOCUMENT = "# Tides\n\nIntro\n\n## High water\n\ntext\n\n## Low water\n\n### Ebb & flow\n\ntext\n"

Level = Annotated[int, About("Deepest level of headings, 1 to 6", minimum=1, maximum=6)]


class Heading(TypedDict):
    """A heading."""

    level: Annotated[int, About("1 to 6")]
    text: Annotated[str, About("Its text without marks")]
    anchor: Annotated[str, About("What GitHub links to it by, without #")]
    line: Annotated[int, About("Line, counted from 1")]


class Contents(TypedDict):
    """A table of contents."""

    contents: Annotated[str, About("The table as a Markdown list of links")]
    headings: Annotated[list[Heading], About("The headings in it")]


class Link(TypedDict):
    """A link or image."""

    kind: Annotated[str, About("link or image")]
    text: Annotated[str, About("Text of the link, or description of the image")]
    target: Annotated[str, About("Where it leads")]
    title: Annotated[str | None, About("Its title")]
    line: Annotated[int, About("First line of the paragraph that it stands in")]


class Links(TypedDict):
    """Links of a document."""

    links: Annotated[list[Link], About("In order, at most 5000")]
    hosts: Annotated[dict[str, int], About("How many lead to each host")]


class Problem(TypedDict):
    """A link that cannot work."""

    line: Annotated[int, About("First line of the paragraph that it stands in")]
    target: Annotated[str, About("Where it is meant to lead")]
    problem: Annotated[str, About("What is wrong")]


class Checked(TypedDict):
    """What is wrong with links."""

    problems: Annotated[list[Problem], About("In order")]
    checked: Annotated[int, About("How many links and images were looked at")]


class CodeBlock(TypedDict):
    """A block of code."""

    language: Annotated[str | None, About("Language it is marked with")]
    code: Annotated[str, About("The code")]
    line: Annotated[int, About("Line where the block begins")]


class CodeBlocks(TypedDict):
    """Blocks of code."""

    blocks: Annotated[list[CodeBlock], About("In order")]
    languages: Annotated[dict[str, int], About("How many blocks each language has")]


class Section(TypedDict):
    """A part below a heading."""

    heading: Annotated[str | None, About("Its heading; null for what stands before the first")]
    level: Annotated[int, About("Level of the heading; 0 without one")]
    path: Annotated[list[str], About("The headings it stands under, with its own")]
    text: Annotated[str, About("Its Markdown without the heading")]
    words: Annotated[int, About("How many words it has")]


class Sections(TypedDict):
    """A document in parts."""

    sections: Annotated[list[Section], About("In order; together they are the whole")]


class FrontMatter(TypedDict):
    """What stands at the head of a document."""

    fields: Annotated[dict[str, Any], About("The fields; dates as ISO 8601")]
    format: Annotated[str, About("yaml, toml or none")]
    body: Annotated[str, About("The Markdown after it")]


class StyleFault(TypedDict):
    """Something that could be written better."""

    line: Annotated[int, About("Line, counted from 1")]
    rule: Annotated[str, About("Short name of the rule")]
    message: Annotated[str, About("What is wrong")]


class StyleReport(TypedDict):
    """What a check of style found."""

    faults: Annotated[list[StyleFault], About("By line, at most 5000")]
    counts: Annotated[dict[str, int], About("How often each rule is broken")]


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
    pace="normal",
)
def markdown_build_contents(markdown: Markdown, first_level: Level = 1, last_level: Level = 3) -> Contents:
    """Build a table of contents from the headings of a Markdown document, with links as GitHub makes them.

    Use it for a README, or to see the outline of a document. Headings within code are not counted.
    """
    headings = [item for item in _headings(parser().parse(markdown)) if first_level <= item["level"] <= last_level]
    if not headings:
        raise ToolError("The document has no headings of these levels. Write them as # Heading.")
    least = min(heading["level"] for heading in headings)
    lines = (f"{'  ' * (item['level'] - least)}- [{item['text']}](#{item['anchor']})\n" for item in headings)
    return {"contents": "".join(lines), "headings": headings}


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
    pace="normal",
)
def markdown_extract_links(markdown: Markdown) -> Links:
    """List the links and images of a Markdown document, those by reference too, with their lines.

    Use it to review or rewrite references. What stands in code is not counted. Returns targets, texts and hosts.
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
    pace="normal",
)
def markdown_check_links(
    markdown: Markdown,
    files: Annotated[
        list[Annotated[str, About("Path", "docs/a.md", max_length=300)]] | None,
        About("Files that relative links may lead to, as paths from the document", ["docs/a.md"], max_items=5000),
    ] = None,
) -> Checked:
    """Check the links of a Markdown document without opening them: anchors, empty targets, addresses, references.

    Use it before publishing a README. Relative links are compared with the files named, if any are. Returns each
    faulty link with its line.
    """
    tokens = parser().parse(markdown)
    links = [link for link, _ in zip(_links(tokens), range(_MOST), strict=False)]
    anchors = {heading["anchor"] for heading in _headings(tokens)}
    anchors |= set(re.findall(r"<a\s+(?:name|id)=[\"']([^\"'<>]{1,200})[\"']", markdown))
    known = None if files is None else {str(PurePosixPath(path)) for path in files}
    faults = ((link, _fault(link["target"], anchors, known)) for link in links)
    problems: list[Problem] = [
        {"line": link["line"], "target": link["target"], "problem": fault} for link, fault in faults if fault
    ]
    problems += _undefined_names(tokens)
    return {"problems": sorted(problems, key=lambda problem: problem["line"]), "checked": len(links)}


@tool(
    tags="markdown code blocks extract snippets fences language",
    use_when=(
        "Extract the Python code from this Markdown",
        "Give me all shell commands of the README",
        "Which languages do the code blocks use?",
    ),
    examples=(
        Example(
            {"markdown": "a\n\n```python title=x\nprint(1)\n```\n\n~~~\nplain\n~~~\n"},
            {
                "blocks": [
                    {"language": "python", "code": "print(1)\n", "line": 3},
                    {"language": None, "code": "plain\n", "line": 7},
                ],
                "languages": {"python": 1},
            },
            source="CommonMark 0.31.2, section 4.5: the first word of the info string is the language",
        ),
        Example(
            {"markdown": "```sh\nls\n```\n\n```js\n1\n```\n", "language": "SH"},
            {"blocks": [{"language": "sh", "code": "ls\n"}]},
            source="by hand",
        ),
        Refusal({"markdown": ""}, "at least 1"),
    ),
    pace="normal",
)
def markdown_extract_code(
    markdown: Markdown,
    language: Annotated[str | None, About("Only blocks of this language", "python", max_length=40)] = None,
) -> CodeBlocks:
    """Extract the code blocks of a Markdown document with their languages and lines.

    Use it to run, test or collect snippets of documentation or of a model's answer.
    """
    blocks: list[CodeBlock] = [
        {"language": token.info.split()[0] if token.info.strip() else None, "code": token.content, "line": _line(token)}
        for token in parser().parse(markdown)
        if token.type in ("fence", "code_block")
    ]
    if language is not None:
        blocks = [block for block in blocks if (block["language"] or "").lower() == language.lower()]
    return {"blocks": blocks, "languages": dict(Counter(block["language"] for block in blocks if block["language"]))}


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
    pace="normal",
)
def markdown_split_sections(markdown: Markdown, deepest_level: Level = 6) -> Sections:
    """Split a Markdown document at its headings into sections, each with the path of headings above it.

    Use it to index or quote parts of long documents. What stands before the first heading is a section of its own.
    """
    lines = markdown.split("\n")
    tokens = parser().parse(markdown)
    opened = [token for token in tokens if token.type == "heading_open" and token.level == 0]
    marks = [
        (token.map, heading)
        for token, heading in zip(opened, _headings(tokens, outermost=True), strict=True)
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
    tags="markdown front matter yaml toml metadata header jekyll hugo obsidian parse",
    use_when=(
        "Read the front matter of this post",
        "Which tags and date has the Markdown note?",
        "Separate the YAML header from the text",
    ),
    examples=(
        Example(
            {"markdown": "---\ntitle: Tides\ntags: [sea, moon]\ndate: 2026-03-01\ndraft: false\n---\n# Text\n"},
            {
                "fields": {"title": "Tides", "tags": ["sea", "moon"], "date": "2026-03-01", "draft": False},
                "format": "yaml",
                "body": "# Text\n",
            },
            source="YAML 1.1",
        ),
        Example(
            {"markdown": '+++\ntitle = "Tides"\nweight = 3\n+++\nText\n'},
            {"fields": {"title": "Tides", "weight": 3}, "format": "toml", "body": "Text\n"},
            source="TOML 1.0",
        ),
        Example({"markdown": "# Text\n"}, {"fields": {}, "format": "none", "body": "# Text\n"}, source="by hand"),
        Refusal({"markdown": "---\na: [1\n---\n"}, "front matter is not YAML"),
    ),
    pace="normal",
)
def markdown_parse_front_matter(markdown: Markdown) -> FrontMatter:
    """Read the front matter of a Markdown document: YAML between --- lines or TOML between +++ lines at its start.

    Use it for posts of static sites and for notes. Returns the fields, and the text without them.
    """
    front, body = split_front_matter(markdown)
    if not front:
        return {"fields": {}, "format": "none", "body": markdown}
    inner = "".join(front.splitlines(keepends=True)[1:-1])
    if len(inner) > 50_000 or inner.count("[") + inner.count("{") > 500:
        raise ToolError("The front matter has more than 50,000 characters or 500 brackets, and is not read.")
    if front.startswith("+++"):
        try:
            return {"fields": _plain(tomlkit.parse(inner).unwrap()), "format": "toml", "body": body}
        except (TOMLKitError, ValueError) as error:
            raise ToolError(f"The front matter is not TOML: {str(error)[:200]}") from error
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(inner, Loader=yaml.SafeLoader)):
            raise ToolError("The front matter uses aliases of YAML (*name), which are not read. Write the values out.")
        fields = yaml.safe_load(inner)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ToolError(f"The front matter is not YAML: {' '.join(str(error).split())[:200]}") from error
    if fields is not None and not isinstance(fields, dict):
        raise ToolError("The front matter is not a list of fields such as title: Tides.")
    return {"fields": _plain(fields or {}), "format": "yaml", "body": body}


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
    pace="normal",
)  # fmt: skip
def markdown_check_style(
    markdown: Markdown,
    longest_line: Annotated[
        int | None, About("Report longer lines outside of code; none where absent", 120, minimum=10, maximum=1000)
    ] = None,
) -> StyleReport:
    """Check the style of a Markdown document: skipped or repeated titles, code without language, images without text.

    Use it to review documentation; markdown_format mends spacing and list marks. Returns each fault with its line.
    """
    _, body = split_front_matter(markdown)
    offset = markdown.count("\n") - body.count("\n")
    tokens = parser().parse(body)
    faults = [*_heading_faults(_headings(tokens)), *_block_faults(tokens), *_line_faults(body, tokens, longest_line)]
    faults.sort(key=lambda fault: (fault["line"], fault["rule"] == "trailing-space"))
    listed: list[StyleFault] = [{**fault, "line": fault["line"] + offset} for fault in faults[:_MOST]]
    return {"faults": listed, "counts": dict(Counter(fault["rule"] for fault in faults))}


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1


def _headings(tokens: list[Token], *, outermost: bool = False) -> list[Heading]:
    found: list[Heading] = []
    seen: Counter[str] = Counter()
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and not (outermost and token.level):
            text = " ".join(inline_text(inline).split())
            anchor = _anchor(text)
            number = seen[anchor]
            seen[anchor] += 1
            anchor = f"{anchor}-{number}" if number else anchor
            found.append({"level": int(token.tag[1]), "text": text, "anchor": anchor, "line": _line(token)})
    return found


def _anchor(text: str) -> str:
    """GitHub's: lower case, letters, digits, marks, hyphens and underscores kept, spaces to hyphens."""
    kept = (c for c in text.lower() if c in " -_" or unicodedata.category(c)[0] in "LNM")
    return "".join(kept).replace(" ", "-")


def _links(tokens: list[Token]) -> Iterator[Link]:
    for token in tokens:
        opened: Token | None = None
        text: list[str] = []
        for child in token.children or ():
            if child.type == "image":
                yield _link("image", child, inline_text(child), _line(token), "src")
            elif child.type == "link_open":
                opened, text = child, []
            elif child.type == "link_close" and opened is not None:
                yield _link("link", opened, "".join(text), _line(token), "href")
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
    """What is wrong with where a link leads, as far as that can be told without opening it."""
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
    """References such as [text][name] that stayed text, since nothing defines the name."""
    for token in tokens:
        for child in token.children or ():
            if child.type == "text":
                for name in re.findall(r"\[[^\[\]]{1,200}\]\[([^\[\]]{1,200})\]", child.content):
                    yield {"line": _line(token), "target": name, "problem": "The reference is not defined"}


def _plain(value: Any) -> Any:
    """JSON values of what YAML or TOML gave."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(part) for part in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


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
            yield {"line": _line(token), "rule": "code-language", "message": "The code block names no language"}
        for child in token.children or ():
            if child.type == "image" and not inline_text(child).strip():
                yield {"line": _line(token), "rule": "image-description", "message": "The image has no description"}


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
