"""Lines of a text: sorted, made unique, filtered, numbered, shuffled, compared."""

import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Literal

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._entries import entries_of

IgnoreCase = Annotated[bool, About("Whether upper and lower case are the same")]


class Counted(TypedDict):
    """A line and how often it occurs."""

    line: Annotated[str, About("The line as it stands first")]
    count: Annotated[int, About("How often it occurs")]


class Unique(TypedDict):
    """Lines without repetitions."""

    result: Annotated[str, About("The lines, each once")]
    lines: Annotated[int, About("How many there are")]
    removed: Annotated[int, About("How many were left out")]
    repeated: Annotated[
        list[Counted], About("Lines that occurred more than once, the most frequent first, at most 200")
    ]


class Numbered(TypedDict):
    """A line with its number."""

    number: Annotated[int, About("Its number in the text, from 1")]
    line: Annotated[str, About("The line")]


class Filtered(TypedDict):
    """Lines that were kept."""

    result: Annotated[str, About("The lines that were kept")]
    kept: Annotated[int, About("How many match")]
    of_lines: Annotated[int, About("How many lines the text has")]
    matches: Annotated[list[Numbered], About("The first 200 of them with their numbers")]


class Compared(TypedDict):
    """Two lists beside each other."""

    only_first: Annotated[list[str], About("What only the first list has, in its order")]
    only_second: Annotated[list[str], About("What only the second list has, in its order")]
    both: Annotated[list[str], About("What both have, in the order of the first")]
    same: Annotated[bool, About("Whether both have the same entries, whatever their order and number")]
    jaccard: Annotated[float, About("Entries in both divided by all different ones, from 0 to 1")]


@tool(
    tags="duplicate lines remove unique distinct dedupe list count repeats",
    use_when=(
        "Remove duplicate lines from this list",
        "Which e-mail addresses occur twice here?",
        "Keep each entry once, ignoring case and spaces",
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
)
def text_deduplicate_lines(
    text: Text,
    ignore_case: IgnoreCase = False,
    keep: Annotated[
        Literal["first", "last", "never_repeated"],
        About("Which line of equal ones stays; never_repeated drops all of them"),
    ] = "first",
) -> Unique:
    """Remove repeated lines without changing the order; spaces around lines do not count.

    A single line with commas or semicolons is a list of its own. Returns the unique lines, and which ones were repeated
    how often.
    """
    lines, joint = entries_of(text)
    keys = [line.casefold() if ignore_case else line for line in lines]
    counts = Counter(keys)
    first = dict(reversed(list(zip(keys, lines, strict=True))))
    if keep == "never_repeated":
        kept = [line for key, line in zip(keys, lines, strict=True) if counts[key] == 1]
    elif keep == "last":
        kept = _last_of_each(keys, lines)
    else:
        kept = [first[key] for key in counts]
    repeated: list[Counted] = [
        {"line": first[key], "count": count} for key, count in counts.most_common(200) if count > 1
    ]
    return {"result": joint.join(kept), "lines": len(kept), "removed": len(lines) - len(kept), "repeated": repeated}


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
)
def text_filter_lines(
    text: Text,
    pattern: Annotated[str, About("What to look for", "ERROR", min_length=1, max_length=1000)],
    kind: Annotated[Literal["contains", "whole_line", "regex"], About("How to look")] = "contains",
    keep: Annotated[Literal["matching", "not_matching"], About("Which lines stay")] = "matching",
    ignore_case: IgnoreCase = True,
    context: Annotated[int, About("Lines to show before and after each match", minimum=0, maximum=50)] = 0,
) -> Filtered:
    """Keep or drop the lines of a text that contain a string or match a regular expression, like grep.

    Returns the lines, how many match, and their numbers.
    """
    lines = text.splitlines()
    matches = _matcher(pattern, kind, ignore_case)
    try:
        hits = [number for number, line in enumerate(lines) if matches(line) == (keep == "matching")]
    except TimeoutError as error:
        raise ToolError("The regular expression takes too long on this text. Make it simpler.") from error
    shown = sorted({near for hit in hits for near in range(max(0, hit - context), min(len(lines), hit + context + 1))})
    found: list[Numbered] = [{"number": hit + 1, "line": lines[hit]} for hit in hits[:200]]
    return {
        "result": "\n".join(lines[number] for number in shown),
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
)
def text_compare_lists(first: Text, second: Text, ignore_case: IgnoreCase = True) -> Compared:
    """Compare two lists: what only one has, and what both have.

    Entries stand one a line, or in one line between commas or semicolons. Spaces around entries, blank lines,
    repetitions and order do not count. Returns the three lists and their overlap.
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
    """The different lines by what they are compared by."""
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
    wanted = pattern.casefold() if ignore_case else pattern
    fold: Callable[[str], str] = str.casefold if ignore_case else str
    return (lambda line: wanted in fold(line)) if kind == "contains" else (lambda line: wanted == fold(line))
