"""Columns and cells of spreadsheets."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_LETTERS = re.compile(r"\$?([A-Za-z]{1,7})\$?(\d{1,9})?")
_ROW_COLUMN = re.compile(r"[Rr](\d{1,9})[Cc](\d{1,9})")
_NUMBER = re.compile(r"\d{1,9}")


class SheetCell(TypedDict):
    """A column, and a cell where a row was given."""

    column: Annotated[str, About("In letters: AZ")]
    column_number: Annotated[int, About("From 1 for A")]
    row: int | None
    a1: Annotated[str | None, About("As AZ7")]
    r1c1: Annotated[str | None, About("As R7C52")]


@tool(
    tags="spreadsheet excel column letter number cell reference a1 r1c1 convert",
    use_when=(
        "Spreadsheet column AZ is what number?",
        "Which letters has spreadsheet column 703?",
        "What is R5C28 in A1 notation?",
    ),
    examples=(
        Example({"cell": "AZ"}, {"column_number": 52, "row": None}, source="26 + 26"),
        Example({"cell": "703"}, {"column": "AAA"}, source="26 + 26^2 = 702 come before"),
        Example({"cell": "R5C28"}, {"a1": "AB5", "column": "AB"}, source="26 + 2"),
        Example({"cell": "$C$12"}, {"r1c1": "R12C3"}, source="third column"),
        Refusal({"cell": "?"}, "not a column"),
    ),
)
def sheet_convert_column(
    cell: Annotated[
        str, About("Column in letters or as a number, or a cell as A1 or R1C1", "AZ", min_length=1, max_length=24)
    ],
) -> SheetCell:
    """Convert a spreadsheet's column between letters and number, or a cell between A1 and R1C1."""
    number, row = _read(cell.strip())
    if number < 1 or row == 0:
        raise ToolError("Columns and rows count from 1 on.")
    letters = _letters(number)
    return {
        "column": letters,
        "column_number": number,
        "row": row,
        "a1": f"{letters}{row}" if row else None,
        "r1c1": f"R{row}C{number}" if row else None,
    }


def _read(cell: str) -> tuple[int, int | None]:
    if match := _ROW_COLUMN.fullmatch(cell):
        return int(match[2]), int(match[1])
    if _NUMBER.fullmatch(cell):
        return int(cell), None
    if match := _LETTERS.fullmatch(cell):
        return _number(match[1].upper()), int(match[2]) if match[2] else None
    raise ToolError(f"{cell} is not a column or cell. Write it as AZ, 52, AZ7 or R7C52.")


def _number(letters: str) -> int:
    """Letters as digits from 1 to 26, in base 26 without a zero."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
