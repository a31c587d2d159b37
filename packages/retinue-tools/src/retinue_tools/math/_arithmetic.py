"""Exact arithmetic on expressions that are parsed, never executed."""

import ast
import math
import operator
import statistics
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from retinue.sdk import ToolError

Value = Fraction | float

MAX_BITS = 12_000
"""Limit of numerator and denominator: about 3,600 digits. Larger results are rejected before they are computed."""
_MAX_DIGITS = 3600
_MAX_COMBINATORIC = 1000
_NO_ROOT = "A root of a negative number is not a real number."

CONSTANTS: Mapping[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau}


def evaluate(expression: str) -> Value:
    """Return the value of an expression: a Fraction if it is exact, otherwise a float. Raises `ToolError`."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return _value(tree.body, expression.strip())
    except ZeroDivisionError as error:
        raise ToolError("The expression divides by zero.") from error
    except OverflowError as error:
        raise ToolError("A number in the expression becomes too large.") from error
    except (SyntaxError, ValueError, InvalidOperation, RecursionError, MemoryError) as error:
        raise ToolError("This is not an arithmetic expression. Write it as 2 * (3 + 4) ** 2 or sqrt(2) / 3.") from error


def _value(node: ast.expr, source: str) -> Value:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return _literal(ast.get_source_segment(source, node) or "")
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            value = _value(operand, source)
            return -value if isinstance(node.op, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _check_size(_OPERATORS[type(op)](_value(left, source), _value(right, source)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name.lower() in _FUNCTIONS:
            return _check_size(_call(name.lower(), [_value(arg, source) for arg in _list(args)]))
        case ast.List(elts=[inner]):
            return _value(inner, source)
        case ast.Tuple():
            raise ToolError("Write decimals with a point, and commas only between thousands: 1234.5 or 1,234.5.")
    raise ToolError(
        f"{_excerpt(node, source)} is not supported. Functions: {', '.join(_FUNCTIONS)}; constants: pi, e, tau."
    )


def _list(args: list[ast.expr]) -> list[ast.expr]:
    """Return the arguments of a call, with the items of lists as separate arguments."""
    return args[0].elts if len(args) == 1 and isinstance(args[0], ast.List | ast.Tuple) else args


def _literal(digits: str) -> Fraction:
    """Parse a number. Its exponent is checked before it is expanded."""
    if abs(Decimal(digits).adjusted()) > _MAX_DIGITS:
        raise OverflowError
    return Fraction(digits)


def _excerpt(node: ast.expr, source: str) -> str:
    return (ast.get_source_segment(source, node) or "A part of the expression")[:40]


def _check_size(value: Any) -> Value:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise OverflowError
        return value
    exact = Fraction(value)
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > MAX_BITS:
        raise OverflowError
    return exact


def power(base: Value, exponent: Value) -> Value:
    """Return `base ** exponent`, exact for whole exponents and for perfect squares; never more than `MAX_BITS`."""
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        if exponent.denominator == 1:
            return _whole_power(base, exponent.numerator)
        if exponent == Fraction(1, 2):
            return square_root(base)
    if base < 0 and exponent != int(exponent):
        raise ToolError(f"{_NO_ROOT} Odd roots are written cbrt(-8) or root(-32, 5).")
    return math.pow(base, exponent)


def _whole_power(base: Fraction, exponent: int) -> Fraction:
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if (size - 1) * abs(exponent) > MAX_BITS:
        raise OverflowError
    return Fraction(base**exponent)


def square_root(value: Value) -> Value:
    """Return the square root, exact if it is rational."""
    if value < 0:
        raise ToolError(_NO_ROOT)
    if isinstance(value, Fraction):
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return Fraction(top, bottom)
    return math.sqrt(value)


def root(value: Value, degree: Value) -> Value:
    """Return the real root of a degree, exact if it is rational. Odd roots of negative numbers are negative."""
    order = _whole(degree, _MAX_COMBINATORIC)
    if order < 2:
        raise ToolError("A root needs a degree of 2 or more, as in root(32, 5).")
    if value < 0:
        if order % 2 == 0:
            raise ToolError(_NO_ROOT)
        return -root(-value, degree)
    if isinstance(value, Fraction):
        found = Fraction(_whole_root(value.numerator, order), _whole_root(value.denominator, order))
        if found**order == value:
            return found
    return math.cbrt(value) if order == 3 else math.pow(value, 1 / order)


def _whole_root(number: int, order: int) -> int:
    """Return the largest whole number whose power does not exceed the number, by Newton's method from above."""
    if number < 2:
        return number
    guess = 1 << -(-number.bit_length() // order)
    while (better := ((order - 1) * guess + number // guess ** (order - 1)) // order) < guess:
        guess = better
    return guess


def round_value(value: Value, digits: Value = Fraction(0)) -> Value:
    """Round to a number of decimals, halves away from zero."""
    scale = Fraction(10) ** _whole(digits, 300)
    scaled = abs(Fraction(value)) * scale
    return Fraction(math.floor(scaled + Fraction(1, 2))) / scale * (1 if value >= 0 else -1)


def _whole(value: Value, most: int) -> int:
    if value != int(value) or not -most <= value <= most:
        raise ToolError(f"A whole number of at most {most} is required instead of {float(value):g}.")
    return int(value)


def _limit_count(function: Callable[..., int]) -> Callable[..., int]:
    """Wrap a function of non-negative integers whose results grow fast."""

    def count(*values: Value) -> int:
        if any(value < 0 for value in values):
            raise ToolError("Negative numbers have no factorial, combinations or permutations.")
        return function(*(_whole(value, _MAX_COMBINATORIC) for value in values))

    return count


def _integral(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *values: function(*(_whole(value, 2**MAX_BITS) for value in values))


def _logarithm(value: Value, base: Value = math.e) -> float:
    if value <= 0 or base <= 0 or base == 1:
        raise ToolError("A logarithm needs a positive number, and a positive base other than 1.")
    return math.log(value) / math.log(base) if base != math.e else math.log(value)


def _sum(first: Value, *others: Value) -> Value:
    return sum(others, first)


def _mean(*values: Value) -> Value:
    return _sum(*values) / len(values)


def _median(first: Value, *others: Value) -> Value:
    middle: Value = statistics.median([Fraction(value) for value in (first, *others)])
    return middle if all(isinstance(value, Fraction) for value in (first, *others)) else float(middle)


def _call(name: str, values: list[Value]) -> Any:
    try:
        return _FUNCTIONS[name](*values)
    except TypeError as error:
        raise ToolError(f"{name} does not accept {len(values)} argument{'s' if len(values) != 1 else ''}.") from error
    except ValueError as error:
        raise ToolError(f"{name} is not defined for {', '.join(f'{float(value):g}' for value in values)}.") from error


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: power,
}

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": square_root, "cbrt": lambda value: root(value, Fraction(3)), "root": root, "abs": abs, "round": round_value,
    "floor": math.floor, "ceil": math.ceil, "mod": operator.mod, "min": min, "max": max,
    "sum": _sum, "mean": _mean, "average": _mean, "avg": _mean, "median": _median,
    "factorial": _limit_count(math.factorial), "comb": _limit_count(math.comb), "perm": _limit_count(math.perm),
    "ncr": _limit_count(math.comb), "npr": _limit_count(math.perm),
    "gcd": _integral(math.gcd), "lcm": _integral(math.lcm), "hypot": math.hypot,
    "exp": math.exp, "ln": _logarithm, "log": _logarithm,
    "log10": lambda value: _logarithm(value, Fraction(10)), "log2": lambda value: _logarithm(value, Fraction(2)),
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "degrees": math.degrees, "radians": math.radians,
}  # fmt: skip
