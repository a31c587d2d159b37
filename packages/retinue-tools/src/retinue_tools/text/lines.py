"""Lines of a text: deduplication, filtering, comparison."""

import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Literal

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._entries import entries_of

IgnoreCase = Annotated[bool, About("Whether to ignore case")]


class Counted(TypedDict):
    """A line with its number of occurrences."""

    line: Annotated[str, About("The line as it first occurs")]
    count: Annotated[int, About("Number of occurrences")]


class Unique(TypedDict):
    """Lines without repetitions."""

    result: Annotated[str, About("Unique lines")]
    lines: Annotated[int, About("Number of unique lines")]
    removed: Annotated[int, About("Number of removed lines")]
    repeated: Annotated[list[Counted], About("Repeated lines, most frequent first, at most 200")]


class Numbered(TypedDict):
    """A line with its number."""

    number: Annotated[int, About("Line number in the text, from 1")]
    line: Annotated[str, About("The line")]


class Filtered(TypedDict):
    """Filtered lines."""

    result: Annotated[str, About("Lines kept")]
    kept: Annotated[int, About("Number of lines kept, without context")]
    of_lines: Annotated[int, About("Total number of lines")]
    matches: Annotated[list[Numbered], About("Kept lines with their numbers, the first 200")]


class Compared(TypedDict):
    """Comparison of two lists."""

    only_first: Annotated[list[str], About("Entries only in the first list, in its order")]
    only_second: Annotated[list[str], About("Entries only in the second list, in its order")]
    both: Annotated[list[str], About("Entries in both, in the order of the first")]
    same: Annotated[bool, About("Whether both have the same entries, ignoring order and repetitions")]
    jaccard: Annotated[float, About("Jaccard index: entries in both divided by all distinct ones, from 0 to 1")]


@tool(
    tags="duplicate lines remove unique distinct dedupe list count repeats",
    use_when=(
        "Remove duplicate lines from this list",
        "Which e-mail addresses occur twice here?",
        "Keep each entry once, ignoring case and spaces",
        "Delete double lines from a list",
    ),
    examples=(
        Example(
            {"text": "b\na\nb\nc\na\nb"},
            {
                "result": "b\na\nc",
                "lines": 3,
                "removed": 3,
                "repeated": [{"line": "b", "count": 3}, {"line": "a", "count": 2}],
            },
            source="by hand",
        ),
        Example(
            {"text": "A\na \nB", "ignore_case": True, "keep": "never_repeated"}, {"result": "B", "lines": 1}, "by hand"
        ),
        Example({"text": "red, blue, red, green"}, {"result": "red, blue, green", "removed": 1}, source="by hand"),
        Refusal({"text": "a", "keep": "some"}, "keep"),
    ),
    reply={
        "removed": "I removed {removed|repeated line}: {result}",
        "": "No line is repeated: {result}",
    },
)
def text_deduplicate_lines(
    text: Text,
    ignore_case: IgnoreCase = False,
    keep: Annotated[
        Literal["first", "last", "never_repeated"],
        About("Which of equal lines to keep; never_repeated drops all of them"),
    ] = "first",
) -> Unique:
    """Remove repeated lines without changing the order; surrounding spaces are ignored.

    A single line with commas or semicolons is treated as a list. Returns the unique lines, and the repeated ones with
    their counts.
    """
    lines, joint = entries_of(text)
    keys = [line.casefold() if ignore_case else line for line in lines]
    counts = Counter(keys)
    first = dict(reversed(list(zip(keys, lines, strict=True))))
    if keep == "never_repeated":
        rest = [line for key, line in zip(keys, lines, strict=True) if counts[key] == 1]
    elif keep == "last":
        rest = _last_of_each(keys, lines)
    else:
        rest = [first[key] for key in counts]
    repeated: list[Counted] = [
        {"line": first[key], "count": count} for key, count in counts.most_common(200) if count > 1
    ]
    return {"result": joint.join(rest), "lines": len(rest), "removed": len(lines) - len(rest), "repeated": repeated}


