"""Tables as lists of objects, and matrices built from them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from retinue.sdk import About, ToolError

_LARGEST = 1e15
_MOST_LEVELS = 50
_MOST_TERMS = 200
_SHOWN = [{"weight": 2.62, "power": 110, "consumption": 21.0}, {"weight": 2.32, "power": 93, "consumption": 22.8}]

Rows = Annotated[
    list[dict[str, Any]], About("Table as a list of objects, one for each row", _SHOWN, min_items=3, max_items=5000)
]
Name = Annotated[str, About("Name of a column", "weight", min_length=1, max_length=200)]
Names = Annotated[list[Name], About("Names of columns", ["weight", "power"], min_items=1, max_items=50)]
Target = Annotated[str, About("Target column", "consumption", min_length=1, max_length=200)]


@dataclass(frozen=True)
class Encoding:
    """Conversion of columns to numbers: text columns become one column for each level (after the first, if
    `reference`).
    """

    columns: Sequence[str]
    levels: dict[str, list[str]]
    reference: bool

    @property
    def terms(self) -> list[str]:
        """Return the column names of the matrix."""
        return [
            term
            for name in self.columns
            for term in ([f"{name}={level}" for level in self._keep(name)] if name in self.levels else [name])
        ]

    def matrix(self, rows: Sequence[dict[str, Any]]) -> np.ndarray:
        """Return rows as numbers. Unknown levels become zeros. Raises `ToolError` for a missing or invalid number."""
        cells = [
            [value for name in self.columns for value in self._encode(name, row.get(name), number)]
            for number, row in enumerate(rows, 1)
        ]
        return np.array(cells, dtype=float).reshape(len(rows), len(self.terms))

    def _keep(self, name: str) -> list[str]:
        return self.levels[name][1 if self.reference else 0 :]

    def _encode(self, name: str, cell: Any, row: int) -> list[float]:
        if name in self.levels:
            return [float(str(cell) == level) for level in self._keep(name)]
        return [as_number(cell, name, row)]


def as_number(cell: Any, name: str, row: int) -> float:
    """Return a finite number. Raises `ToolError`."""
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not abs(value) <= _LARGEST:
        raise ToolError(f"Row {row}: {name} must be a number of at most 1e15, not {str(cell)[:50]}.")
    return value


def complete(rows: Sequence[dict[str, Any]], names: Sequence[str], least: int = 3) -> list[dict[str, Any]]:
    """Return the rows that have a value in all these columns. Raises `ToolError` if there are too few."""
    known = {name for row in rows for name in row}
    for name in names:
        if name not in known:
            raise ToolError(f"There is no column {name[:100]}. Available columns: {', '.join(sorted(known))[:500]}.")
    full_rows = [row for row in rows if not any(row.get(name) in (None, "") for name in names)]
    if len(full_rows) < least:
        raise ToolError(f"Only {len(full_rows)} rows have a value in every column used; {least} are required.")
    return full_rows


def numbers(rows: Sequence[dict[str, Any]], name: str) -> np.ndarray:
    """Return a column as numbers. Raises `ToolError`."""
    return np.array([as_number(row.get(name), name, number) for number, row in enumerate(rows, 1)])


def labels(rows: Sequence[dict[str, Any]], name: str) -> list[str]:
    """Return a column as texts."""
    return [str(row.get(name))[:200] for row in rows]


def encoding(rows: Sequence[dict[str, Any]], columns: Sequence[str], *, reference: bool) -> Encoding:
    """Return the conversion of these columns to numbers. Raises `ToolError` for a text column with too many levels."""
    names = list(dict.fromkeys(columns))
    levels = {
        name: sorted({str(row.get(name)) for row in rows})
        for name in names
        if any(isinstance(row.get(name), str) and not _numeric(row[name]) for row in rows)
    }
    for name, found in levels.items():
        if len(found) > _MOST_LEVELS:
            raise ToolError(f"The text column {name[:100]} has more than {_MOST_LEVELS} different values. Omit it.")
    result = Encoding(names, levels, reference)
    if not result.terms or len(result.terms) > _MOST_TERMS:
        raise ToolError(f"The columns result in {len(result.terms)} terms; there must be 1 to {_MOST_TERMS}.")
    return result


def _numeric(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
