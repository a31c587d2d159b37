"""Bit representation of numbers."""

import math
import re
import struct
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import EXACT

_FORMATS = {"half": ("e", 5, 10), "single": ("f", 8, 23), "double": ("d", 11, 52)}
FloatKind = Literal["normal", "subnormal", "zero", "infinity", "nan"]


class Float(TypedDict):
    """Parts of a floating-point number."""

    hex: Annotated[str, About("Bytes as hexadecimal digits, most significant first")]
    sign: Annotated[int, About("Sign bit: 1 for negative")]
    exponent_bits: Annotated[str, About("Bits of the biased exponent")]
    mantissa_bits: Annotated[str, About("Bits of the fraction")]
    exponent: Annotated[int, About("Unbiased exponent")]
    kind: Annotated[FloatKind, About("Kind of number")]
    exact: Annotated[str, About("Exact stored value in decimal digits")]
    error: Annotated[str, About("Stored minus given value; empty if bytes were given")]
    next_up: Annotated[str, About("Next greater number of the format; empty if there is none")]


class Packed(TypedDict):
    """An integer and its bytes."""

    value: Annotated[int | str, About("Integer; as text from 2^53 on")]
    hex: Annotated[str, About("Bytes in order")]
    bits: Annotated[str, About("Bits of the bytes in order")]


@tool(
    tags="ieee754 float double bits mantissa exponent precision inspect hex",
    use_when=("How is 0.1 stored as a double?", "Which float has the bytes 40490fdb?", "Why is 0.1 + 0.2 not 0.3?"),
    examples=(
        Example(
            {"number": "1.0"},
            {
                "hex": "3ff0000000000000",
                "sign": 0,
                "exponent": 0,
                "kind": "normal",
                "exponent_bits": "01111111111",
                "mantissa_bits": "0000000000000000000000000000000000000000000000000000",
                "error": "0.0",
                "next_up": "1.0000000000000002",
            },
            source="IEEE 754, binary64",
        ),
        Example(
            {"number": "0.1"},
            {"exact": "0.1000000000000000055511151231257827021181583404541015625"},
            source="Python documentation, Floating-Point Arithmetic",
        ),
        Example(
            {"number": "0x40490fdb", "size": "single"},
            {"exact": "3.1415927410125732421875", "exponent": 1},
            source="IEEE 754, binary32 nearest to pi",
        ),
        Refusal({"number": "1e999"}, "too large"),
        Refusal({"number": "0x40", "size": "single"}, "8 hexadecimal digits"),
    ),
    reply="It is stored as {hex}, which is exactly {exact}.",
)
def float_inspect_bits(
    number: Annotated[
        str, About("Decimal number, or the bytes as 0x and hexadecimal digits", "0.1", min_length=1, max_length=100)
    ],
    size: Annotated[Literal["half", "single", "double"], About("Format of 16, 32 or 64 bits")] = "double",
) -> Float:
    """Inspect a floating-point number of IEEE 754: sign, exponent and mantissa bits, and its exact stored value.

    Use it to explain rounding errors or to read raw bytes. Returns the parts, the value with all its digits, the error
    relative to the given number, and the next greater number.
    """
    letter, exponent_size, mantissa_size = _FORMATS[size]
    width = (1 + exponent_size + mantissa_size) // 8
    content, decimal = _float_bytes(number, letter, width)
    value = struct.unpack(f">{letter}", content)[0]
    bits = f"{int.from_bytes(content, 'big'):0{width * 8}b}"
    biased = int(bits[1 : 1 + exponent_size], 2)
    top = 2**exponent_size - 1
    special: dict[int, FloatKind] = {
        top: "infinity" if math.isinf(value) else "nan",
        0: "subnormal" if value else "zero",
    }
    finite = math.isfinite(value)
    return {
        "hex": content.hex(),
        "sign": int(bits[0]),
        "exponent_bits": bits[1 : 1 + exponent_size],
        "mantissa_bits": bits[1 + exponent_size :],
        "exponent": max(biased, 1) - top // 2,
        "kind": special.get(biased, "normal"),
        "exact": format(Decimal(value), "f") if finite else str(value),
        "error": str(Decimal(value) - decimal) if decimal is not None and finite else "",
        "next_up": _next_up(value, content, letter) if finite else "",
    }