@tool(
    tags="grep filter lines pattern regex search log keep drop contains context",
    use_when=(
        "Show only the lines of this log that contain ERROR",
        "Drop all comment lines that begin with #",
        "Which lines match this regular expression, with one line of context?",
    ),
    examples=(
        Example(
            {"text": "INFO a\nERROR b\ninfo c", "pattern": "error"},
            {"result": "ERROR b", "kept": 1, "of_lines": 3, "matches": [{"number": 2, "line": "ERROR b"}]},
            source="by hand",
        ),
        Example(
            {"text": "# x\na=1\n  # y\nb=2", "pattern": r"^\s*#", "kind": "regex", "keep": "not_matching"},
            {"result": "a=1\nb=2", "kept": 2},
            source="by hand",
        ),
        Example({"text": "1\n2\n3\n4\n5", "pattern": "3", "context": 1}, {"result": "2\n3\n4", "kept": 1}, "by hand"),
        Refusal({"text": "a", "pattern": "(", "kind": "regex"}, "not a regular expression"),
    ),
    reply={
        "result": "{kept} of {of_lines|line}: {result}",
        "": "No line is left.",
    },
)
def text_filter_lines(
    text: Text,
    pattern: Annotated[str, About("Text to search for", "ERROR", min_length=1, max_length=1000)],
    kind: Annotated[Literal["contains", "whole_line", "regex"], About("Kind of search")] = "contains",
    keep: Annotated[Literal["matching", "not_matching"], About("Which lines to keep")] = "matching",
    ignore_case: IgnoreCase = True,
    context: Annotated[int, About("Number of context lines before and after each match", minimum=0, maximum=50)] = 0,
) -> Filtered:
    """Keep or drop the lines of a text that contain a string or match a regular expression, like grep.

    Returns the lines, the number of matches, and the line numbers.
    """
    lines = text.splitlines()
    matches = _matcher(pattern, kind, ignore_case)
    try:
        hits = [number for number, line in enumerate(lines) if matches(line) == (keep == "matching")]
    except TimeoutError as error:
        raise ToolError("The regular expression takes too long on this text. Simplify it.") from error
    chosen = sorted({near for hit in hits for near in range(max(0, hit - context), min(len(lines), hit + context + 1))})
    found: list[Numbered] = [{"number": hit + 1, "line": lines[hit]} for hit in hits[:200]]
    return {
        "result": "\n".join(lines[number] for number in chosen),
        "kept": len(hits),
        "of_lines": len(lines),
        "matches": found,
    }


@tool(
    tags="compare lists difference common intersection missing lines set union venn",
    use_when=(
        "Which names are in the first list but not in the second?",
        "What do these two lists have in common?",
        "Find the e-mail addresses that are missing from the new list",
        "Who is missing on the second list?",
    ),
    examples=(
        Example(
            {"first": "Ann\nbob\nCid\nbob", "second": "Bob\nDora"},
            {"only_first": ["Ann", "Cid"], "only_second": ["Dora"], "both": ["bob"], "same": False, "jaccard": 0.25},
            source="by hand",
        ),
        Example({"first": "a\nB", "second": "B\na\n", "ignore_case": False}, {"same": True, "jaccard": 1.0}, "by hand"),
        Refusal({"first": " ", "second": " "}, "empty"),
    ),
    reply={
        "same": "Both lists have the same entries.",
        "only_first, only_second, both": (
            "Only in the first are {only_first}, only in the second {only_second}, and in both {both}."
        ),
        "only_first, only_second": (
            "Only in the first are {only_first} and only in the second {only_second}; they have nothing in common."
        ),
        "only_first, both": "Only in the first are {only_first}, and in both {both}.",
        "only_second, both": "Only in the second are {only_second}, and in both {both}.",
        "only_first": "Only in the first are: {only_first}",
        "only_second": "Only in the second are: {only_second}",
    },
)
def text_compare_lists(
    first: Annotated[Text, About("First list, one entry per line or separated by commas or semicolons")],
    second: Annotated[Text, About("Second list, in the same form")],
    ignore_case: IgnoreCase = True,
) -> Compared:
    """Compare two lists: what only one has, and what both have.

    Give one entry per line, or one line separated by commas or semicolons. Surrounding spaces, blank lines, repetitions
    and order are ignored. Returns the three lists and their overlap.
    """
    left, right = _entries(first, ignore_case), _entries(second, ignore_case)
    if not left and not right:
        raise ToolError("Both lists are empty.")
    both = [line for key, line in left.items() if key in right]
    return {
        "only_first": [line for key, line in left.items() if key not in right],
        "only_second": [line for key, line in right.items() if key not in left],
        "both": both,
        "same": left.keys() == right.keys(),
        "jaccard": round(len(both) / len(left.keys() | right.keys()), 4),
    }


def _entries(text: str, ignore_case: bool) -> dict[str, str]:
    """Return the distinct lines by their comparison key."""
    entries: dict[str, str] = {}
    for line in entries_of(text, fewest=2)[0]:
        entry = unicodedata.normalize("NFC", line)
        entries.setdefault(entry.casefold() if ignore_case else entry, entry)
    return entries


def _last_of_each(keys: list[str], lines: list[str]) -> list[str]:
    places = {key: place for place, key in enumerate(keys)}
    return [lines[place] for place in sorted(places.values())]


def _matcher(pattern: str, kind: str, ignore_case: bool) -> Callable[[str], bool]:
    if kind == "regex":
        try:
            compiled = regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
        except regex.error as error:
            raise ToolError(f"This is not a regular expression: {error}.") from error
        return lambda line: compiled.search(line, timeout=0.3) is not None
    needle = pattern.casefold() if ignore_case else pattern
    fold: Callable[[str], str] = str.casefold if ignore_case else str
    return (lambda line: needle in fold(line)) if kind == "contains" else (lambda line: needle == fold(line))
