"""Search, replacement and splitting by literal strings and regular expressions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text.letter_case import with_capitals_of

_TIMEOUT_S = 0.3
"""CPU time, which can be several times as long by the clock on a busy machine."""
_MOST_RESULT = 2_000_000

Pattern = Annotated[
    str,
    About(
        r"Regular expression in the syntax of Python's regex library: (?P<name>…), lookbehind, \p{L}, (?i)",
        r"(?P<key>\w+)=(?P<value>\d+)",
        min_length=1,
        max_length=2000,
    ),
]
Flags = Annotated[
    list[Literal["ignore_case", "multiline", "dotall", "verbose", "ascii"]] | None,
    About("multiline: ^ and $ match at each line; dotall: . matches line ends too", ["ignore_case"], max_items=5),
]


class Replaced(TypedDict):
    """A text with replacements."""

    result: Annotated[str, About("The text")]
    replacements: Annotated[int, About("Number of replacements")]


class Found(TypedDict):
    """A match of a regular expression."""

    match: Annotated[str, About("Matched text")]
    start: Annotated[int, About("Start position, in characters from 0")]
    end: Annotated[int, About("End position")]
    groups: Annotated[list[str | None], About("Captured groups; null for a group that did not participate")]
    named: Annotated[dict[str, str | None], About("Captured named groups")]


class FoundAll(TypedDict):
    """All matches."""

    texts: Annotated[list[str], About("Matched texts in order")]
    matches: Annotated[list[Found], About("Matches with positions and groups")]
    count: Annotated[int, About("Total number of matches")]


class Parts(TypedDict):
    """A text in parts."""

    parts: Annotated[list[str], About("Parts between the matches, and captured groups")]
    count: Annotated[int, About("Number of parts")]


@tool(
    tags="regex regular expression match find all groups search extract pattern",
    use_when=(
        r"Find all matches of \d{4}-\d{2} in this text",
        "Extract key=value pairs with a regular expression",
        "Which part of this text does my regex catch?",
    ),
    examples=(
        Example(
            {"text": "a=1; b=22", "pattern": r"(?P<key>\w)=(\d+)"},
            {
                "texts": ["a=1", "b=22"],
                "matches": [
                    {"match": "a=1", "start": 0, "end": 3, "groups": ["a", "1"], "named": {"key": "a"}},
                    {"match": "b=22", "start": 5, "end": 9, "groups": ["b", "22"], "named": {"key": "b"}},
                ],
                "count": 2,
            },
            source="by hand",
        ),
        Example({"text": "A\nb", "pattern": "^[a-z]$", "flags": ["ignore_case", "multiline"]}, {"count": 2}, "by hand"),
        Refusal({"text": "a", "pattern": "(a"}, "not a regular expression"),
        Refusal({"text": "a" * 40 + "b", "pattern": r"(?:a|a|aa)+\1?$|(a+)+(a+)+(a+)+c"}, "expression"),
    ),
    reply={
        "texts.1": "There are {count|match|matches}: {texts}",
        "texts": "The match is {texts.0}.",
        "": "There is no match in the text.",
    },
)
def text_match_regex(
    text: Text,
    pattern: Pattern,
    flags: Flags = None,
    top: Annotated[int, About("Maximum number of matches", minimum=1, maximum=5000)] = 500,
) -> FoundAll:
    """Find all matches of a regular expression with their positions and groups.

    Returns the matches, numbered groups and named groups. Patterns that take too long are stopped.
    """
    found: list[Found] = []
    count = 0
    for match in _matches(pattern, text, flags):
        count += 1
        if len(found) < top:
            caught = {str(name): value for name, value in match.groupdict().items()}
            start, end = match.span()
            found.append(
                {"match": match[0], "start": start, "end": end, "groups": list(match.groups()), "named": caught}
            )
    return {"texts": [one["match"] for one in found], "matches": found, "count": count}


@tool(
    tags="regex replace substitute regular expression sub backreference groups",
    use_when=(
        "Change dates like 31/12/2026 to 2026-12-31 with a regex",
        "Swap first and last names with a regular expression",
        "Delete everything in parentheses",
    ),
    examples=(
        Example(
            {"text": "on 31/12/2026", "pattern": r"(\d+)/(\d+)/(\d+)", "replacement": r"\3-\2-\1"},
            {"result": "on 2026-12-31", "replacements": 1},
            source="by hand",
        ),
        Example(
            {"text": "x1 y2 z3", "pattern": r"(?P<l>\w)(\d)", "replacement": r"\2\g<l>", "most": 2},
            {"result": "1x 2y z3", "replacements": 2},
            source="by hand",
        ),
        Refusal({"text": "a", "pattern": "a", "replacement": r"\2"}, "replacement"),
    ),
    reply={
        "replacements": "The text with {replacements|replacement}: {result}",
        "": "There was nothing to replace: {result}",
    },
)
def text_replace_regex(
    text: Text,
    pattern: Pattern,
    replacement: Annotated[str, About("Replacement; \\1 or \\g<name> refer to groups", r"\2 \1", max_length=10_000)],
    flags: Flags = None,
    most: Annotated[int, About("Maximum number of replacements; 0 for all", minimum=0, maximum=1_000_000)] = 0,
) -> Replaced:
    """Replace the matches of a regular expression, with references to its groups.

    Returns the text and the number of replacements.
    """
    compiled = _compile(pattern, flags)
    try:
        result, count = compiled.subn(replacement, text, count=most, timeout=_TIMEOUT_S)
    except TimeoutError as error:
        raise _too_long() from error
    except (regex.error, IndexError) as error:
        raise ToolError(f"The replacement is not valid for the pattern: {error}.") from error
    return {"result": check_length(str(result)), "replacements": int(count)}


@tool(
    tags="regex split separate pattern delimiter regular expression",
    use_when=(
        "Split this text at every comma or semicolon",
        "Cut the log where a line begins with a date",
        "Separate the words wherever there are digits",
    ),
    examples=(
        Example({"text": "a, b;c", "pattern": r"\s*[,;]\s*"}, {"parts": ["a", "b", "c"], "count": 3}, source="by hand"),
        Example({"text": "1a2b3", "pattern": r"[a-z]", "most": 1}, {"parts": ["1", "2b3"]}, source="by hand"),
        Refusal({"text": "a", "pattern": "[z"}, "not a regular expression"),
    ),
    reply="The {count|part}: {parts}",
)
def text_split_regex(
    text: Text,
    pattern: Pattern,
    flags: Flags = None,
    most: Annotated[int, About("Maximum number of splits; 0 for all", minimum=0, maximum=100_000)] = 0,
    skip_empty: Annotated[bool, About("Whether to omit empty parts")] = False,
) -> Parts:
    """Split a text wherever a regular expression matches; captured groups become parts too.

    Returns the parts in order.
    """
    compiled = _compile(pattern, flags)
    try:
        parts = compiled.split(text, maxsplit=most, timeout=_TIMEOUT_S)
    except TimeoutError as error:
        raise _too_long() from error
    texts = [str(part or "") for part in parts if part or not skip_empty]
    return {"parts": texts, "count": len(texts)}


def _matches(pattern: str, text: str, flags: Sequence[str] | None) -> Iterator[Any]:
    try:
        yield from _compile(pattern, flags).finditer(text, timeout=_TIMEOUT_S)
    except TimeoutError as error:
        raise _too_long() from error


def _compile(pattern: str, flags: Sequence[str] | None) -> Any:
    known: Mapping[str, Any] = {
        "ignore_case": regex.IGNORECASE,
        "multiline": regex.MULTILINE,
        "dotall": regex.DOTALL,
        "verbose": regex.VERBOSE,
        "ascii": regex.ASCII,
    }
    combined = regex.V0
    for flag in flags or ():
        combined |= known[flag]
    try:
        return regex.compile(pattern, combined)
    except (regex.error, ValueError, RecursionError, OverflowError) as error:
        raise ToolError(
            f"This is not a regular expression: {error}. Escape special characters with a backslash."
        ) from error


def _too_long() -> ToolError:
    return ToolError("The regular expression takes too long on this text. Avoid nested repetitions such as (a+)+.")


def check_length(text: str) -> str:
    """Return the text. Raises `ToolError` if it is too long for a result."""
    if len(text) > _MOST_RESULT:
        raise ToolError(f"The result would have more than {_MOST_RESULT:,} characters.")
    return text


class Pair(TypedDict):
    """A replacement."""

    find: Annotated[str, About("Text to search for", "colour", min_length=1, max_length=10_000)]
    replace: Annotated[str, About("Replacement; empty deletes", "color", max_length=10_000)]


class ReplacedPairs(Replaced):
    """A text with several replacements."""

    by_pair: Annotated[list[int], About("Number of replacements for each pair, in order")]


@tool(
    tags="find replace substitute strings bulk many dictionary search",
    use_when=(
        "Replace 'colour' by 'color' and 'centre' by 'center' everywhere",
        "Swap the names Alice and Bob in this story",
        "Delete every occurrence of these words",
        "Find and replace a word",
    ),
    examples=(
        Example(
            {
                "text": "Bob met Alice.",
                "pairs": [{"find": "Bob", "replace": "Alice"}, {"find": "Alice", "replace": "Bob"}],
            },
            {"result": "Alice met Bob.", "replacements": 2, "by_pair": [1, 1]},
            source="by hand: all at once, so a swap works",
        ),
        Example(
            {
                "text": "Cat cat concat CAT",
                "pairs": [{"find": "cat", "replace": "dog"}],
                "whole_words": True,
                "case": "ignore_and_keep",
            },
            {"result": "Dog dog concat DOG", "replacements": 3},
            source="by hand",
        ),
        Refusal({"text": "a", "pairs": [{"find": "", "replace": "b"}]}, "find"),
    ),
    reply={
        "replacements": "The text with {replacements|replacement}: {result}",
        "": "There was nothing to replace: {result}",
    },
)
def text_replace_strings(
    text: Text,
    pairs: Annotated[
        list[Pair],
        About("Replacements, all applied at once", [{"find": "tea", "replace": "chai"}], min_items=1, max_items=500),
    ],
    whole_words: Annotated[bool, About("Whether to match whole words only")] = False,
    case: Annotated[
        Literal["exact", "ignore", "ignore_and_keep"],
        About("ignore_and_keep gives the replacement the capitals of the matched text"),
    ] = "exact",
) -> ReplacedPairs:
    """Replace many literal strings in a text at once; replacements are not replaced again.

    If several strings match, the longest wins. Returns the text and the number of replacements of each pair.
    """
    keys = {_fold(pair["find"], case): number for number, pair in reversed(list(enumerate(pairs)))}
    ordered = sorted({pair["find"] for pair in pairs}, key=len, reverse=True)
    body = "|".join(map(re.escape, ordered))
    pattern = re.compile(rf"(?<!\w)(?:{body})(?!\w)" if whole_words else body, re.IGNORECASE if case != "exact" else 0)
    counts = [0] * len(pairs)

    def replacement(match: re.Match[str]) -> str:
        number = keys.get(_fold(match[0], case))
        if number is None:
            return match[0]
        counts[number] += 1
        value = pairs[number]["replace"]
        return with_capitals_of(match[0], value) if case == "ignore_and_keep" else value

    result = check_length(pattern.sub(replacement, text))
    return {"result": result, "replacements": sum(counts), "by_pair": counts}


def _fold(text: str, case: str) -> str:
    return text if case == "exact" else text.casefold()
