"""Putting delimited text in order."""

import re
from collections import Counter
from typing import Annotated, Literal

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Written
from retinue_tools.data_formats.tables import DELIMITERS, Delimiter, TableText, lenient_rows, table_text
from retinue_tools.text.case import text_convert_case


class Cleaned(Written):
    """A table that was put in order."""

    columns: Annotated[list[str], About("Names of the columns")]
    rows: Annotated[int, About("How many rows follow the header")]
    repairs: Annotated[dict[str, int], About("What was mended, and how often")]


@tool(
    tags="csv clean tidy trim whitespace header duplicate empty rows ragged normalize",
    use_when=(
        "Clean up this messy CSV",
        "Trim spaces and remove the empty rows of this table",
        "Normalise the column names of this CSV to snake_case",
    ),
    examples=(
        Example(
            {"table": " First Name ;Age;Age;\nKim ; 30;30;\n;;;\nLee;N/A\n", "headers": "snake"},
            {
                "text": "first_name;age;age_2\nKim;30;30\nLee;;\n",
                "rows": 2,
                "repairs": {
                    "spaces trimmed": 3,
                    "missing values emptied": 1,
                    "empty rows dropped": 1,
                    "uneven rows evened": 1,
                    "empty columns dropped": 1,
                    "columns renamed": 3,
                },
            },
            source="by hand",
        ),
        Example(
            {"table": "a,b\n1,2\n1,2\n", "drop_duplicates": True},
            {"text": "a,b\n1,2\n", "repairs": {"duplicate rows dropped": 1}},
            source="by hand",
        ),
        Refusal({"table": "\n"}, "no rows"),
    ),
)
def csv_clean_table(
    table: TableText,
    delimiter: Delimiter = "auto",
    headers: Annotated[Literal["keep", "snake", "camel", "title"], About("Case for the names of columns")] = "keep",
    drop_duplicates: Annotated[bool, About("Whether rows that occur again are dropped")] = False,
) -> Cleaned:
    """Clean a CSV table: trim fields, even out rows, drop empty rows and columns, give columns distinct names.

    Use it before analysing an export. Words such as N/A, NULL and - become empty. Returns the table and how often
    each kind of repair was made.
    """
    mark = DELIMITERS.get(delimiter) or max(DELIMITERS.values(), key=table.partition("\n")[0].count)
    repairs: Counter[str] = Counter()
    rows = [[_tidy(field, repairs) for field in row] for row in lenient_rows(table.removeprefix("\ufeff"), mark)]
    filled = [row for row in rows if any(row)]
    if not filled:
        raise ToolError("The table has no rows.")
    repairs["empty rows dropped"] += len(rows) - len(filled)
    header, *body = _even(filled, repairs)
    names = _distinct(header, headers)
    repairs["columns renamed"] += sum(map(str.__ne__, header, names))
    if drop_duplicates:
        unique = list(dict.fromkeys(map(tuple, body)))
        repairs["duplicate rows dropped"] += len(body) - len(unique)
        body = [list(row) for row in unique]
    text = table_text([names, *body], mark)
    return {"text": text, "columns": names, "rows": len(body), "repairs": {name: n for name, n in repairs.items() if n}}


def _tidy(field: str, repairs: Counter[str]) -> str:
    trimmed = re.sub(r"\s+", " ", field).strip()
    repairs["spaces trimmed"] += trimmed != field
    if trimmed.lower() in ("n/a", "na", "null", "none", "nan", "-", "#n/a"):
        repairs["missing values emptied"] += 1
        return ""
    return trimmed


def _even(rows: list[list[str]], repairs: Counter[str]) -> list[list[str]]:
    """Rows of equal width, without columns that are empty throughout."""
    width = max(map(len, rows))
    repairs["uneven rows evened"] += sum(len(row) < width for row in rows)
    wide = [row + [""] * (width - len(row)) for row in rows]
    kept = [column for column in zip(*wide, strict=True) if any(column)]
    repairs["empty columns dropped"] += width - len(kept)
    return [list(row) for row in zip(*kept, strict=True)]


def _distinct(header: list[str], style: Literal["keep", "snake", "camel", "title"]) -> list[str]:
    names: list[str] = []
    for number, field in enumerate(header, 1):
        name = field or f"column {number}"
        if style != "keep" and re.search(r"[^\W_]", name):
            name = text_convert_case(name, style)["result"]
        free, again = name, 2
        while free in names:
            free, again = f"{name}_{again}", again + 1
        names.append(free)
    return names
