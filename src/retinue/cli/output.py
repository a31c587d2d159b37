"""Output of commands: coloured on a terminal, plain and tab-separated in a pipe."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from retinue_client import Record

_CONTROL = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
_GOOD, _BAD, _BUSY = "green", "red", "yellow"
_COLOURS = {
    "completed": _GOOD, "idle": _GOOD, "ready": _GOOD, "active": _GOOD, "failed": _BAD, "error": _BAD,
    "timed_out": _BAD, "working": _BUSY, "running": _BUSY, "queued": _BUSY, "waiting": _BUSY,
}  # fmt: skip


def printable(text: str) -> str:
    """Remove control characters: output of a model or tool must not control the terminal."""
    return text.translate(_CONTROL)


def on_terminal() -> bool:
    """Return True if standard output is a terminal."""
    return sys.stdout.isatty()


def note(text: str) -> None:
    """Print a message about the work to standard error, separate from its result."""
    typer.echo(typer.style(printable(text), dim=True), err=True)


def print_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on a terminal, or tab-separated rows without a header in a pipe."""
    cells = [[printable(_cell_text(cell)) for cell in row] for row in rows]
    if not on_terminal():
        for row in cells:
            typer.echo("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    table = Table(*names, box=None, header_style="bold")
    for row in cells:
        table.add_row(*(Text(cell, style=_COLOURS.get(cell, ""), overflow="ellipsis", no_wrap=True) for cell in row))
    Console().print(table)


def _cell_text(value: object) -> str:
    """Return a value of JSON as the text of a cell: `true`, or the items of a list separated by commas."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return ",".join(map(_cell_text, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | dict) else str(value)


def print_record(record: "Record", as_json: bool = False) -> None:
    """Print a record's fields, one on each line, or the record as one line of JSON."""
    fields = record.to_dict()
    if as_json:
        print_json(fields)
        return
    for name, value in fields.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        typer.echo(f"{typer.style(name, bold=True)}\t{printable(text)}")


def print_json(value: object) -> None:
    """Print a value as JSON: on one line, or indented and coloured on a terminal."""
    if on_terminal():
        Console().print_json(json.dumps(value), ensure_ascii=False)
    else:
        typer.echo(json.dumps(value, ensure_ascii=False))


def colour_of(status: str) -> str:
    """Return the colour of a status."""
    return _COLOURS.get(status, "")


def fields_of(record: "Record", names: Iterable[str]) -> list[object]:
    """Return some fields of a record as a row."""
    found: Mapping[str, object] = record.to_dict()
    return [found.get(name) for name in names]