@tool(
    tags="integer bytes pack unpack endian little big signed two's complement hex",
    use_when=(
        "What is -2 as a signed 16-bit integer in hex?",
        "Which integer are the bytes 01 00 00 00 in little-endian?",
        "Read fffe as int16",
    ),
    examples=(
        Example(
            {"value": "-2", "bits": 16, "signed": True},
            {"hex": "fffe", "bits": "1111111111111110"},
            source="two's complement by hand",
        ),
        Example({"hex_digits": "78563412", "bits": 32, "order": "little"}, {"value": 0x12345678}, source="by hand"),
        Example({"hex_digits": "ffffffffffffffff", "bits": 64}, {"value": "18446744073709551615"}, source="2^64 - 1"),
        Refusal({"value": "256", "bits": 8}, "does not fit"),
        Refusal({"hex_digits": "ff", "bits": 16}, "4 hexadecimal digits"),
    ),
    reply={
        "args.hex_digits": "The bytes are the integer {value}.",
        "": "{value} is {hex} in hexadecimal and {bits} in bits.",
    },
)
def integer_pack_bytes(
    bits: Annotated[Literal[8, 16, 24, 32, 48, 64, 128], About("Size of the integer")],
    value: Annotated[
        str | None,
        About(
            "Integer to pack, decimal or 0x",
            "-2",
            pattern="^\\s*[-+]?(0[xX][0-9a-fA-F]{1,32}|[0-9]{1,40})\\s*$",
            max_length=50,
        ),
    ] = None,
    hex_digits: Annotated[
        str | None, About("Bytes to unpack", "fffe", pattern="^[0-9a-fA-F\\s:]+$", max_length=60)
    ] = None,
    signed: Annotated[bool, About("Whether integers are signed, as two's complement")] = False,
    order: Annotated[Literal["big", "little"], About("Byte order")] = "big",
) -> Packed:
    """Pack an integer to bytes or unpack bytes to an integer, signed or unsigned, big- or little-endian.

    Use it for registers, file headers and network packets. Returns the integer, its bytes and its bits.
    """
    if (value is None) == (hex_digits is None):
        raise ToolError("Give a value to pack or hex_digits to unpack, not both.")
    size = bits // 8
    if hex_digits is not None:
        bare = "".join(hex_digits.replace(":", "").split())
        if len(bare) != size * 2:
            raise ToolError(f"{bits} bits need {size * 2} hexadecimal digits, but {len(bare)} were given.")
        content = bytes.fromhex(bare)
    else:
        text = (value or "").strip().lower()
        number = int(text, 16) if "x" in text else int(text)
        try:
            content = number.to_bytes(size, order, signed=signed)
        except OverflowError as error:
            raise ToolError(f"{number} does not fit in {'signed' if signed else 'unsigned'} {bits} bits.") from error
    unpacked = int.from_bytes(content, order, signed=signed)
    exact = unpacked if abs(unpacked) < EXACT else str(unpacked)
    return {"value": exact, "hex": content.hex(), "bits": "".join(f"{byte:08b}" for byte in content)}


def _float_bytes(number: str, letter: str, width: int) -> tuple[bytes, Decimal | None]:
    """Return the bytes of a number, and the number itself unless bytes were given."""
    text = number.strip()
    if text.lower().startswith("0x"):
        if not re.fullmatch(f"[0-9a-fA-F]{{{width * 2}}}", text[2:]):
            raise ToolError(f"After 0x, {width * 2} hexadecimal digits are required.")
        return bytes.fromhex(text[2:]), None
    try:
        decimal = Decimal(text)
        content = struct.pack(f">{letter}", float(text))
    except (InvalidOperation, ValueError) as error:
        raise ToolError(f"{text!r} is not a number. Write it as 0.1, or its bytes as 0x40490fdb.") from error
    except OverflowError as error:
        raise ToolError(f"{text} is too large for the format.") from error
    if decimal.is_finite() and math.isinf(struct.unpack(f">{letter}", content)[0]):
        raise ToolError(f"{text} is too large for the format.")
    return content, decimal if decimal.is_finite() and abs(decimal.adjusted()) < 400 else None


def _next_up(value: float, content: bytes, letter: str) -> str:
    code = int.from_bytes(content, "big")
    above = 1 if value == 0 else code + 1 if value > 0 else code - 1
    greater = struct.unpack(f">{letter}", above.to_bytes(len(content), "big"))[0]
    return str(greater) if math.isfinite(greater) else ""
