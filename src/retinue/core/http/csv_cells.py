"""Writes CSV (RFC 4180) whose cells spreadsheets do not execute as formulas."""

import csv
import io
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet execute a cell, from OWASP's page on CSV injection."""


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Format `rows` as CSV. A leading apostrophe makes spreadsheets show text that looks like a formula as text."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_safe(cell) for cell in row] for row in rows)
    return text.getvalue()


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
