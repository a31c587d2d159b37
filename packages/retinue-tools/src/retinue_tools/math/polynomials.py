"""Division of polynomials and properties of quadratic expressions."""

from typing import Annotated, Any

import sympy
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import Formula, attempt, format_expression, only_symbol, parse_expression, real_number

MaybeVariable = Annotated[str | None, About("Variable; optional if there is only one", "x", max_length=20)]
_MOST_DEGREE = 200


class Division(TypedDict):
    """Result of dividing polynomials."""

    quotient: str
    remainder: Annotated[str, About("Remainder, of lower degree than the divisor; 0 if it divides evenly")]
    divides_evenly: bool
    gcd: Annotated[str, About("Greatest common divisor of both")]
    check: Annotated[str, About("The dividend as quotient * divisor + remainder")]


class Parabola(TypedDict):
    """A quadratic expression and its graph."""

    completed_square: Annotated[str, About("Vertex form a*(x - h)**2 + k")]
    vertex_x: str
    vertex_y: Annotated[str, About("Minimum if it opens upwards, otherwise maximum")]
    opens: Annotated[str, About("upwards (with a minimum) or downwards (with a maximum)")]
    discriminant: str
    roots: Annotated[list[str], About("Exact roots; complex ones contain I")]
    real_roots: Annotated[list[float], About("Real roots as numbers")]
    factored: str


@tool(
    tags="polynomial division divide long synthetic quotient remainder factor theorem algebra",
    use_when=(
        "Divide x^3 - 4x^2 + 6 by x - 2, quotient and remainder",
        "What is the remainder of x^4 + 1 divided by x^2 + 1?",
        "Is x - 3 a factor of x^3 - 27?",
        "Polynomial long division",
    ),
    examples=(
        Example(
            {"dividend": "x^3 - 2*x^2 - 4", "divisor": "x - 3"},
            {"quotient": "x**2 + x + 3", "remainder": "5", "divides_evenly": False},
            source="Wikipedia, Polynomial long division",
        ),
        Example(
            {"dividend": "x^3 - 27", "divisor": "x - 3"},
            {"quotient": "x**2 + 3*x + 9", "remainder": "0", "divides_evenly": True, "gcd": "x - 3"},
            source="difference of cubes, by hand",
        ),
        Refusal({"dividend": "x^2 + 1", "divisor": "0"}, "zero"),
        Refusal({"dividend": "sin(x)", "divisor": "x"}, "polynomial"),
    ),
    reply={
        "divides_evenly": "It divides evenly; the quotient is {quotient}.",
        "": "The quotient is {quotient} and the remainder {remainder}.",
    },
    pace="normal",
)
def polynomial_divide_terms(dividend: Formula, divisor: Formula, variable: MaybeVariable = None) -> Division:
    """Divide one polynomial by another. Use it for long or synthetic division.

    Returns quotient and remainder, exactly, and the greatest common divisor.
    """
    top, bottom = parse_expression(dividend), parse_expression(divisor)
    if not bottom:
        raise ToolError("The divisor is zero. Give a polynomial such as x - 2.")
    unknown = only_symbol(top if top.free_symbols else bottom, variable)
    one, other = _polynomial(top, unknown), _polynomial(bottom, unknown)
    with attempt("These polynomials cannot be divided exactly. Use whole numbers or fractions as coefficients."):
        quotient, rest = (part.as_expr() for part in sympy.div(one, other))
        return {
            "quotient": format_expression(quotient),
            "remainder": format_expression(rest),
            "divides_evenly": not rest,
            "gcd": format_expression(sympy.gcd(one, other).as_expr()),
            "check": f"({format_expression(quotient)})*({format_expression(other.as_expr())})"
            f" + ({format_expression(rest)})",
        }


def _polynomial(expression: Any, unknown: Any) -> Any:
    try:
        found = sympy.Poly(expression, unknown)
    except sympy.PolynomialError as error:
        raise ToolError(f"{format_expression(expression)[:60]} is not a polynomial in {unknown}.") from error
    if found.degree() > _MOST_DEGREE:
        raise ToolError(f"Polynomials can be divided up to degree {_MOST_DEGREE}.")
    return found


@tool(
    tags="quadratic parabola complete the square vertex form maximum minimum discriminant roots factor",
    use_when=(
        "Complete the square for x^2 + 6x + 2",
        "What is the vertex of the parabola y = 2x^2 - 8x + 3?",
        "What is the maximum of -2x^2 + 8x + 1?",
        "Discriminant of 3x^2 + 2x + 5",
    ),
    examples=(
        Example(
            {"expression": "x^2 + 6*x + 2"},
            {
                "completed_square": "(x + 3)**2 - 7",
                "vertex_x": "-3",
                "vertex_y": "-7",
                "discriminant": "28",
                "roots": ["-3 - sqrt(7)", "-3 + sqrt(7)"],
                "factored": "x**2 + 6*x + 2",
            },
            source="by hand: 9 - 7 = 2",
        ),
        Example(
            {"expression": "-2x^2 + 8x + 10"},
            {"vertex_y": "18", "opens": "downwards", "real_roots": [-1.0, 5.0]},
            source="by hand: -2 (x - 5) (x + 1), at 2",
        ),
        Refusal({"expression": "x^3 + 1"}, "degree 2"),
    ),
    reply={
        "roots": "It is {completed_square}, with the vertex at ({vertex_x}, {vertex_y}) and the roots {roots}.",
        "": "It is {completed_square}, with the vertex at ({vertex_x}, {vertex_y}).",
    },
    pace="normal",
)
def quadratic_describe_parabola(expression: Formula) -> Parabola:
    """Describe a quadratic expression: completed square, vertex with its extreme value, discriminant, roots, factors.

    Use it for parabolas, for maximum and minimum values, and to complete the square.
    """
    parsed = parse_expression(expression)
    unknown = only_symbol(parsed, None)
    found = _polynomial(parsed, unknown)
    if found.degree() != 2:
        raise ToolError("An expression of degree 2 in one variable is required, such as 2*x^2 - 8*x + 3.")
    a, b, c = found.all_coeffs()
    if not all(part.is_real for part in (a, b, c)):
        raise ToolError("The coefficients must be real numbers.")
    x, y = -b / (2 * a), c - b**2 / (4 * a)
    roots = sympy.solve(parsed, unknown)
    return {
        "completed_square": _add(format_expression(a * (unknown - x) ** 2), y),
        "vertex_x": format_expression(x),
        "vertex_y": format_expression(y),
        "opens": "upwards" if a > 0 else "downwards",
        "discriminant": format_expression(b**2 - 4 * a * c),
        "roots": [format_expression(root) for root in roots],
        "real_roots": sorted(value for value in map(real_number, roots) if value is not None),
        "factored": format_expression(sympy.factor(parsed)),
    }


def _add(square: str, rest: Any) -> str:
    """Append the constant to the square, as in the vertex form."""
    return f"{square} {'-' if rest < 0 else '+'} {format_expression(abs(rest))}" if rest else square
