"""Roman numerals, arithmetic in other number bases, and scientific notation."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._arithmetic import MAX_BITS
from retinue_tools.math._notation import remove_thousands_separators

_SYMBOLS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


class RomanNumber(TypedDict):
    """A number in decimal and Roman notation."""

    number: Annotated[int, About("The number in digits")]
    roman: Annotated[str, About("The number as a Roman numeral")]


@tool(
    tags="roman numeral latin convert",
    use_when=(
        "What is MCMXCIV as a number?",
        "Write 2026 in Roman numerals",
        "Which year is MDCCLXXVI?",
        "Roman numerals",
        "What number is XIV?",
        "Which number does MCMLXXXIV stand for?",
    ),
    examples=(
        Example(
            {"number": "3999"},
            {"roman": "MMMCMXCIX"},
            source="Wikipedia, Roman numerals: the largest in standard form",
        ),
        Example({"number": "mcmxcix"}, {"number": 1999}, source="Wikipedia, Roman numerals: M CM XC IX is 1999"),
        Refusal({"number": "IIII"}, "not a Roman numeral"),
        Refusal({"number": "4000"}, "between 1 and 3999"),
    ),
    reply="{number} is {roman} in Roman numerals.",
)
def number_convert_roman(
    number: Annotated[
        str, About("A whole number from 1 to 3999, or a Roman numeral", "MCMXCIV", min_length=1, max_length=20)
    ],
) -> RomanNumber:
    """Convert a number to a Roman numeral, or a Roman numeral to a number. Returns both forms."""
    text = number.strip().upper()
    if re.fullmatch("[0-9]+", text):
        return {"number": int(text), "roman": to_roman(int(text))}
    value = from_roman(text)
    return {"number": value, "roman": text}


def to_roman(value: int) -> str:
    """Return the standard form of a number. Raises `ToolError` outside 1 to 3999."""
    if not 1 <= value <= 3999:
        raise ToolError("Roman numerals must be between 1 and 3999.")
    numeral = ""
    for amount, symbol in _SYMBOLS:
        count, value = divmod(value, amount)
        numeral += symbol * count
    return numeral


def from_roman(numeral: str) -> int:
    """Return the value of a numeral in standard form. Raises `ToolError` for anything else."""
    value, rest = 0, numeral
    for amount, symbol in _SYMBOLS:
        while rest.startswith(symbol):
            value, rest = value + amount, rest.removeprefix(symbol)
    if rest or not 1 <= value <= 3999 or to_roman(value) != numeral:
        raise ToolError(f"{numeral} is not a Roman numeral in standard form. An example is MCMXCIV.")
    return value


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
    """A whole number in several notations."""

    result: Annotated[str, About("Result in the notation of the calculation")]
    binary: str
    octal: str
    decimal: str
    hexadecimal: str
    roman: Annotated[str | None, About("Roman numeral; null outside 1 to 3999")]
    remainder: Annotated[str | None, About("Remainder of a division, in the notation of the calculation")]


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
        Refusal({"expression": "102 + 1", "notation": "binary"}, "is not a binary number"),
        Refusal({"expression": "V - X", "notation": "roman"}, "must be between 1 and 3999"),
    ),
    reply={
        "remainder": "The result is {result}, remainder {remainder}; that is {decimal} in decimal.",
        "": "It is {result}, in decimal {decimal}.",
    },
)
def number_calculate_in_base(
    expression: Annotated[
        str,
        About(
            "Calculation with + - * / % **, with numbers as written in the request",
            "1011 + 1101",
            min_length=1,
            max_length=500,
        ),
    ],
    notation: Annotated[Notation, About("Notation of its numbers; the prefixes 0x, 0o and 0b take precedence")],
) -> BaseResult:
    """Calculate with whole numbers that are binary, octal, decimal, hexadecimal or Roman numerals.

    Use it for sums, products and quotients in another base. Returns the result in all of these notations, and the
    remainder of a division.
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
    """Return the calculation with its numbers in base 10."""
    for pattern, sign in _WORDS:
        expression = re.sub(pattern, sign, expression, flags=re.IGNORECASE)
    decimal = _NUMBER.sub(lambda found: str(_read(found[0], notation)), expression.replace(",", ""))
    try:
        return ast.parse(decimal.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError("This is not a calculation. Write it as 1011 + 1101 or (1F4 - A3) * 2.") from error


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
        raise ToolError(f"{number[:40]} is not a {notation} number. Specify the notation of its digits.") from error


def _render(value: int, notation: Notation) -> str:
    if notation == "roman":
        return to_roman(value)
    return format(value, {"binary": "b", "octal": "o", "decimal": "d", "hexadecimal": "X"}[notation])


def _outermost(node: ast.expr) -> tuple[int, int]:
    """Return the value, and the remainder if the last step is a division."""
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
    raise ToolError("Only whole numbers with + - * / // % ** and parentheses are supported.")


def _divide(value: int, divisor: int, op: ast.operator) -> int:
    whole, rest = divmod(value, divisor)
    if rest and isinstance(op, ast.Div):
        raise ToolError("A division within the calculation has a remainder. Write // for the whole quotient.")
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
        raise ToolError("Exponents must not be negative, and must not make a number too large.")
    return int(base**exponent)


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: _power,
}

