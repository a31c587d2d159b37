"""Bits of integers: counts and positions, and operations such as AND, XOR, shifts and rotations."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_LONGEST = 1000


class IntegerBits(TypedDict):
    """Binary representation of a number."""

    binary: str
    bit_length: Annotated[int, About("Number of bits")]
    ones: Annotated[int, About("Set bits (population count)")]
    zeros: Annotated[int, About("Zero bits below the highest set bit")]
    trailing_zeros: int
    parity: str
    is_power_of_two: bool
    next_power_of_two: Annotated[str, About("Smallest power of two that is not smaller")]


@tool(
    tags="bit length bits needed popcount set bits power of two next parity trailing zeros integer binary",
    use_when=(
        "How many bits does 1000 need?",
        "Next power of two from 300 on",
        "How many ones has 2025 in binary?",
        "Is 4096 a power of two?",
    ),
    examples=(
        Example(
            {"number": "1000"},
            {"bit_length": 10, "ones": 6, "next_power_of_two": "1024"},
            source="1111101000 in binary",
        ),
        Example({"number": "0x40"}, {"is_power_of_two": True, "trailing_zeros": 6, "parity": "odd"}, source="64 = 2^6"),
        Refusal({"number": "-5"}, "whole number"),
    ),
    reply={
        "is_power_of_two": "{args.number} is a power of two and needs {bit_length|bit}: {binary}.",
        "": (
            "{args.number} needs {bit_length|bit}, of which {ones} are set; the next power "
            "of two is {next_power_of_two}."
        ),
    },
)
def integer_describe_bits(
    number: Annotated[
        str,
        About("Whole number from 0; the prefixes 0x, 0b and 0o are allowed", "1000", min_length=1, max_length=_LONGEST),
    ],
) -> IntegerBits:
    """Describe the bits of a whole number: how many bits it needs, how many are set, and the next power of two."""
    try:
        value = int(number.replace(",", "").replace(" ", ""), 0)
    except ValueError as error:
        raise ToolError(f"{number} is not a whole number. Write it as 1000 or 0x3E8.") from error
    if value < 0:
        raise ToolError("Give a whole number of 0 or more.")
    binary, ones = f"{value:b}", value.bit_count()
    return {
        "binary": binary,
        "bit_length": value.bit_length(),
        "ones": ones,
        "zeros": len(binary) - ones,
        "trailing_zeros": (value & -value).bit_length() - 1 if value else 0,
        "parity": "odd" if ones % 2 else "even",
        "is_power_of_two": ones == 1,
        "next_power_of_two": str(1 << (value - 1).bit_length() if value > 1 else 1),
    }


_PREFIXES = {"0x": 16, "0b": 2, "0o": 8}
_BASES = {"binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16}
_BITS_A_DIGIT = {2: 1, 8: 3, 16: 4}
_MOST_BITS = 4096

Operation = Literal[
    "and", "or", "xor", "not", "nand", "nor", "xnor", "shift_left", "shift_right", "add", "subtract", "multiply",
    "hamming_distance", "count_ones", "test_bit", "set_bit", "clear_bit", "toggle_bit", "reverse_bits", "to_gray",
    "from_gray",
]  # fmt: skip
Integer = Annotated[
    str, About("Integer: 12, 0x1F, 0b1100, 0o17, F0h, or digits in the specified notation", "0b1100", max_length=2000)
]


class Bits(TypedDict):
    """An integer in all notations."""

    decimal: Annotated[str, About("Result in decimal; for hamming_distance and count_ones the number of bits")]
    binary: Annotated[str, About("Binary digits, padded to the width if given")]
    hexadecimal: Annotated[str, About("Hexadecimal digits")]
    octal: Annotated[str, About("Octal digits")]
    is_set: NotRequired[Annotated[bool, About("For test_bit, whether the bit is set")]]


@tool(
    tags="bitwise and or xor not shift left right bits binary hex integer hamming distance popcount gray code add",
    use_when=(
        "Bitwise AND of 0b1100 and 0b1010",
        "What is 25 XOR 14?",
        "1 shifted left by 10 bits",
        "How many bits are set in 182?",
        "Hamming distance between 1011101 and 1001001",
        "Add the binary numbers 1101 and 1011",
        "Bitwise NOT of a byte",
        "Is bit 3 of 77 set?",
    ),
    examples=(
        Example(
            {"operation": "xor", "first": "0xF0F0", "second": "0x0FF0"},
            {"decimal": "65280", "hexadecimal": "ff00", "binary": "1111111100000000", "octal": "177400"},
            source="by hand, digit by digit",
        ),
        Example({"operation": "not", "first": "37"}, {"decimal": "-38"}, source="two's complement: -x - 1"),
        Example({"operation": "not", "first": "37", "width": 8}, {"binary": "11011010"}, source="by hand: 00100101"),
        Example(
            {"operation": "hamming_distance", "first": "1011101", "second": "1001001", "notation": "binary"},
            {"decimal": "2"},
            source="Wikipedia, Hamming distance",
        ),
        Example(
            {"operation": "shift_left", "first": "10110000", "second": "2", "notation": "binary", "width": 8},
            {"binary": "11000000"},
            source="by hand",
        ),
        Example({"operation": "add", "first": "1F4h", "second": "A3h"}, {"hexadecimal": "297"}, source="500 + 163"),
        Example(
            {"operation": "test_bit", "first": "77", "second": "3"}, {"is_set": True}, source="77 = 64 + 8 + 4 + 1"
        ),
        Example({"operation": "to_gray", "first": "44"}, {"binary": "111010"}, source="101100 xor 010110, by hand"),
        Refusal({"operation": "and", "first": "12"}, "second"),
        Refusal({"operation": "or", "first": "12", "second": "1.5"}, "not an integer"),
        Refusal({"operation": "shift_left", "first": "1", "second": "99999"}, "0 to 4096"),
    ),
    reply="It is {decimal} in decimal, {binary} in binary and {hexadecimal} in hexadecimal.",
)
def integer_combine_bits(
    operation: Annotated[Operation, About("Operation; bits are counted from 0, the lowest")],
    first: Integer,
    second: Annotated[
        str | None,
        About("Second integer; for shifts and single bits the number of positions, in decimal", "10", max_length=2000),
    ] = None,
    notation: Annotated[
        Literal["auto", "binary", "octal", "decimal", "hexadecimal"],
        About("Notation of integers without 0x, 0b or 0o; auto means decimal, or hexadecimal if there are letters"),
    ] = "auto",
    width: Annotated[
        int | None,
        About(
            "Width of the result in bits, such as 8 for a byte; negative results become two's complement",
            8,
            minimum=1,
            maximum=4096,
        ),
    ] = None,
) -> Bits:
    """Combine integers bit by bit: and, or, xor, not, shifts, sums, Hamming distance, set bits, Gray code.

    Integers may be binary, octal, decimal or hexadecimal. Returns the result in all four.
    """
    if operation in _ALONE:
        digits = _digits(first, notation)
        return _render(_ALONE[operation](_read(first, notation), width or digits), width or _keep(operation, digits))
    if second is None:
        raise ToolError(f"{operation} needs a second number. Give it as second.")
    if operation in _PLACED:
        place = _place(second)
        result = _PLACED[operation](_read(first, notation), place)
        rendered = _render(result, width)
        return {**rendered, "is_set": bool(result)} if operation == "test_bit" else rendered
    return _render(_PAIRED[operation](_read(first, notation), _read(second, notation)), width)


def _negative(operation: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda first, second: ~operation(first, second)


def _reverse(value: int, width: int) -> int:
    if value < 0 or value.bit_length() > width:
        raise ToolError(f"The number does not fit in {width} bits. Give a larger width.")
    return int(f"{value:0{width}b}"[::-1], 2)


def _from_gray(value: int, _: int) -> int:
    result = 0
    while value > 0:
        result, value = result ^ value, value >> 1
    return result


_PAIRED: Mapping[str, Callable[[int, int], int]] = {
    "and": int.__and__,
    "or": int.__or__,
    "xor": int.__xor__,
    "nand": _negative(int.__and__),
    "nor": _negative(int.__or__),
    "xnor": _negative(int.__xor__),
    "add": int.__add__,
    "subtract": int.__sub__,
    "multiply": int.__mul__,
    "hamming_distance": lambda first, second: (first ^ second).bit_count(),
}
_PLACED: Mapping[str, Callable[[int, int], int]] = {
    "shift_left": int.__lshift__,
    "shift_right": int.__rshift__,
    "test_bit": lambda value, place: value >> place & 1,
    "set_bit": lambda value, place: value | 1 << place,
    "clear_bit": lambda value, place: value & ~(1 << place),
    "toggle_bit": lambda value, place: value ^ 1 << place,
}
_ALONE: Mapping[str, Callable[[int, int], int]] = {
    "not": lambda value, _: ~value,
    "count_ones": lambda value, _: value.bit_count(),
    "reverse_bits": _reverse,
    "to_gray": lambda value, _: value ^ value >> 1,
    "from_gray": _from_gray,
}


def _parts(number: str, notation: str) -> tuple[str, str, int]:
    """Return sign, digits and base of an integer. Its prefix or a final h takes precedence over the notation."""
    bare = re.sub(r"[\s_]", "", number).lower()
    sign, digits = ("-", bare[1:]) if bare[:1] == "-" else ("", bare.removeprefix("+"))
    if digits[:2] in _PREFIXES and not (notation == "hexadecimal" and digits[:2] == "0b"):
        return sign, digits[2:], _PREFIXES[digits[:2]]
    if digits[:1] != "h" and digits.endswith("h"):
        return sign, digits[:-1], 16
    return sign, digits, _BASES.get(notation, 10 if digits.isdecimal() else 16)


def _read(number: str, notation: str) -> int:
    sign, digits, base = _parts(number, notation)
    try:
        value = int(sign + digits, base)
    except ValueError as error:
        raise ToolError(
            f"{number[:60]!r} is not an integer. Write it as 12, 0x1F or 0b1100, or specify its notation."
        ) from error
    if value.bit_length() > _MOST_BITS:
        raise ToolError(f"The integer has more than {_MOST_BITS} bits. Give a smaller one.")
    return value


def _digits(number: str, notation: str) -> int:
    """Return the number of bits of the digits as written, including leading zeros."""
    _, digits, base = _parts(number, notation)
    return len(digits) * _BITS_A_DIGIT[base] if base in _BITS_A_DIGIT else _read(number, notation).bit_length() or 1


def _keep(operation: str, digits: int) -> int | None:
    """Return the width of a result that is as long as the input."""
    return digits if operation == "reverse_bits" else None


def _place(number: str) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,4}\s*", number) or int(number) > _MOST_BITS:
        raise ToolError(f"The second number must be a number of positions from 0 to {_MOST_BITS}, in decimal.")
    return int(number)


def _render(value: int, width: int | None) -> Bits:
    """Format an integer in all notations, limited to the lowest bits if a width is given."""
    low_bits = value if width is None else value & (1 << width) - 1
    sign, size = "-" * (low_bits < 0), abs(low_bits)
    return {
        "decimal": str(low_bits),
        "binary": f"{sign}{size:0{width or 1}b}",
        "hexadecimal": f"{sign}{size:0{-(-(width or 1) // 4)}x}",
        "octal": f"{sign}{size:o}",
    }
