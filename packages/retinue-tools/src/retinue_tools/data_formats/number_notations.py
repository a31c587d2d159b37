"""Numbers in other notations: number bases, sizes in bytes, and spreadsheet column letters."""

import re
from decimal import Decimal
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import EXACT
from retinue_tools.tidy import tidy

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PREFIXES = {"0x": 16, "0b": 2, "0o": 8}
_BINARY, _DECIMAL = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"), ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3}){1,9}(?:\.[0-9]{1,30})?")
"""A number with thousands separators."""
_SIZE = re.compile(
    rf"\s*({_GROUPED.pattern}|[0-9]{{1,30}}(?:[.,][0-9]{{1,30}})?)\s*([kKmMgGtTpPeE]?)(i?)(?:[bB]|[bB]ytes?)?\s*"
)
Base = Annotated[int, About("Base from 2 to 62", 16, minimum=2, maximum=62)]


class Based(TypedDict):
    """An integer in another base."""

    text: Annotated[str, About("Digits; A to Z and then a to z follow after 9")]
    decimal: Annotated[str, About("Integer in base 10")]
    bits: Annotated[int, About("Number of bits of its magnitude")]
    binary: Annotated[str, About("Integer in base 2")]
    octal: Annotated[str, About("Integer in base 8")]
    hexadecimal: Annotated[str, About("Integer in base 16")]


class Size(TypedDict):
    """A number of bytes in several notations."""

    bytes: Annotated[int | str, About("Number of bytes; as text from 2^53 on")]
    binary: Annotated[str, About("Size in powers of 1024, such as 1.50 MiB")]
    decimal: Annotated[str, About("Size in powers of 1000, such as 1.57 MB")]
    exact: Annotated[dict[str, float], About("Size in each unit: kB, MB, GB, TB and KiB, MiB, GiB, TiB")]


@tool(
    tags="base convert radix binary hexadecimal octal decimal base36 base62 integer",
    use_when=(
        "What is 255 in binary?",
        "Convert 0xDEADBEEF to decimal",
        "Write 123456789 in base 36",
        "What is hexadecimal ff in decimal?",
        "Convert binary to decimal, or decimal to octal",
    ),
    examples=(
        Example(
            {"number": "0xDEADBEEF", "to_base": 10},
            {
                "text": "3735928559",
                "bits": 32,
                "octal": "33653337357",
                "hexadecimal": "DEADBEEF",
                "binary": "11011110101011011011111011101111",
            },
            source="TOML 1.0.0, section Integer",
        ),
        Example({"number": "-255", "to_base": 2}, {"text": "-11111111"}, source="by hand"),
        Example(
            {"number": "ZZ", "from_base": 36, "to_base": 62},
            {"decimal": "1295", "text": "Kt"},
            source="by hand: 20 * 62 + 55",
        ),
        Example({"number": "ff", "to_base": 10}, {"decimal": "255"}, source="by hand"),
        Refusal({"number": "129", "from_base": 8, "to_base": 10}, "is not a digit of base 8"),
        Refusal({"number": "xyz", "to_base": 10}, "is not a digit of base 16"),
    ),
    reply={
        "args.number, args.to_base, text": "{args.number} in base {args.to_base} is {text}.",
        "": "The number is {decimal} in decimal, {binary} in binary and {hexadecimal} in hexadecimal.",
    },
)
def number_convert_base(
    number: Annotated[
        str, About("Integer; the prefixes 0x, 0b and 0o determine its base", "0xFF", min_length=1, max_length=4000)
    ],
    to_base: Base,
    from_base: Annotated[
        int | None,
        About("Base of the integer; default: from its prefix, or 16 if it contains letters", 36, minimum=2, maximum=62),
    ] = None,
) -> Based:
    """Convert an integer of any length between bases 2 to 62.

    Use it for binary, octal, hexadecimal, base 36 and base 62. Returns the digits, and those in base 2, 8, 10 and 16.
    Up to base 36, case is ignored.
    """
    bare = re.sub(r"[\s_]", "", number)
    sign, digits = ("-", bare[1:]) if bare[:1] == "-" else ("", bare.removeprefix("+"))
    prefix = _PREFIXES.get(digits[:2].lower())
    if prefix and from_base in (None, 10, prefix):
        from_base, digits = prefix, digits[2:]
    elif from_base is None:
        from_base = 10 if digits.isdecimal() else 16
    value = 0
    for char in digits.upper() if from_base <= 36 else digits:
        digit = _DIGITS.find(char)
        if not 0 <= digit < from_base:
            raise ToolError(f"{char!r} is not a digit of base {from_base}. Specify the right from_base.")
        value = value * from_base + digit
    if not digits:
        raise ToolError("There are no digits.")
    minus = sign * bool(value)
    return {
        "text": minus + _in_base(value, to_base),
        "decimal": minus + _in_base(value, 10),
        "bits": value.bit_length(),
        "binary": f"{minus}{value:b}",
        "octal": f"{minus}{value:o}",
        "hexadecimal": f"{minus}{value:X}",
    }


