"""Text with columns of fixed width."""

import re
from itertools import pairwise
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import plain
from retinue_tools.data_formats.tables import Records, type_of
from retinue_tools.data_formats.text_tables import Types


class Column(TypedDict):
    """A column of a fixed-width file."""

    name: Annotated[str, About("Name of the field", "city", min_length=1, max_length=100)]
    start: Annotated[int, About("Its first character, from 1", 1, minimum=1, maximum=100_000)]
    length: Annotated[int, About("How many characters it has", 10, minimum=1, maximum=100_000)]


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
        Refusal({"text": "abc"}, "header and one row"),
    ),
)
def fixed_width_parse_table(
    text: Annotated[str, About("The lines", "PID TTY\n  7 pts/0\n", min_length=1, max_length=900_000)],
    columns: Annotated[
        list[Column] | None,
        About(
            "The columns; without them the first line is the header and gaps in all lines part them",
            [{"name": "day", "start": 1, "length": 8}],
            min_items=1,
            max_items=500,
        ),
    ] = None,
    types: Types = True,
) -> Records:
    """Parse lines with columns of fixed width to JSON records, by given positions or by the gaps between columns.

    Use it for mainframe extracts and the aligned output of programs. Returns one object a line, fields trimmed.
    """
    lines = [line.expandtabs() for line in text.splitlines() if line.strip()]
    if columns:
        spans = [(column["name"], column["start"] - 1, column["start"] - 1 + column["length"]) for column in columns]
    else:
        if len(lines) < 2:
            raise ToolError("Without columns there must be a header and one row at least.")
        spans = _gaps(lines)
        lines = [line for line in lines[1:] if not re.fullmatch(r"[-=+| ]+", line)]
    if len({name for name, _, _ in spans}) < len(spans):
        raise ToolError("Two columns have the same name. Name the columns yourself.")
    read = type_of if types else str
    records = [{name: read(line[start:end].strip()) for name, start, end in spans} for line in lines]
    return {"records": plain(records), "columns": [plain(name) for name, _, _ in spans], "rows": len(records)}


def _gaps(lines: list[str]) -> list[tuple[str, int, int]]:
    """Columns by the places where every line has a space, named by the header."""
    width = max(map(len, lines))
    if width * len(lines) > 4_000_000:
        raise ToolError("The lines are too long to find the columns. Give the columns.")
    used = [False] * width
    for line in lines:
        for found in re.finditer(r"\S+", line):
            used[found.start() : found.end()] = [True] * (found.end() - found.start())
    starts = [place for place in range(width) if used[place] and (place == 0 or not used[place - 1])]
    named = [start for start, end in zip(starts, [*starts[1:], width], strict=True) if lines[0][start:end].strip()]
    spans = pairwise([*named, width])
    return [(lines[0][start:end].strip(), start, end) for start, end in spans]
