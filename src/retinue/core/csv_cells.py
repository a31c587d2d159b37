"""Lines of CSV (RFC 4180) whose cells no spreadsheet takes for formulas."""

import csv
import io
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that spreadsheets carry out, by OWASP's page on CSV injection."""


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """The lines of `rows`. An apostrophe before a text that looks like a formula makes it a text for spreadsheets."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_safe(cell) for cell in row] for row in rows)
    return text.getvalue()


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
