"""What commands print: coloured on a terminal, plain and separated by tabs where it is piped."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
    """Text without control characters: what a model or a tool says must not steer the terminal."""
    return text.translate(_CONTROL)


def on_terminal() -> bool:
    """Whether a person reads what is printed."""
    return sys.stdout.isatty()


def note(text: str) -> None:
    """Print what is said about the work beside its result, to standard error."""
    typer.echo(typer.style(printable(text), dim=True), err=True)


def print_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on a terminal; a line for each row where the output is piped, without the names."""
    shown = [["" if cell is None else printable(str(cell)) for cell in row] for row in rows]
    if not on_terminal():
        for row in shown:
            typer.echo("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    table = Table(*names, box=None, header_style="bold")
    for row in shown:
        table.add_row(*(Text(cell, style=_COLOURS.get(cell, ""), overflow="ellipsis", no_wrap=True) for cell in row))
    Console().print(table)


def print_record(record: "Record", as_json: bool = False) -> None:
    """The fields of a record, a line each, or the record as one line of JSON."""
    fields = record.to_dict()
    if as_json:
        print_json(fields)
        return
    for name, value in fields.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        typer.echo(f"{typer.style(name, bold=True)}\t{printable(text)}")


def print_json(value: object) -> None:
    """A value as JSON: on one line, or laid out and coloured on a terminal."""
    if on_terminal():
        Console().print_json(json.dumps(value), ensure_ascii=False)
    else:
        typer.echo(json.dumps(value, ensure_ascii=False))


def colour_of(status: str) -> str:
    """The colour of a status on a terminal."""
    return _COLOURS.get(status, "")


def fields_of(record: "Record", names: Iterable[str]) -> list[Any]:
    """Some fields of a record, for a row."""
    found: Mapping[str, Any] = record.to_dict()
    return [found.get(name) for name in names]
