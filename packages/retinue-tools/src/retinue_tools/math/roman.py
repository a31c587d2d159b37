"""Roman numerals."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SYMBOLS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


class RomanNumber(TypedDict):
    """A number in both ways of writing."""

    number: Annotated[int, About("The number in digits")]
    roman: Annotated[str, About("The number as a Roman numeral")]


@tool(
    tags="roman numeral latin convert",
    use_when=("What is MCMXCIV as a number?", "Write 2026 in Roman numerals", "Which year is MDCCLXXVI?"),
    examples=(
        Example(
            {"number": "3999"},
            {"roman": "MMMCMXCIX"},
            source="Wikipedia, Roman numerals: the largest in standard form",
        ),
        Example({"number": "mcmxcix"}, {"number": 1999}, source="Wikipedia, Roman numerals: M CM XC IX is 1999"),
        Refusal({"number": "IIII"}, "not a Roman numeral"),
        Refusal({"number": "4000"}, "from 1 to 3999"),
    ),
)
def number_convert_roman(
    number: Annotated[
        str, About("A whole number from 1 to 3999, or a Roman numeral", "MCMXCIV", min_length=1, max_length=20)
    ],
) -> RomanNumber:
    """Convert a number to a Roman numeral, or a Roman numeral to a number, whichever is given. Returns both forms."""
    text = number.strip().upper()
    if re.fullmatch("[0-9]+", text):
        return {"number": int(text), "roman": to_roman(int(text))}
    value = from_roman(text)
    return {"number": value, "roman": text}


def to_roman(value: int) -> str:
    """The standard form of a number. Raises `ToolError` outside 1 to 3999."""
    if not 1 <= value <= 3999:
        raise ToolError("Roman numerals go from 1 to 3999.")
    numeral = ""
    for amount, symbol in _SYMBOLS:
        count, value = divmod(value, amount)
        numeral += symbol * count
    return numeral


def from_roman(numeral: str) -> int:
    """The value of a numeral in standard form. Raises `ToolError` for anything else."""
    value, rest = 0, numeral
    for amount, symbol in _SYMBOLS:
        while rest.startswith(symbol):
            value, rest = value + amount, rest.removeprefix(symbol)
    if rest or not 1 <= value <= 3999 or to_roman(value) != numeral:
        raise ToolError(f"{numeral} is not a Roman numeral in standard form. An example is MCMXCIV.")
    return value
