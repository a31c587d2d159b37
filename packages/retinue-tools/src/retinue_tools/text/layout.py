"""Text layout: spaces, line lengths, paragraphs, indents."""

import re
import textwrap
from collections.abc import Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

_SPACES = re.compile("[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_LIST_ITEM = re.compile(r"\s*(?:[-*+\u2022>#|]|\d+[.)])\s")

Line = Annotated[int, About("Maximum number of characters per line", 80, minimum=10, maximum=1000)]


class Laid(TypedDict):
    """A reformatted text."""

    result: Annotated[str, About("The text")]
    lines: Annotated[int, About("Number of lines")]


class Shortened(TypedDict):
    """A truncated text."""

    result: Annotated[str, About("Text, with the ellipsis if it was truncated")]
    was_cut: Annotated[bool, About("Whether the text was truncated")]
    omitted_words: Annotated[int, About("Number of omitted words")]


@tool(
    tags="whitespace spaces trim collapse blank lines line endings tabs clean nbsp",
    use_when=(
        "Remove double spaces and trailing blanks from this text",
        "Collapse several blank lines into one",
        "Turn tabs and non-breaking spaces into normal spaces",
    ),
    examples=(
        Example({"text": "  a\u00a0 b \r\n\r\n\r\n\tc  "}, {"result": "a b\n\nc", "lines": 3}, source="by hand"),
        Example(
            {"text": "  x:  1\n\n\ny ", "keep_indent": True, "blank_lines": "remove"},
            {"result": "  x: 1\ny"},
            source="by hand",
        ),
        Refusal({"text": "a", "blank_lines": "two"}, "blank_lines"),
    ),
    reply="The tidy text: {result}",
)
def text_normalize_whitespace(
    text: Text,
    blank_lines: Annotated[
        Literal["single", "remove", "keep"], About("Whether blank lines are collapsed to one, removed, or kept")
    ] = "single",
    keep_indent: Annotated[bool, About("Whether to keep spaces at the beginning of lines")] = False,
) -> Laid:
    """Tidy (normalise) the white space of a text: runs of spaces, tabs and exotic spaces, line ends and blank lines.

    Returns the text with plain spaces, LF line ends, and no trailing spaces.
    """
    lines = []
    for line in re.split("\r\n|[\n\r\u2028\u2029\x0b\x0c\x85]", text):
        indent = re.match(r"[ \t]*", line)
        body = _SPACES.sub(" ", line).strip()
        lines.append(indent[0] + body if keep_indent and indent and body else body)
    result = "\n".join(lines).strip("\n")
    if blank_lines != "keep":
        result = re.sub("\n{2,}", "\n" if blank_lines == "remove" else "\n\n", result)
    return _laid(result)


@tool(
    tags="wrap line width columns fold reflow justify hanging indent plain text email",
    use_when=(
        "Wrap this paragraph at 72 characters",
        "Format the text to 80 columns with a hanging indent",
        "Break long lines for a plain text mail and quote them with >",
    ),
    examples=(
        Example(
            {"text": "The quick brown fox jumps\nover the lazy dog.\n\nThe end.", "width": 15},
            {"result": "The quick brown\nfox jumps over\nthe lazy dog.\n\nThe end.", "lines": 5},
            source="by hand",
        ),
        Example(
            {"text": "alpha beta gamma", "width": 10, "first_prefix": "* ", "prefix": "  "},
            {"result": "* alpha\n  beta\n  gamma"},
            source="by hand",
        ),
        Refusal({"text": "a b", "width": 10, "prefix": "0123456789"}, "no room"),
    ),
    reply="The wrapped text: {result}",
)
def text_wrap_lines(
    text: Text,
    width: Line = 80,
    prefix: Annotated[str, About("Prefix of each line, such as '> ' or spaces", max_length=100)] = "",
    first_prefix: Annotated[
        str | None, About("Prefix of the first line of each paragraph instead", "* ", max_length=100)
    ] = None,
    break_long_words: Annotated[bool, About("Whether to break words that are longer than a line")] = False,
) -> Laid:
    """Wrap a text to a line width, paragraph by paragraph, with optional indents, bullets or quotation marks.

    Lines of a paragraph are joined first; blank lines between paragraphs are kept. Returns the text.
    """
    first = prefix if first_prefix is None else first_prefix
    if max(len(prefix), len(first)) >= width:
        raise ToolError("The prefix leaves no room for text. Choose a larger width.")
    wrapper = textwrap.TextWrapper(
        width, initial_indent=first, subsequent_indent=prefix, break_long_words=break_long_words, break_on_hyphens=False
    )
    paragraphs = re.split(r"\n[^\S\n]*\n\s*", text.strip())
    return _laid("\n\n".join(wrapper.fill(" ".join(paragraph.split())) for paragraph in paragraphs))


@tool(
    tags="unwrap join lines paragraph reflow pdf copy paste hard line breaks dehyphenate ocr",
    use_when=(
        "Join the broken lines of text that I copied from a PDF",
        "Remove hard line breaks but keep the paragraphs",
        "Undo hyphenation at line ends of scanned text",
    ),
    examples=(
        Example(
            {"text": "This para-\ngraph was\nwrapped.\n\n- one\n- two\n\nNew\none."},
            {"result": "This paragraph was wrapped.\n\n- one\n- two\n\nNew one.", "lines": 6},
            source="by hand",
        ),
        Example({"text": "well-\nknown", "join_hyphens": False}, {"result": "well-known"}, source="by hand"),
        Refusal({"text": "a", "join_hyphens": "x"}, "join_hyphens"),
    ),
    reply="The text in whole paragraphs: {result}",
)
def text_unwrap_paragraphs(
    text: Text,
    join_hyphens: Annotated[
        bool, About("Whether to remove a hyphen at the end of a line if the word continues")
    ] = True,
) -> Laid:
    """Join lines that were broken by hand, by mail or by a PDF into whole paragraphs.

    Blank lines separate paragraphs; list items, quotations and table rows keep their lines. Returns the text.
    """
    paragraphs = [_join(part.split("\n"), join_hyphens) for part in re.split(r"\n[^\S\n]*\n\s*", text.strip())]
    return _laid("\n\n".join(paragraphs))


@tool(
    tags="indent dedent outdent code block prefix quote margin tabs spaces",
    use_when=(
        "Remove the common indentation of this code block",
        "Indent these lines by four spaces",
        "Convert leading tabs to two spaces each",
    ),
    examples=(
        Example({"text": "    if x:\n        y\n"}, {"result": "if x:\n    y\n", "lines": 2}, source="by hand"),
        Example({"text": "a\n\n\tb", "indent": "> ", "tab_width": 2}, {"result": "> a\n\n>   b"}, source="by hand"),
        Refusal({"text": "a", "tab_width": 99}, "tab_width"),
    ),
    reply="The block: {result}",
)
def text_indent_block(
    text: Text,
    indent: Annotated[str, About("Prefix of each non-blank line", max_length=40)] = "",
    remove_common: Annotated[bool, About("Whether to remove the common indentation of all lines first")] = True,
    tab_width: Annotated[int, About("Number of spaces for a leading tab", minimum=1, maximum=16)] = 4,
) -> Laid:
    """Remove the common indentation of a block of text or code, and add another indent or prefix to its lines.

    Leading tabs become spaces. Returns the block.
    """
    lines = [re.sub(r"^[ \t]+", lambda match: match[0].expandtabs(tab_width), line) for line in text.split("\n")]
    block = "\n".join(lines)
    return _laid(textwrap.indent(textwrap.dedent(block) if remove_common else block, indent))


@tool(
    tags="truncate shorten ellipsis excerpt teaser snippet meta description limit",
    use_when=(
        "Shorten this description to 160 characters without cutting a word",
        "Make a teaser of the first 50 words",
        "Trim the text in the middle so that its start and end stay",
    ),
    examples=(
        Example(
            {"text": "The quick brown fox jumps over the lazy dog", "limit": 20},
            {"result": "The quick brown fox…", "was_cut": True, "omitted_words": 5},
            source="by hand: 19 characters and the ellipsis",
        ),
        Example(
            {"text": "a b c d e", "limit": 2, "unit": "words", "ellipsis": " [...]"}, {"result": "a b [...]"}, "by hand"
        ),
        Example(
            {"text": "abcdefghij", "limit": 5, "cut": "middle"}, {"result": "ab…ij", "omitted_words": 0}, "by hand"
        ),
        Refusal({"text": "abcdef", "limit": 2, "ellipsis": "..."}, "ellipsis"),
    ),
    reply={
        "result": "{result}",
        "": "The shortened text: {result}",
    },
)
def text_truncate_words(
    text: Text,
    limit: Annotated[int, About("Maximum number of remaining characters or words", 160, minimum=1, maximum=500_000)],
    unit: Annotated[
        Literal["characters", "words"], About("Unit of the limit; characters include the ellipsis")
    ] = "characters",
    cut: Annotated[Literal["end", "middle"], About("Where to truncate; middle only by characters")] = "end",
    ellipsis: Annotated[str, About("Text that marks the omission", max_length=20)] = "…",
) -> Shortened:
    """Shorten (truncate) a text to a length without cutting through a word, and mark the cut with an ellipsis.

    Truncating in the middle keeps the start and end, for example of paths and keys. Returns the text and the number of
    omitted words.
    """
    words = text.split()
    if (len(text) if unit == "characters" else len(words)) <= limit:
        return {"result": text, "was_cut": False, "omitted_words": 0}
    if unit == "words":
        ends = [match.end() for match in re.finditer(r"\S+", text)]
        return {"result": text[: ends[limit - 1]] + ellipsis, "was_cut": True, "omitted_words": len(words) - limit}
    room = limit - len(ellipsis)
    if room < 1:
        raise ToolError("The ellipsis leaves no room for text. Increase the limit, or shorten the ellipsis.")
    if cut == "middle":
        return {
            "result": text[: (room + 1) // 2] + ellipsis + text[len(text) - room // 2 :],
            "was_cut": True,
            "omitted_words": 0,
        }
    head = text[:room]
    if not text[room].isspace() and re.search(r"\s", head.strip()):
        head = re.sub(r"\s\S*$", "", head)
    head = head.rstrip(" \t\n,;:-\u2013\u2014")
    return {"result": head + ellipsis, "was_cut": True, "omitted_words": len(words) - len(head.split())}


def _join(lines: Sequence[str], join_hyphens: bool) -> str:
    result = [lines[0].rstrip()]
    for line in lines[1:]:
        if _LIST_ITEM.match(line):
            result.append("\n" + line.rstrip())
        elif re.search(r"[^\W\d_]-$", result[-1]) and line.lstrip()[:1].islower():
            result[-1] = result[-1][:-1] if join_hyphens else result[-1]
            result.append(line.strip())
        else:
            result.append(" " + line.strip())
    return "".join(result)


def _laid(text: str) -> Laid:
    return {"result": text, "lines": len(text.splitlines())}
