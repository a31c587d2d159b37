"""Plain-text tables: rendered with borders, and parsed from columns of fixed width."""

import re
import unicodedata
from html import escape
from itertools import pairwise
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Table, Written, dump, plain
from retinue_tools.data_formats.csv_tables import Records, type_of
from retinue_tools.data_formats.markup_tables import Types


@tool(
    tags="table render markdown ascii grid box text html latex format align columns",
    use_when=(
        "Show these records as a Markdown table",
        "Print this JSON list as an ASCII table",
        "Make a LaTeX table of these rows",
    ),
    examples=(
        Example(
            {"records": [{"name": "Tea", "price": 2.5}, {"name": "a|b"}]},
            {"text": "| name | price |\n| ---- | ----: |\n| Tea  |   2.5 |\n| a\\|b |       |\n"},
            "GitHub Flavored Markdown, section 4.10",
        ),
        Example(
            {"records": [{"n": "\u8336"}], "style": "box"},
            {"text": "┌────┐\n│ n  │\n├────┤\n│ \u8336 │\n└────┘\n"},
            "Unicode TR 11: this character is two columns wide",
        ),
        Example(
            {"records": [{"a": "<"}], "style": "html"},
            {"text": "<table>\n<tr><th>a</th></tr>\n<tr><td>&lt;</td></tr>\n</table>\n"},
            source="by hand",
        ),
        Refusal({"records": [{}]}, "no fields"),
    ),
    reply="The table: {text}",
)
def table_render_text(
    records: Table,
    style: Annotated[
        Literal["markdown", "ascii", "box", "html", "latex"], About("Kind of table; ascii and box draw lines")
    ] = "markdown",
) -> Written:
    """Render JSON records as a Markdown, ASCII, box-drawn, HTML or LaTeX table, with numbers aligned to the right.

    Use it to show results to people. Returns the text; wide characters are taken into account, and null is empty.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names:
        raise ToolError("The records have no fields, so there are no columns.")
    rows = [[_show(record.get(name)) for name in names] for record in records]
    right = [_numeric([record.get(name) for record in records]) for name in names]
    if style in ("html", "latex"):
        return {"text": plain(_html(names, rows) if style == "html" else _latex(names, rows, right))}
    return {"text": plain(_draw(names, rows, right, style))}


def _show(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else dump(value, None)
    return " ".join(text.split())


def _numeric(values: list[Any]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in present)


def _width(text: str) -> int:
    """Return the display width of a text in columns (Unicode TR 11)."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def _draw(names: list[str], rows: list[list[str]], right: list[bool], style: str) -> str:
    if style == "markdown":
        names, rows = [_escape(name) for name in names], [[_escape(cell) for cell in row] for row in rows]
    floor = 3 if style == "markdown" else 1
    widths = [max(floor, *map(_width, column)) for column in zip(names, *rows, strict=True)]
    bar = "\u2502" if style == "box" else "|"

    def line(cells: list[str]) -> str:
        padded = [
            " " * (width - _width(cell)) + cell if to_right else cell + " " * (width - _width(cell))
            for cell, width, to_right in zip(cells, widths, right, strict=True)
        ]
        return f"{bar} {f' {bar} '.join(padded)} {bar}\n"

    if style == "markdown":
        marks = ["-" * (width - to_right) + ":" * to_right for width, to_right in zip(widths, right, strict=True)]
        return line(names) + line(marks) + "".join(map(line, rows))
    rules = (
        ("+-++", "+-++", "+-++")
        if style == "ascii"
        else ("\u250c\u2500\u252c\u2510", "\u251c\u2500\u253c\u2524", "\u2514\u2500\u2534\u2518")
    )
    top, middle, bottom = (
        f"{rule[0]}{rule[2].join(rule[1] * (width + 2) for width in widths)}{rule[3]}\n" for rule in rules
    )
    return top + line(names) + middle + "".join(map(line, rows)) + bottom


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|")


