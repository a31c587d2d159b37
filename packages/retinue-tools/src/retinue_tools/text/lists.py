"""Messy lists: splitting into entries, and joining."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from string import ascii_lowercase
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._word_lists import word_list

_BULLET = re.compile(r"^\s*[-*+\u2022\u2023\u25e6\u25aa\u25cf\u2013\u2014\u2713\u2714]\s+(?:\[[ xX]\]\s+)?")
_NUMBER = re.compile(r"^\s*\(?(\d{1,4}|[a-zA-Z]|[ivxIVX]{1,5})[.)]\s+")
_LETTERS = list(ascii_lowercase)
_ROMAN = word_list("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")
_PLAIN_VALUE = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

Entries = Annotated[
    list[Annotated[str, About("An entry", max_length=10_000)]],
    About("Entries", ["apples", "pears", "plums"], min_items=1, max_items=10_000),
]
JoinStyle = Literal["lines", "comma", "sentence", "bullets", "numbered", "json", "sql_in", "quoted", "csv_column"]


class Cleaned(TypedDict):
    """The entries of a list."""

    items: Annotated[list[str], About("Entries in order")]
    count: Annotated[int, About("Number of entries")]
    separator: Annotated[str, About("Detected separator")]


class Joined(TypedDict):
    """A list joined to a text."""

    result: Annotated[str, About("The text")]


@tool(
    tags="list split clean bullets comma semicolon items parse numbered checklist separate",
    use_when=(
        "Turn 'apples, pears and plums' into a list",
        "Strip the bullets and numbers from this list",
        "Split these semicolon separated e-mail addresses",
    ),
    examples=(
        Example(
            {"text": "apples, pears, plums and  cherries"},
            {"items": ["apples", "pears", "plums", "cherries"], "count": 4, "separator": "comma"},
            source="by hand",
        ),
        Example(
            {"text": "1. Tea, green\n2) Milk\n\n- [x] Milk\n• Eggs", "unique": True},
            {"items": ["Tea, green", "Milk", "Eggs"], "separator": "line"},
            source="by hand",
        ),
        Example({"text": "tea, milk, Tea, eggs", "unique": True}, {"items": ["tea", "milk", "eggs"]}, "by hand"),
        Example({"text": '"Smith, J.", "Doe, A."'}, {"items": ["Smith, J.", "Doe, A."]}, "by hand"),
        Refusal({"text": " , ,"}, "no entries"),
    ),
    reply={
        "items": "The list has {count|entry|entries}: {items}",
        "": "The list is empty.",
    },
)
def text_split_list(
    text: Text,
    separator: Annotated[
        Literal["auto", "line", "comma", "semicolon", "tab", "pipe", "space", "slash"],
        About("Separator of the entries; auto detects it"),
    ] = "auto",
    unique: Annotated[bool, About("Whether to remove duplicate entries, ignoring case")] = False,
) -> Cleaned:
    """Turn a messy list into clean entries: lines with bullets or numbers, or one line separated by commas and 'and'.

    Quotation marks around entries are removed, and commas within them are kept. Returns the entries.
    """
    chosen = _separator(text) if separator == "auto" else separator
    entries = [entry for entry in (_clean(part) for part in _parts(text, chosen)) if entry]
    if unique:
        first: dict[str, str] = {}
        for entry in entries:
            first.setdefault(entry.casefold(), entry)
        entries = [*first.values()]
    if not entries:
        raise ToolError("There are no entries in the text.")
    return {"items": entries, "count": len(entries), "separator": chosen}


@tool(
    tags="join list format bullets sql in clause json array comma and quotes sentence",
    use_when=(
        "Write these names as 'A, B, and C'",
        "Make an SQL IN clause of these ids",
        "Turn the list into a JSON array or numbered list",
    ),
    examples=(
        Example({"items": ["a", "b", "c"], "style": "sentence"}, {"result": "a, b, and c"}, source="serial comma"),
        Example(
            {"items": ["1", "O'Hara"], "style": "sql_in"},
            {"result": "(1, 'O''Hara')"},
            source="SQL-92: quotes are doubled",
        ),
        Example({"items": ["a", "b"], "style": "sentence", "conjunction": "oder"}, {"result": "a oder b"}, "by hand"),
        Example({"items": ["a,b", 'c"'], "style": "csv_column"}, {"result": '"a,b"\n"c"""'}, source="RFC 4180"),
        Refusal({"items": [], "style": "json"}, "items"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_join_list(
    items: Entries,
    style: Annotated[JoinStyle, About("Output format; sql_in does not quote plain numbers")],
    conjunction: Annotated[str, About("Word before the last entry, for style sentence", max_length=20)] = "and",
) -> Joined:
    """Join entries to one text: a sentence with 'and', bullets, numbers, JSON, an SQL IN list, or a CSV column.

    Returns the text, quoted as required by the format.
    """
    if style == "sentence":
        return {"result": _sentence(items, conjunction)}
    return {"result": _STYLES[style](items)}


def _separator(text: str) -> str:
    """Return the line break if there are several lines, otherwise the most frequent separator."""
    if len([line for line in text.splitlines() if line.strip()]) > 1:
        return "line"
    marks = {"semicolon": ";", "tab": "\t", "pipe": "|", "comma": ",", "slash": " / "}
    return next(
        (name for name, mark in marks.items() if mark in text),
        "comma" if re.search(r"\s(?:and|or)\s", text) else "space",
    )


def _parts(text: str, separator: str) -> list[str]:
    if separator == "line":
        return _without_numbers([line for line in text.splitlines() if line.strip()])
    if separator == "space":
        return text.split()
    marks = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": r"\|", "slash": "/"}
    quoted = '"[^"]*"'
    parts = re.findall(rf"(?:{quoted}|[^{marks[separator]}\n\"]|\")+", text)
    if separator == "comma" and parts:
        parts = [*parts[:-1], *_split_at_and(re.sub(r"^\s*(?:and|or|&)\s+", "", parts[-1]))]
    return parts


def _split_at_and(text: str) -> list[str]:
    """Split at 'and' and 'or' outside quotation marks."""
    found = re.finditer(r'"[^"]*"|\s(?:and|or)\s', text)
    cuts = [match.span() for match in found if not match[0].startswith('"')]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _without_numbers(lines: list[str]) -> list[str]:
    """Strip numbers and letters such as 1. or a) if every line has one, or a bullet, and if they count."""
    found = [_NUMBER.match(line) for line in lines]
    labels = [one[1].lower() for one in found if one]
    marked = all(one or _BULLET.match(line) for one, line in zip(found, lines, strict=True))
    if not marked or not _count(labels):
        return lines
    return [line[one.end() if one else 0 :] for one, line in zip(found, lines, strict=True)]


def _count(labels: list[str]) -> bool:
    """Return whether numbers count 1, 2, 3, where they may begin again, and letters a, b, c or i, ii, iii."""
    numbers = [int(label) for label in labels if label.isdigit()]
    letters = [label for label in labels if not label.isdigit()]
    counts = all(number in (1, last + 1) for last, number in pairwise([0, *numbers]))
    return counts and letters in (_LETTERS[: len(letters)], _ROMAN[: len(letters)])


def _clean(entry: str) -> str:
    bare = _BULLET.sub("", entry).strip()
    for opening, closing in ('""', "''", "\u201c\u201d", "\u2018\u2019", "``"):
        if len(bare) > 1 and bare[0] == opening and bare[-1] == closing:
            return bare[1:-1].strip()
    return " ".join(bare.split())


def _sentence(items: Sequence[str], conjunction: str) -> str:
    if len(items) < 3:
        return f" {conjunction} ".join(items)
    comma = "," if conjunction in {"and", "or", "nor"} else ""
    return f"{', '.join(items[:-1])}{comma} {conjunction} {items[-1]}"


def _sql(value: str) -> str:
    return value if _PLAIN_VALUE.fullmatch(value) else "'" + value.replace("'", "''") + "'"


def _csv_column(items: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([item] for item in items)
    return text.getvalue().rstrip("\n")


_STYLES: Mapping[str, Callable[[Sequence[str]], str]] = {
    "lines": "\n".join,
    "comma": ", ".join,
    "bullets": lambda items: "\n".join(f"- {item}" for item in items),
    "numbered": lambda items: "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1)),
    "json": lambda items: json.dumps(list(items), ensure_ascii=False),
    "sql_in": lambda items: f"({', '.join(map(_sql, items))})",
    "quoted": lambda items: ", ".join(json.dumps(item, ensure_ascii=False) for item in items),
    "csv_column": _csv_column,
}
