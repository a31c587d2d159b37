"""The bits of a whole number."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_LONGEST = 1000


class IntegerBits(TypedDict):
    """What a number is made of in binary."""

    binary: str
    bit_length: Annotated[int, About("Bits that it needs")]
    ones: Annotated[int, About("Set bits (population count)")]
    zeros: Annotated[int, About("Bits not set, below the highest one")]
    trailing_zeros: int
    parity: str
    is_power_of_two: bool
    next_power_of_two: Annotated[str, About("The least power of two that is not smaller")]


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
)
def integer_describe_bits(
    number: Annotated[
        str, About("Whole number from 0 on; 0x, 0b and 0o are read", "1000", min_length=1, max_length=_LONGEST)
    ],
) -> IntegerBits:
    """Describe the bits of a whole number: how many it needs, how many are set, and the next power of two."""
    try:
        value = int(number.replace(",", "").replace(" ", ""), 0)
    except ValueError as error:
        raise ToolError(f"{number} is not a whole number. Write it as 1000 or 0x3E8.") from error
    if value < 0:
        raise ToolError("Give a whole number from 0 on.")
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
