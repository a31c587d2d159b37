"""Text columns: alignment and extraction."""

import csv
import re
import unicodedata
from collections.abc import Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool


class Cut(TypedDict):
    """Columns of a text."""

    rows: Annotated[list[list[str]], About("Requested cells of each line; missing ones are empty")]
    result: Annotated[str, About("The same as text, with cells separated by tabs")]
    lines: Annotated[int, About("Number of lines")]


@tool(
    tags="extract columns fields cut awk split delimiter text log fixed width",
    use_when=(
        "Give me the second and fourth column of this output",
        "Cut the first field of every line, like awk",
        "Take characters 1-8 and 20-30 of each line",
    ),
    examples=(
        Example(
            {"text": "root  0 /root\nbin   1 /bin", "columns": [3, 1]},
            {"rows": [["/root", "root"], ["/bin", "bin"]], "result": "/root\troot\n/bin\tbin", "lines": 2},
            source="by hand",
        ),
        Example(
            {"text": 'a,"b,c",d', "columns": [2, -1], "separator": ","}, {"rows": [["b,c", "d"]]}, source="RFC 4180"
        ),
        Refusal({"text": "a b", "columns": [0]}, "from 1"),
        Refusal({"text": " ", "columns": [1]}, "no lines"),
    ),
    reply="The columns: {result}",
)
def text_extract_columns(
    text: Text,
    columns: Annotated[
        list[Annotated[int, About("Number of a column", minimum=-1000, maximum=1000)]],
        About("Columns in the desired order, from 1; -1 is the last", [1, 3], min_items=1, max_items=100),
    ],
    separator: Annotated[str, About("Separator character; default: any white space", ",", max_length=1)] = "",
    skip_lines: Annotated[int, About("Number of lines to skip at the top", minimum=0, maximum=100_000)] = 0,
) -> Cut:
    """Cut columns out of lines of text, separated by white space or by a character; quoted cells are respected.

    Use it for listings, logs and pasted tables. Returns the cells of each line.
    """
    if 0 in columns:
        raise ToolError("Columns are counted from 1; -1 is the last.")
    lines = [line for line in text.splitlines()[skip_lines:] if line.strip()]
    if not lines:
        raise ToolError("There are no lines to extract columns from.")
    cells = _csv_cells(lines, separator) if separator else [line.split() for line in lines]
    rows = [[_cell(row, column) for column in columns] for row in cells]
    return {"rows": rows, "result": "\n".join("\t".join(row) for row in rows), "lines": len(rows)}


def _csv_cells(lines: Sequence[str], separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except (csv.Error, TypeError, ValueError) as error:
        raise ToolError(f"The text cannot be split by {separator!r}: {error}.") from error


def _cell(row: Sequence[str], column: int) -> str:
    place = column - 1 if column > 0 else len(row) + column
    return row[place] if 0 <= place < len(row) else ""


_BORDERS = {"box": ("┌┬┐├┼┤└┴┘", "│", "─"), "ascii": ("+++++++++", "|", "-")}
"""Crossings from top left to bottom right, followed by the vertical and horizontal lines."""

_MOST_CELLS = 50_000


class Columns(TypedDict):
    """A table in plain text."""

    result: Annotated[str, About("Resulting table")]
    rows: Annotated[int, About("Number of rows, including the heading")]
    columns: Annotated[int, About("Number of columns")]


@tool(
    tags="align columns table plain text markdown ascii box column -t pad monospace pretty print",
    use_when=(
        "Line up these comma separated values in columns",
        "Make a Markdown table of this text",
        "Draw a box table for a terminal or code comment",
    ),
    examples=(
        Example(
            {"text": "name,price\ntea,2.50\ncoffee,13", "separator": ","},
            {"result": "name    price\ntea      2.50\ncoffee     13", "rows": 3, "columns": 2},
            source="by hand: numbers to the right",
        ),
        Example(
            {"text": "a|b\n1|xy", "separator": "|", "style": "markdown"},
            {"result": "|   a | b   |\n| --: | :-- |\n|   1 | xy  |"},
            source="by hand",
        ),
        Example(
            {"text": "x\ty\n你\t1", "style": "ascii"},
            {"result": "+----+---+\n| x  | y |\n+----+---+\n| 你 | 1 |\n+----+---+"},
            source="by hand: East Asian characters are two columns wide",
        ),
        Refusal({"text": " \n "}, "no rows"),
    ),
    reply="The aligned table: {result}",
)
def text_align_columns(
    text: Annotated[str, About("One row per line", "name,price\ntea,2.50", min_length=1, max_length=200_000)],
    separator: Annotated[str, About("Cell separator; default: tabs or at least two spaces", ",", max_length=10)] = "",
    style: Annotated[
        Literal["plain", "markdown", "box", "ascii"], About("Table style; the first row is the heading")
    ] = "plain",
) -> Columns:
    """Align (line up) separated values in columns as plain text, a Markdown table, or a table with drawn lines.

    Columns of numbers are aligned right; wide East Asian characters are taken into account. Returns the table.
    """
    pattern = re.escape(separator) if separator else r"\t|\s{2,}"
    rows = [[cell.strip() for cell in re.split(pattern, line.strip("\r"))] for line in text.split("\n") if line.strip()]
    if not rows:
        raise ToolError("There are no rows in the text.")
    count = max(map(len, rows))
    if count * len(rows) > _MOST_CELLS:
        raise ToolError(f"The table has more than {_MOST_CELLS} cells. Split it.")
    full = [row + [""] * (count - len(row)) for row in rows]
    return {"result": _draw(full, style), "rows": len(full), "columns": count}


def _draw(rows: Sequence[Sequence[str]], style: str) -> str:
    least = 3 if style == "markdown" else 0
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows] if style == "markdown" else rows
    columns = list(zip(*cells, strict=True))
    widths = [max(least, *map(_width, column)) for column in columns]
    right = [_is_numeric(column[1:]) for column in columns]
    lines = [[_pad(*part) for part in zip(row, widths, right, strict=True)] for row in cells]
    if style == "plain":
        return "\n".join("  ".join(line).rstrip() for line in lines)
    if style == "markdown":
        rule = [
            "-" * (width - 1) + ":" if end else ":" + "-" * (width - 1)
            for width, end in zip(widths, right, strict=True)
        ]
        return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])
    crossings, side, dash = _BORDERS[style]
    borders = [
        crossings[at] + crossings[at + 1].join(dash * (width + 2) for width in widths) + crossings[at + 2]
        for at in (0, 3, 6)
    ]
    drawn = [f"{side} {f' {side} '.join(line)} {side}" for line in lines]
    return "\n".join([borders[0], drawn[0], borders[1], *drawn[1:], *([borders[2]] if len(drawn) > 1 else [])])


def _is_numeric(cells: Sequence[str]) -> bool:
    return any(cells) and all(re.fullmatch(r"[-+\u2212]?[$€£]?[\d.,' ]*\d[\d.,]*\s?%?", cell) for cell in cells if cell)


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """Return the terminal width: wide characters count two columns, combining ones none (Unicode Standard Annex 11)."""
    return sum(
        0
        if unicodedata.combining(one) or unicodedata.category(one) == "Cf"
        else 1 + (unicodedata.east_asian_width(one) in "WF")
        for one in text
    )
