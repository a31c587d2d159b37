"""Tables of a request that are given to arguments as lists of records."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from retinue.models.candidates import Candidate
from retinue.models.columns import Records, are_records, names_columns, texts
from retinue.models.precedents import Precedent, nearest
from retinue.models.reading.data import data_in
from retinue.models.reading.series import tables_in_series
from retinue.models.reading.tables import Cell, Table, tables_under_heads

_STUDIED = 40
"""So many of the likest precedents tell how their tables became records."""
_BELIEVED = 0.8
"""The share of precedents with such a table in which it must be read rightly."""
_HALF = 0.5
_TEXTS, _NUMBERS = "name", "value"
"""What columns are called that have no name."""

_WORD = re.compile(r"[A-Za-z_]\w*")

Places = tuple[tuple[str, int], ...]
"""Which field of a record is which cell of a row."""


def with_records(question: str, tool: Candidate, known: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, and the tables of the request; without what names columns that they do not have."""
    found = recorded(question, tool, tool.input_schema["properties"].keys() - known.keys())
    columns = {column for records in found.values() for column in records[0]}
    strange = [
        name for name, value in known.items() if names_columns(tool, name) and not columns.issuperset(texts(value))
    ]
    return found | {name: value for name, value in known.items() if not columns or name not in strange}


def recorded(question: str, tool: Candidate, left: Collection[str]) -> dict[str, Records]:
    """For those arguments of `left` that are lists of records, the tables of the request, where precedents show that
    they become such records.
    """
    wanted = [name for name, schema in tool.input_schema.get("properties", {}).items() if _takes_records(schema)]
    tables = [table for table in tables_in(question) if _is_whole(table)]
    if not tables or not wanted:
        return {}
    taught = _taught(nearest(question, tool.precedents, _STUDIED), wanted)
    pairs = zip(wanted, tables, strict=False) if len(tables) <= len(wanted) else ()
    found = ((name, _records(table, tool, name, taught)) for name, table in pairs if name in left)
    return {name: records for name, records in found if records}


def tables_in(question: str) -> tuple[Table, ...]:
    """The tables of a request: those under heads, and where there are none, those told piece by piece; what JSON has
    is none.
    """
    return () if data_in(question).literals else tables_under_heads(question) or tables_in_series(question)


def _is_whole(table: Table) -> bool:
    """Whether no cell ends in the middle of a bracket or a list."""
    texts = [cell for row in table.rows for cell in row if isinstance(cell, str)]
    return all(text.count("(") == text.count(")") and not text.endswith(",") for text in texts)


def as_read(precedent: Precedent) -> Precedent:
    """A precedent that calls the columns of its table what they would be called had it been read, and not by names of
    its own: `WHERE value > 15` for `delay above 15: BA12 3, LH400 22`.
    """
    request, text = precedent
    arguments, tables = orjson.loads(text), tables_in(request)
    records = next((value for value in arguments.values() if are_records(value)), None)
    if records is None or not tables or (places := _places(tables[0], records)) is None:
        return precedent
    called = {field: _called(tables[0], place) for field, place in places}
    meant = {name: value if value is records else _renamed(value, called) for name, value in arguments.items()}
    return request, orjson.dumps(meant).decode()


def _renamed(value: Any, called: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(one, called) for one in value]
    if not isinstance(value, str):
        return value
    return _WORD.sub(lambda match: called.get(match[0], match[0]), value)


def _called(table: Table, place: int) -> str:
    """The name of a column; of texts and of numbers one needs none."""
    return table.columns[place] or (_TEXTS if isinstance(table.rows[0][place], str) else _NUMBERS)


def _taught(precedents: Iterable[Precedent], wanted: Sequence[str]) -> dict[Any, Counter[Any]]:
    """How tables of precedents became records: by their kinds of cells, how often which fields were which cells."""
    found: dict[Any, Counter[Any]] = {}
    for precedent in precedents:
        if lesson := _lesson(wanted[0], precedent):
            found.setdefault(lesson[0], Counter())[lesson[1]] += 1
    return found


@lru_cache(4096)
def _lesson(name: str, precedent: Precedent) -> tuple[Any, Places | None] | None:
    """The kinds of a precedent's first table, and which fields are which cells; None where they are not, and in all
    where it has no table or no records.
    """
    request, arguments = precedent
    tables, meant = tables_in(request), orjson.loads(arguments).get(name)
    return (_kinds(tables[0]), _places(tables[0], meant)) if tables and are_records(meant) else None


def _places(table: Table, meant: Records) -> Places | None:
    """Which fields are which cells, if all fields are some."""
    if len(meant) != len(table.rows) or any(record.keys() != meant[0].keys() for record in meant):
        return None
    found: list[tuple[str, int]] = []
    for field in meant[0]:
        used = [place for _, place in found]
        place = next(
            (
                place
                for place in range(len(table.rows[0]))
                if place not in used
                and all(_same(row[place], record[field]) for row, record in zip(table.rows, meant, strict=True))
            ),
            None,
        )
        if place is None:
            return None
        found.append((field, place))
    return tuple(found)


def _records(table: Table, tool: Candidate, name: str, taught: Mapping[Any, Counter[Any]]) -> Records | None:
    fields = tool.input_schema["properties"][name]["items"].get("properties", {})
    votes = taught.get(_kinds(table), Counter())
    needed = 1 if fields else len(table.columns)
    right = sum(count for places, count in votes.items() if places is not None and len(places) >= needed)
    if not fields:
        return _as_named(table) if right >= _HALF * votes.total() else None
    if not right or right < _BELIEVED * votes.total():
        return None
    places, count = Counter({one: votes[one] for one in votes if one is not None}).most_common(1)[0]
    if count < _BELIEVED * votes.total():
        return None
    return [{field: row[place] for field, place in places} for row in table.rows]


def _as_named(table: Table) -> Records | None:
    """Records with the names of the columns, if each has a name of its own."""
    names = [_called(table, place) for place in range(len(table.columns))]
    if len({*names}) < len(names) or not all(name[0].isalpha() for name in names):
        return None
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def _kinds(table: Table) -> tuple[bool, tuple[bool, ...]]:
    """Whether somebody names its columns in a head, and which of them are texts."""
    return all(table.columns), tuple(isinstance(cell, str) for cell in table.rows[0])


def _takes_records(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array" and schema.get("items", {}).get("type") == "object"


def _same(cell: Cell, value: Any) -> bool:
    if isinstance(cell, str):
        return isinstance(value, str) and cell.casefold() == value.casefold()
    return type(value) in (int, float, type(None)) and cell == value
