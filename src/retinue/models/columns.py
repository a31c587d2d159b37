"""Arguments that name a part of records which another argument has: a column, or what stands in a cell."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import orjson

from retinue.models.candidates import Candidate

_SELDOM = 0.25
"""A share of precedents, below which a kind of part is an exception."""
_OTHERS = 0.1
"""The share of precedents that may name something else there."""
_CELLS_FROM = 5
"""So many precedents must name cells: fewer may do so by chance."""

Records = list[dict[str, Any]]
Part = Literal["numbers", "texts", "cell"]
"""A column of numbers, a column of something else, and a text that is a cell."""


def columns_of(known: Mapping[str, Any]) -> dict[str, list[str]]:
    """What the columns are called of those arguments that are records."""
    return {name: list(value[0]) for name, value in known.items() if are_records(value)}


def bounded_to_parts(tool: Candidate, known: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of arguments that name parts of records that are known: each is one of those of the kinds that
    precedents name there.
    """
    records = next((value for value in known.values() if are_records(value)), None)
    found = ((name, _parts(records or [], _kinds(tool, name))) for name in asked)
    return {name: _one_of(asked[name], parts) for name, parts in found if parts}


def names_columns(tool: Candidate, name: str) -> bool:
    """Whether an argument names columns, as far as precedents show."""
    return not _kinds(tool, name).isdisjoint({"numbers", "texts"})


def are_records(value: Any) -> bool:
    """Whether a value is a list of several objects."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) for one in value)


def texts(value: Any) -> Sequence[Any]:
    """A list, or one value as a list."""
    return value if isinstance(value, list) else [value]


def _kinds(tool: Candidate, name: str) -> frozenset[Part]:
    return _kinds_in(name, tuple(tool.precedents))


@lru_cache(1024)
def _kinds_in(name: str, precedents: tuple[tuple[str, str], ...]) -> frozenset[Part]:
    """The kinds of parts that an argument names in precedents."""
    kinds = Counter(kind for _, arguments in precedents for kind in _kinds_of(name, orjson.loads(arguments)))
    if kinds[None] > _OTHERS * kinds.total() or 0 < kinds["cell"] < _CELLS_FROM:
        return frozenset()
    return frozenset(kind for kind, count in kinds.items() if kind and count >= _SELDOM * kinds.total())


def _kinds_of(name: str, arguments: Mapping[str, Any]) -> Iterator[Part | None]:
    """The kinds of parts that an argument names beside the first records; None for what is no part of them."""
    records = next((value for value in arguments.values() if are_records(value)), None)
    named = arguments.get(name)
    if records is None or named is None or named is records:
        return
    for one in texts(named):
        if isinstance(one, str) and one in records[0]:
            yield "numbers" if _is_numeric(records, one) else "texts"
        else:
            yield "cell" if one in _cells(records) else None


def _parts(records: Records, kinds: Container[Part]) -> list[str]:
    if not records:
        return []
    columns = [key for key in records[0] if ("numbers" if _is_numeric(records, key) else "texts") in kinds]
    return columns + (_cells(records) if "cell" in kinds else [])


def _cells(records: Records) -> list[str]:
    """The texts of all cells, each once."""
    return [*dict.fromkeys(cell for record in records for cell in record.values() if isinstance(cell, str))]


def _is_numeric(records: Records, key: str) -> bool:
    return all(isinstance(record.get(key), int | float | None) for record in records)


def _one_of(schema: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    if schema.get("type") == "array":
        return {**schema, "items": {**schema.get("items", {}), "enum": list(names)}}
    return {**schema, "enum": list(names)}