_LONGEST = 400
_POWER = re.compile(r"[*x\u00b7\u00d7]10(?:\*\*|\^)?")
_PREFIXES = {
    30: "quetta", 27: "ronna", 24: "yotta", 21: "zetta", 18: "exa", 15: "peta", 12: "tera", 9: "giga", 6: "mega",
    3: "kilo", 0: "", -3: "milli", -6: "micro", -9: "nano", -12: "pico", -15: "femto", -18: "atto", -21: "zepto",
    -24: "yocto", -27: "ronto", -30: "quecto",
}  # fmt: skip


class PowersOfTen(TypedDict):
    """A number in several notations."""

    scientific: Annotated[str, About("Scientific notation, one digit before the point: 4.5 x 10^-4")]
    e_notation: Annotated[str, About("E notation: 4.5e-4")]
    engineering: Annotated[str, About("Engineering notation, with a power of a thousand: 450 x 10^-6")]
    plain: Annotated[str, About("Plain notation")]
    mantissa: str
    exponent: int
    prefix: Annotated[str | None, About("SI prefix of the engineering notation, such as micro")]


@tool(
    tags="scientific notation standard form engineering exponent mantissa power of ten e-notation decimal write out",
    use_when=(
        "What is 0.00045 in scientific notation?",
        "Write 6.02e23 out in full",
        "93,000,000 in standard form",
        "Engineering notation of 47300",
    ),
    examples=(
        Example(
            {"number": "0.00045"},
            {"scientific": "4.5 x 10^-4", "engineering": "450 x 10^-6", "exponent": -4, "prefix": "micro"},
            source="by hand",
        ),
        Example({"number": "2", "digits": 100}, {"scientific": "2 x 10^0", "plain": "2"}, source="by hand"),
        Example({"number": "123456", "digits": 3}, {"plain": "123000", "exponent": 5}, source="by hand"),
        Example({"number": "3.2 x 10^5"}, {"plain": "320000", "e_notation": "3.2e5"}, source="by hand"),
        Refusal({"number": "many"}, "not a number"),
    ),
    reply="{plain} is {scientific} in scientific and {engineering} in engineering notation.",
)
def number_convert_scientific(
    number: Annotated[
        str, About("Number in any notation: 0.00045, 4.5e-4, 4.5 x 10^-4", "0.00045", max_length=_LONGEST)
    ],
    digits: Annotated[int | None, About("Significant digits to round to", 3, minimum=1, maximum=100)] = None,
) -> PowersOfTen:
    """Convert a number between plain, scientific (standard form) and engineering notation.

    Use it for very large and very small numbers. Returns all notations.
    """
    value = _parse(number)
    if digits and value:
        value = Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(value)
    exponent = value.adjusted() if value else 0
    power = exponent // 3 * 3
    mantissa = _digits(value.scaleb(-exponent))
    return {
        "scientific": f"{mantissa} x 10^{exponent}",
        "e_notation": f"{mantissa}e{exponent}",
        "engineering": f"{_digits(value.scaleb(-power))} x 10^{power}",
        "plain": _digits(value),
        "mantissa": mantissa,
        "exponent": exponent,
        "prefix": _PREFIXES.get(power),
    }


def _parse(text: str) -> Decimal:
    plain = remove_thousands_separators(text).replace("_", "").replace("\N{MINUS SIGN}", "-").casefold()
    plain = _POWER.sub("e", "".join(plain.split()))
    try:
        value = Decimal(plain)
    except InvalidOperation as error:
        raise ToolError(f"{text} is not a number. Write it as 0.00045, 4.5e-4 or 4.5 x 10^-4.") from error
    if not value.is_finite() or abs(value.adjusted()) > _LONGEST:
        raise ToolError(f"The number must be finite, with at most {_LONGEST} digits written out.")
    return value


def _digits(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