def _html(names: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n<tr>{head}</tr>\n{body}</table>\n"


def _latex(names: list[str], rows: list[list[str]], right: list[bool]) -> str:
    lines = [" & ".join(map(_latex_text, row)) + r" \\" for row in [names, *rows]]
    kinds = "".join("r" if to_right else "l" for to_right in right)
    return "\n".join([rf"\begin{{tabular}}{{{kinds}}}", lines[0], r"\hline", *lines[1:], r"\end{tabular}", ""])


def _latex_text(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return re.sub(r"[\\~^&%$#_{}]", lambda found: special.get(found[0], f"\\{found[0]}"), text)


class Column(TypedDict):
    """A column of a fixed-width file."""

    name: Annotated[str, About("Name of the field", "city", min_length=1, max_length=100)]
    start: Annotated[int, About("First character, from 1", 1, minimum=1, maximum=100_000)]
    length: Annotated[int, About("Number of characters", 10, minimum=1, maximum=100_000)]


@tool(
    tags="fixed width columns parse positions mainframe flat file aligned report",
    use_when=(
        "Parse this fixed-width file",
        "Read the aligned output of ps aux as records",
        "Split lines by column positions",
    ),
    examples=(
        Example(
            {
                "text": "20260101Tea       00250\n20260102Rice      00400\n",
                "columns": [
                    {"name": "day", "start": 1, "length": 8},
                    {"name": "item", "start": 9, "length": 10},
                    {"name": "cents", "start": 19, "length": 5},
                ],
                "types": False,
            },
            {
                "records": [
                    {"day": "20260101", "item": "Tea", "cents": "00250"},
                    {"day": "20260102", "item": "Rice", "cents": "00400"},
                ],
                "rows": 2,
            },
            source="by hand",
        ),
        Example(
            {"text": "  PID TTY   CMD\n    7 pts/0 vim a b\n12345 ?     sh\n"},
            {"records": [{"PID": 7, "TTY": "pts/0", "CMD": "vim a b"}, {"PID": 12345, "TTY": "?", "CMD": "sh"}]},
            source="by hand: columns end where all lines have a space",
        ),
        Refusal({"text": "abc"}, "header and at least one row"),
    ),
    reply={
        "records": "The {rows|row}: {records}",
        "": "There are no rows.",
    },
)
def fixed_width_parse_table(
    text: Annotated[str, About("Lines to parse", "PID TTY\n  7 pts/0\n", min_length=1, max_length=900_000)],
    columns: Annotated[
        list[Column] | None,
        About(
            "Columns; if omitted, the first line is the header, and gaps in all lines separate the columns",
            [{"name": "day", "start": 1, "length": 8}],
            min_items=1,
            max_items=500,
        ),
    ] = None,
    types: Types = True,
) -> Records:
    """Parse lines with columns of fixed width to JSON records, by given positions or by the gaps between columns.

    Use it for mainframe extracts and the aligned output of programs. Returns one object per line, with trimmed fields.
    """
    lines = [line.expandtabs() for line in text.splitlines() if line.strip()]
    if columns:
        spans = [(column["name"], column["start"] - 1, column["start"] - 1 + column["length"]) for column in columns]
    else:
        if len(lines) < 2:
            raise ToolError("Without columns, a header and at least one row are required.")
        spans = _gaps(lines)
        lines = [line for line in lines[1:] if not re.fullmatch(r"[-=+| ]+", line)]
    if len({name for name, _, _ in spans}) < len(spans):
        raise ToolError("Two columns have the same name. Specify the column names.")
    read = type_of if types else str
    records = [{name: read(line[start:end].strip()) for name, start, end in spans} for line in lines]
    return {"records": plain(records), "columns": [plain(name) for name, _, _ in spans], "rows": len(records)}


def _gaps(lines: list[str]) -> list[tuple[str, int, int]]:
    """Find columns by the positions where every line has a space, named by the header."""
    width = max(map(len, lines))
    if width * len(lines) > 4_000_000:
        raise ToolError("The lines are too long to detect the columns. Specify the columns.")
    used = [False] * width
    for line in lines:
        for found in re.finditer(r"\S+", line):
            used[found.start() : found.end()] = [True] * (found.end() - found.start())
    starts = [place for place in range(width) if used[place] and (place == 0 or not used[place - 1])]
    begins = [start for start, end in zip(starts, [*starts[1:], width], strict=True) if lines[0][start:end].strip()]
    spans = pairwise([*begins, width])
    return [(lines[0][start:end].strip(), start, end) for start, end in spans]
