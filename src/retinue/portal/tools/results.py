"""Format a tool's result as facts, tables and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

_LONGEST = 50_000
"""Maximum characters of a JSON text that is split into parts."""

_MOST_ROWS = 50
_MOST_COLUMNS = 10


@dataclass
class FormattedResult:
    """The parts of a result. Values that are neither facts nor tables appear only in the JSON."""

    facts: dict[str, object] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    tables: dict[str, "ResultTable"] = field(default_factory=dict)
    lists: dict[str, list[object]] = field(default_factory=dict)


@dataclass(frozen=True)
class ResultTable:
    """Records with the same fields."""

    columns: list[str]
    rows: list[list[object]]
    more: int


def parts_of(result: Mapping[str, object]) -> FormattedResult:
    """Split a result into its parts."""
    parts = FormattedResult()
    for name, value in result.items():
        if isinstance(value, str) and ("\n" in value or len(value) > 200):
            parts.texts[name] = value
        elif _is_scalar(value):
            parts.facts[name] = value
        elif isinstance(value, list) and value and all(map(_is_record, value)):
            parts.tables[name] = _table(value)
        elif isinstance(value, list) and value and all(map(_is_scalar, value)):
            parts.lists[name] = value[:_MOST_ROWS]
        elif isinstance(value, dict) and value and _is_record(value):
            parts.tables[name] = ResultTable(["", ""], [[key, each] for key, each in value.items()][:_MOST_ROWS], 0)
    return parts


def split_object(value: object) -> FormattedResult | None:
    """Split a JSON object, or the text of one, into its parts. Returns None for anything else, and for long texts."""
    if isinstance(value, str):
        if len(value) > _LONGEST:
            return None
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    return parts_of(value) if isinstance(value, dict) and value else None


def _table(records: Sequence[Mapping[str, object]]) -> ResultTable:
    columns = list(dict.fromkeys(name for record in records for name in record))[:_MOST_COLUMNS]
    rows = [[record.get(name) for name in columns] for record in records[:_MOST_ROWS]]
    return ResultTable(columns, rows, max(0, len(records) - _MOST_ROWS))


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _is_record(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_scalar, value.values()))
