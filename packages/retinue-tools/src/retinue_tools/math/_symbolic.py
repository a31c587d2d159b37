"""Symbolic expressions: parsed through an allow-listed syntax tree, never executed, and formatted for people."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal, NotRequired

import sympy
from sympy.polys.polyerrors import BasePolynomialError
from typing_extensions import TypedDict

from retinue.sdk import About, ToolError
from retinue_tools.math._notation import in_letters

Assumption = Annotated[Literal["complex", "real", "positive", "integer"], About("Domain of all variables")]
Variable = Annotated[
    str, About("Name of the variable", "x", pattern="^[A-Za-z][A-Za-z0-9_]*$", min_length=1, max_length=20)
]
Formula = Annotated[
    str,
    About(
        "Expression with + - * / ^, parentheses, functions such as sqrt, exp, ln, sin, abs, and the constants pi, e, "
        "I (imaginary unit) and oo (infinity); other names are variables",
        "x^2 + 2*x + 1",
        min_length=1,
        max_length=1000,
    ),
]

_MAX_BITS = 4000
_MAX_EXPONENT = 100
_MAX_GROWING = 500
_MAX_WRITTEN = 20_000
_MAX_NODES = 400
_MAX_NAMES = 15


def _power(base: Any, exponent: Any) -> Any:
    if exponent.is_number and exponent.is_finite and exponent.is_real:
        size = max(abs(base.p).bit_length(), base.q.bit_length()) if base.is_Rational else 1
        most = 10_000 if base.is_number else _MAX_EXPONENT
        if abs(exponent) > most or (size - 1) * abs(exponent) > _MAX_BITS:
            raise ToolError("An exponent is too large. Whole powers of expressions are limited to 100.")
    return base**exponent


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.Pow: _power,
}
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_PRODUCTS = (
    (r"(?<![\w.])(\d+\.?\d*)(?!e[+-]?\d)(?=[A-Za-z(])", r"\1*"),
    (r"\)\s*(?=[A-Za-z0-9(])", ")*"),
)


class Answer(TypedDict):
    """An expression in program notation and LaTeX."""

    result: Annotated[str, About("The expression with ** for powers and * for products")]
    latex: Annotated[str, About("The expression in LaTeX")]
    value: NotRequired[Annotated[float, About("Value, if it is a real number that a double can represent")]]


@cache
def _functions() -> Mapping[str, tuple[Any, int, int]]:
    """Return the allowed functions, with their minimum and maximum numbers of arguments."""
    one = [
        "sqrt",
        "exp",
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "asin",
        "acos",
        "atan",
        "acot",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "floor",
        "sign",
        "erf",
    ]
    functions = {name: (getattr(sympy, name), 1, 1) for name in one}
    return functions | {
        "cbrt": (lambda value: value ** sympy.Rational(1, 3), 1, 1),
        "ceil": (sympy.ceiling, 1, 1),
        "abs": (sympy.Abs, 1, 1),
        "conjugate": (sympy.conjugate, 1, 1),
        "re": (sympy.re, 1, 1),
        "im": (sympy.im, 1, 1),
        "ln": (sympy.log, 1, 1),
        "log": (sympy.log, 1, 2),
        "log10": (lambda value: sympy.log(value, 10), 1, 1),
        "log2": (lambda value: sympy.log(value, 2), 1, 1),
        "atan2": (sympy.atan2, 2, 2),
        "min": (sympy.Min, 1, 10),
        "max": (sympy.Max, 1, 10),
        "factorial": (_limit_growth(sympy.factorial), 1, 1),
        "binomial": (_limit_growth(sympy.binomial), 2, 2),
        "gamma": (_limit_growth(sympy.gamma), 1, 1),
        "zeta": (_limit_growth(sympy.zeta), 1, 1),
        "Heaviside": (sympy.Heaviside, 1, 1),
        "DiracDelta": (sympy.DiracDelta, 1, 1),
    }


def _limit_growth(function: Any) -> Callable[..., Any]:
    """Wrap a function that would compute enormous numbers for large arguments."""

    def check_and_call(*values: Any) -> Any:
        if any(value.is_number and not abs(value) <= _MAX_GROWING for value in values):
            raise ToolError(f"Factorials, binomials, gamma and zeta accept numbers up to {_MAX_GROWING}.")
        return function(*values)

    return check_and_call


def parse(text: str, assume: Assumption = "complex") -> Any:
    """Parse a text to a sympy expression or relation. Raises `ToolError`."""
    return _Reader(assume).read(text)


def parse_expression(text: str, assume: Assumption = "complex") -> Any:
    """Parse an expression that is not a relation."""
    found = parse(text, assume)
    if not isinstance(found, sympy.Expr):
        raise ToolError(f"{text[:60]} is an equation or inequality. An expression without = or < is required.")
    return found


def parse_equation(text: str, assume: Assumption = "complex") -> Any:
    """Parse an equation to an expression that must be zero; an expression alone is set equal to zero."""
    sides = re.split(r"(?<![<>=!])=+(?!=)", text)
    if len(sides) > 2:
        raise ToolError("An equation has one = sign.")
    left, *right = (parse_expression(side, assume) for side in sides)
    return left - right[0] if right else left


def parse_matrix(rows: list[list[str]]) -> Any:
    """Parse a matrix of expressions. Raises `ToolError` if its rows differ in length."""
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ToolError("All rows of the matrix must have the same number of entries, at least one.")
    return sympy.Matrix([[parse_expression(entry) for entry in row] for row in rows])


def symbol(name: str, expression: Any, assume: Assumption = "complex") -> Any:
    """Return the symbol with that name and the assumptions of the expression."""
    return next((one for one in expression.free_symbols if one.name == name), _symbol(name, assume))


def only_symbol(expression: Any, name: str | None) -> Any:
    """Return the named symbol, or the only one of the expression if no name is given."""
    free = sorted(expression.free_symbols, key=str)
    if name is not None:
        return symbol(name, expression)
    if len(free) != 1:
        found = ", ".join(map(str, free)) or "none"
        raise ToolError(f"Specify the variable: the expression has {found}.")
    return free[0]


def real_number(value: Any) -> float | None:
    """Return the value of an expression as a finite double, or None."""
    if value.free_symbols:
        return None
    try:
        number = complex(value.evalf(17))
    except (TypeError, ValueError, ArithmeticError, AttributeError):
        return None
    real = abs(number.imag) <= 1e-14 * max(1.0, abs(number.real))
    return number.real if real and abs(number.real) < 1e308 else None


def format_expression(value: Any) -> str:
    """Format an expression as text. Raises `ToolError` if it is too long to be useful."""
    text = str(sympy.sstr(value))
    if len(text) > _MAX_WRITTEN:
        raise ToolError("The result is too long to display. Simplify the problem.")
    return text


def answer(value: Any) -> Answer:
    """Return an expression in all its forms."""
    found: Answer = {"result": format_expression(value), "latex": str(sympy.latex(value))}
    number = real_number(value) if isinstance(value, sympy.Expr) else None
    if number is not None:
        found["value"] = number
    return found


@contextmanager
def attempt(failure: str) -> Iterator[None]:
    """Convert sympy errors for unsolvable problems to a `ToolError` with this message."""
    try:
        yield
    except (
        ArithmeticError, ValueError, TypeError, AttributeError, LookupError, RuntimeError, AssertionError, MemoryError,
        BasePolynomialError,
    ) as error:  # fmt: skip
        raise ToolError(failure) from error


def _symbol(name: str, assume: Assumption) -> Any:
    return sympy.Symbol(name) if assume == "complex" else sympy.Symbol(name, **{assume: True})


class _Reader:
    """Walks the syntax tree of a text."""

    def __init__(self, assume: Assumption) -> None:
        self.assume = assume
        self.source = ""

    def read(self, text: str) -> Any:
        self.source = in_letters(text.strip()).replace("^", "**")
        for pattern, product in _PRODUCTS:
            self.source = re.sub(pattern, product, self.source)
        try:
            tree = ast.parse(self.source, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ToolError(f"{text[:60]} is not an expression. Write it as 2*x^2 + sin(x)/3.") from error
        if sum(1 for _ in ast.walk(tree)) > _MAX_NODES * 3:
            raise ToolError("The expression is too long.")
        with attempt(f"{text[:60]} cannot be computed."):
            found = self._value(tree.body)
        if found.has(sympy.nan, sympy.zoo):
            raise ToolError(f"{text[:60]} is undefined: it divides by zero or takes the logarithm of zero.")
        if len(found.free_symbols) > _MAX_NAMES:
            raise ToolError(f"An expression may have at most {_MAX_NAMES} variables.")
        return found

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return self._literal(node)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
                value = self._value(operand)
                return -value if isinstance(node.op, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](self._value(left), self._value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                return sympy.Rel(self._value(left), self._value(right), _COMPARISONS[type(op)])
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _functions():
                return self._call(name, args)
        part = (ast.get_source_segment(self.source, node) or "A part of the expression")[:40]
        raise ToolError(f"{part} is not supported. Functions: {', '.join(_functions())}. Write products with *.")

    def _literal(self, node: ast.Constant) -> Any:
        digits = (ast.get_source_segment(self.source, node) or "").replace("_", "")
        if abs(Decimal(digits).adjusted()) > 1000:
            raise ToolError("A number in the expression is too large.")
        return sympy.Rational(digits)

    def _name(self, name: str) -> Any:
        constants = {"pi": sympy.pi, "e": sympy.E, "E": sympy.E, "I": sympy.I, "oo": sympy.oo, "inf": sympy.oo}
        return constants.get(name) or _symbol(name[:20], self.assume)

    def _call(self, name: str, args: list[ast.expr]) -> Any:
        function, least, most = _functions()[name]
        if not least <= len(args) <= most:
            raise ToolError(f"{name} accepts {least}{'' if least == most else f' to {most}'} values, not {len(args)}.")
        return function(*map(self._value, args))
