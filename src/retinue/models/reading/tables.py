"""Tables that people tell in a request: rows of cells under a head, as `name,city; Ana,Porto; Bo,Oslo`."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from retinue.models.reading.bounds import number, read

Cell = str | float | None
Row = tuple[Cell, ...]

FEWEST = 2
"""Rows that make a table."""

FIGURE = re.compile(
    r"(?<![\w.:/-])[-+\u2212]?[$\u20ac\u00a3]?(?P<size>\d{1,3}(?:,\d{3})+|\d{1,15})(?P<part>\.\d{1,15})?(?P<many>k\b)?"
    r"(?!\w*[-:/]\d)(?P<unit>\s?(?:%|\u00b0[CF]?|[A-Za-z\u00b5]{1,3}(?:\u00b2|\u00b3|/[A-Za-z]{1,9})?(?!\w)))?"
)
"""A number with its unit; dates and times of day are none."""

_MOST_HEADS = 8
"""What may be a head that often is something else."""

_MARK = r"(?P<mark>[,;/|\t])"
_NAME = r"[A-Za-z_][\w%-]{0,30}"
_HEADS = (
    re.compile(
        rf"(?<![\w,/;|])(?P<names>{_NAME}{_MARK} ?{_NAME}(?:(?P=mark) ?{_NAME}){{0,9}})"
        r"(?=\s{0,3}(?:\n|\\n|:|;| / | - ))"
    ),
    re.compile(rf"\((?:columns?:? )?(?P<names>{_NAME}(?:{_MARK} ?{_NAME})(?:(?P=mark) ?{_NAME}){{0,9}})\)"),
)
"""Names of columns before their rows, and in brackets beside them."""

_BETWEEN_NAMES = re.compile(r" ?[,;/|\t] ?")
_AFTER_HEAD = re.compile(
    r"(?:[\s:;/)-]|\\n|\b(?:has|with|holds|contains|the|these|rows?|values?|data|are|of|is)\b){0,20}", re.IGNORECASE
)
_ROW_MARKS = tuple(map(re.compile, (r"\)\s?[,;]?\s?\(", r"\r?\n|\\n", r";\s?", r"\s{1,3}/\s{1,3}", r",\s")))
_CELL_MARKS = tuple(map(re.compile, (r"\s{0,3},\s{0,3}", r"\s{0,3}\|\s{0,3}", r"\t|\\t", "/", r"\s{1,3}", r";\s?")))
_SENTENCE_ENDS = re.compile(r"[.?!:)]\s|[?!]|[.:]$")
_LAST_CELL = re.compile(
    r"\s{0,20}+([-+]?[$\u20ac\u00a3]?\d{1,40}+(?:[.,]{1,3}+\d{1,40}+){0,10}+%?|[^\s.?!:]+)(?=[\s.?!:)]|$)"
)
_QUOTES = "\"'\u201c\u201d"


class Table(NamedTuple):
    """Rows of as many cells each, and what the columns are called: nothing where nobody says so."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@lru_cache(512)
def tables_under_heads(request: str) -> tuple[Table, ...]:
    """The tables of a request of which it names the columns; none of a very long one."""
    text = read(request)
    return next((found for head in _HEADS if (found := tuple(_under(head, text)))), ())


def value_of(figure: re.Match[str]) -> float:
    """What a `FIGURE` says."""
    size = number(figure["size"].replace(",", "") + (figure["part"] or ""))
    size = size * 1000 if figure["many"] else size
    return -size if figure[0].lstrip()[:1] in {"-", "\u2212"} else size


def _under(head: re.Pattern[str], text: str) -> Iterator[Table]:
    for match in islice(head.finditer(text), _MOST_HEADS):
        names = tuple(_BETWEEN_NAMES.split(match["names"]))
        behind, before = _AFTER_HEAD.sub("", text[match.end() :], count=1), text[: match.start()].rpartition(": ")[2]
        rows = _rows(behind, len(names), match["mark"]) or _rows(before, len(names), match["mark"])
        if rows and len({*names}) == len(names):
            yield Table(names, rows)


def _rows(text: str, size: int, mark: str) -> tuple[Row, ...]:
    """The rows that a text begins with, by the marks that yield the most of them."""
    marks = (re.compile(rf"\s{{0,3}}{re.escape(mark)}\s{{0,3}}"), *_CELL_MARKS)
    for between in _ROW_MARKS:
        parts = between.split(text)
        best = max((_parted(parts, one, size) for one in marks), key=len)
        if best:
            return best
    return ()


def _parted(parts: Sequence[str], mark: re.Pattern[str], size: int) -> tuple[Row, ...]:
    """Rows of so many cells from the first part on; behind the last one the request may go on."""
    rows: list[Row] = []
    for part in parts:
        bare = part.strip().strip("()")
        cells = mark.split(bare)
        if len(cells) < size:
            break
        is_last = len(cells) > size or _SENTENCE_ENDS.search(cells[-1]) is not None
        if is_last:
            cells = mark.split(bare, size - 1)
            if not (last := _LAST_CELL.match(cells[-1])):
                break
            cells[-1] = last[1]
        rows.append(tuple(map(_cell, cells)))
        if is_last:
            break
    return _ended(rows) if len(rows) >= FEWEST else ()


def _ended(rows: list[Row]) -> tuple[Row, ...]:
    """Rows of which the last cell is like those above it: what the request says behind it is no part of it."""
    last, above = rows[-1][-1], [row[-1] for row in rows[:-1]]
    if isinstance(last, str):
        texts = [one for one in above if isinstance(one, str)]
        if texts:
            last = " ".join(last.split()[: max(len(one.split()) for one in texts)]).rstrip(",:")
        elif figure := FIGURE.match(last):
            last = value_of(figure)
        elif None in above:
            last = None
    return (*rows[:-1], (*rows[-1][:-1], last))


def _cell(text: str) -> Cell:
    bare = text.strip().strip(_QUOTES)
    figure = FIGURE.fullmatch(bare)
    if figure and not figure["unit"] and not bare.startswith("+"):
        return value_of(figure)
    return bare or None