@tool(
    tags="bytes size file human readable mib gib kb mb convert kilobyte",
    use_when=("How much is 1536000 bytes in MB?", "How many bytes are 1.5 GiB?", "Is 500GB the same as 465 GiB?"),
    examples=(
        Example(
            {"size": "1.5 GiB"},
            {"bytes": 1610612736, "binary": "1.50 GiB", "decimal": "1.61 GB"},
            source="IEC 80000-13",
        ),
        Example({"size": "500 GB"}, {"bytes": 500000000000, "binary": "465.66 GiB"}, source="IEC 80000-13"),
        Example({"size": "64K", "plain_prefixes": "binary"}, {"bytes": 65536}, source="by hand"),
        Refusal({"size": "ten MB"}, "not a size"),
    ),
    reply="That is {bytes|byte}, which is {decimal} or {binary}.",
)
def bytes_convert_size(
    size: Annotated[str, About("Number of bytes, or a size with its unit", "1.5 GiB", min_length=1, max_length=60)],
    plain_prefixes: Annotated[
        Literal["decimal", "binary"], About("Whether K, M, G without i are powers of 1000 or 1024")
    ] = "decimal",
) -> Size:
    """Convert a count (number) of bytes to readable sizes and back, in powers of 1000 (MB) and of 1024 (MiB).

    Use it for file and disk sizes. Returns the bytes and both notations.
    """
    found = _SIZE.fullmatch(size)
    if not found:
        raise ToolError(f"{size!r} is not a size. Write it as 1536000, 500 GB or 1.5 GiB.")
    step = 1024 if found[3] or plain_prefixes == "binary" else 1000
    number = found[1].replace(",", "" if _GROUPED.fullmatch(found[1]) else ".")
    count = round(Decimal(number) * step ** " KMGTPE".index(found[2].upper() or " "))
    return {
        "bytes": count if count < EXACT else str(count),
        "binary": _size_of(count, 1024, _BINARY),
        "decimal": _size_of(count, 1000, _DECIMAL),
        "exact": _in_units(count),
    }


def _in_units(count: int) -> dict[str, float]:
    units = (*zip(_DECIMAL[1:5], (1000**power for power in range(1, 5)), strict=True),)
    units += (*zip(_BINARY[1:5], (1024**power for power in range(1, 5)), strict=True),)
    return {name: tidy(count / size) for name, size in units}


def _in_base(value: int, base: int) -> str:
    digits = []
    while value:
        value, digit = divmod(value, base)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits)) or "0"


def _size_of(count: int, step: int, units: tuple[str, ...]) -> str:
    power = 0
    while power < len(units) - 1 and count >= step ** (power + 1):
        power += 1
    return f"{Decimal(count) / step**power:.2f} {units[power]}" if power else f"{count} B"


_LETTERS = re.compile(r"\$?([A-Za-z]{1,7})\$?(\d{1,9})?")
_ROW_COLUMN = re.compile(r"[Rr](\d{1,9})[Cc](\d{1,9})")
_NUMBER = re.compile(r"\d{1,9}")


class SheetCell(TypedDict):
    """A column, and a cell if a row was given."""

    column: Annotated[str, About("Column letters, such as AZ")]
    column_number: Annotated[int, About("Column number, 1 for A")]
    row: int | None
    a1: Annotated[str | None, About("Cell in A1 notation, such as AZ7")]
    r1c1: Annotated[str | None, About("Cell in R1C1 notation, such as R7C52")]


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
    reply={
        "a1": "The cell is {a1}, or {r1c1}.",
        "": "Column {column} is number {column_number}.",
    },
)
def sheet_convert_column(
    cell: Annotated[
        str, About("Column in letters or as a number, or a cell as A1 or R1C1", "AZ", min_length=1, max_length=24)
    ],
) -> SheetCell:
    """Convert a spreadsheet's column between letters and number, or a cell between A1 and R1C1."""
    number, row = _read(cell.strip())
    if number < 1 or row == 0:
        raise ToolError("Columns and rows count from 1.")
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
    """Interpret letters as digits from 1 to 26, in base 26 without a zero."""
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
