"""Arithmetic with numbers that are written in another base or in Roman numerals."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._arithmetic import MAX_BITS
from retinue_tools.math.roman import from_roman, to_roman

Notation = Literal["binary", "octal", "decimal", "hexadecimal", "roman"]

_BASES: Mapping[str, int] = {"binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16}
_PREFIXED: Mapping[str, int] = {"0x": 16, "0o": 8, "0b": 2}
_WORDS = (
    (r"\bplus\b", "+"),
    (r"\bminus\b|[\u2212\u2013]", "-"),
    (r"\btimes\b|[\u00d7\u00b7]", "*"),
    (r"\bdivided by\b|\u00f7", "/"),
    (r"\bmod\b", "%"),
    (r"\^", "**"),
)
_NUMBER = re.compile(r"\w+")


class BaseResult(TypedDict):
    """A whole number in the notations that people ask for."""

    result: Annotated[str, About("The result in the notation of the calculation")]
    binary: str
    octal: str
    decimal: str
    hexadecimal: str
    roman: Annotated[str | None, About("As a Roman numeral; null outside 1 to 3999")]
    remainder: Annotated[str | None, About("What the division leaves, in the notation of the calculation")]


@tool(
    tags="binary hexadecimal octal roman numeral add subtract multiply divide arithmetic base sum power",
    use_when=(
        "What is 1011 + 1101 in binary?",
        "Add the hex numbers 1F4 and A3",
        "XIV plus XXIX in Roman numerals",
        "Subtract 0x2A from 0xFF",
        "Multiply the octal numbers 17 and 25",
    ),
    examples=(
        Example(
            {"expression": "1011 + 1101", "notation": "binary"},
            {
                "result": "11000",
                "decimal": "24",
                "remainder": None,
                "binary": "11000",
                "octal": "30",
                "hexadecimal": "18",
                "roman": "XXIV",
            },
            source="11 + 13 = 24 = 16 + 8, by hand",
        ),
        Example(
            {"expression": "XIV + XXIX", "notation": "roman"},
            {"result": "XLIII", "decimal": "43"},
            source="14 + 29, by hand",
        ),
        Example({"expression": "FF * 1F", "notation": "hexadecimal"}, {"result": "1EE1"}, source="255 * 31 = 7905"),
        Example(
            {"expression": "10111 / 100", "notation": "binary"},
            {"result": "101", "remainder": "11"},
            source="23 = 5 * 4 + 3, by hand",
        ),
        Refusal({"expression": "102 + 1", "notation": "binary"}, "102 is no binary number"),
        Refusal({"expression": "V - X", "notation": "roman"}, "1 to 3999"),
    ),
)
def number_calculate_in_base(
    expression: Annotated[
        str,
        About(
            "Calculation with + - * / % **, its numbers as they are written in the request",
            "1011 + 1101",
            min_length=1,
            max_length=500,
        ),
    ],
    notation: Annotated[Notation, About("How its numbers are written; 0x, 0o and 0b in front may tell otherwise")],
) -> BaseResult:
    """Calculate with whole numbers that are binary, octal, decimal, hexadecimal or Roman numerals.

    Use it for sums, products and quotients in another base. Returns the result in all of these, and what a division
    leaves.
    """
    value, rest = _outermost(_tree(expression, notation))
    return {
        "result": _render(value, notation),
        "binary": f"{value:b}",
        "octal": f"{value:o}",
        "decimal": str(value),
        "hexadecimal": f"{value:X}",
        "roman": to_roman(value) if 1 <= value <= 3999 else None,
        "remainder": _render(rest, notation) if rest else None,
    }


def _tree(expression: str, notation: Notation) -> ast.expr:
    """The calculation with its numbers in base 10."""
    for pattern, sign in _WORDS:
        expression = re.sub(pattern, sign, expression, flags=re.IGNORECASE)
    decimal = _NUMBER.sub(lambda found: str(_read(found[0], notation)), expression.replace(",", ""))
    try:
        return ast.parse(decimal.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError("This is no calculation. Write it like 1011 + 1101 or (1F4 - A3) * 2.") from error


def _read(number: str, notation: Notation) -> int:
    if notation == "roman":
        return int(number) if number.isdecimal() else from_roman(number.upper())
    prefix = number[:2].lower()
    base = _BASES[notation]
    if prefix in _PREFIXED and (base != 16 or prefix != "0b"):
        base, number = _PREFIXED[prefix], number[2:]
    try:
        return int(number, base)
    except ValueError as error:
        raise ToolError(f"{number[:40]} is no {notation} number. Name the notation that its digits have.") from error


def _render(value: int, notation: Notation) -> str:
    if notation == "roman":
        return to_roman(value)
    return format(value, {"binary": "b", "octal": "o", "decimal": "d", "hexadecimal": "X"}[notation])


def _outermost(node: ast.expr) -> tuple[int, int]:
    """The value, and what is left if the last step is a division."""
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return divmod(_value(left), _divisor(right))
    return _value(node), 0


def _value(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=ast.Div() | ast.FloorDiv() | ast.Mod() as op, right=right):
            return _divide(_value(left), _divisor(right), op)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _check_size(_OPERATORS[type(op)](_value(left), _value(right)))
    raise ToolError("Only whole numbers with + - * / // % ** and parentheses are understood.")


def _divide(value: int, divisor: int, op: ast.operator) -> int:
    whole, rest = divmod(value, divisor)
    if rest and isinstance(op, ast.Div):
        raise ToolError("A division within the calculation leaves a remainder. Write // for the whole quotient.")
    return rest if isinstance(op, ast.Mod) else whole


def _divisor(node: ast.expr) -> int:
    if divisor := _value(node):
        return divisor
    raise ToolError("The calculation divides by zero.")


def _check_size(value: int) -> int:
    if value.bit_length() > MAX_BITS:
        raise ToolError("A number in the calculation becomes too large.")
    return value


def _power(base: int, exponent: int) -> int:
    if exponent < 0 or (base.bit_length() - 1) * exponent > MAX_BITS:
        raise ToolError("Exponents must not be negative, nor make a number too large.")
    return int(base**exponent)


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: _power,
}
