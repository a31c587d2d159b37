"""Derivatives, integrals, limits, series and sums of symbolic expressions."""

from typing import Annotated, Any, Literal

import sympy
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import (
    Answer,
    Formula,
    Variable,
    answer,
    attempt,
    format_expression,
    only_symbol,
    parse_expression,
    symbol,
)

_FARTHEST = 10**9
"""Sympy takes longer than a call may for bounds of sums beyond this."""

Bound = Annotated[str | None, About("Number or expression; oo and -oo are infinite", "0", max_length=60)]
MaybeVariable = Annotated[str | None, About("Variable; optional if there is only one", "x", max_length=20)]


class Field(TypedDict):
    """Derivatives of one or several expressions."""

    entries: Annotated[list[list[str]], About("Rows of the result; one row for a gradient, divergence or curl")]
    latex: Annotated[str, About("Result in LaTeX")]
    variables: Annotated[list[str], About("Order of the variables")]


class Series(TypedDict):
    """A power series."""

    polynomial: Annotated[str, About("The series without its remainder")]
    order: Annotated[int, About("Power of the distance from the point in the remainder")]
    latex: Annotated[str, About("Series and remainder in LaTeX")]


@tool(
    tags="derivative differentiate calculus partial slope rate",
    use_when=("What is the derivative of x^3 * sin(x)?", "Differentiate exp(-x^2) twice", "Find d/dy of x*y^2"),
    examples=(
        Example({"expression": "x^3"}, {"result": "3*x**2", "latex": "3 x^{2}"}, source="power rule"),
        Example({"expression": "x*y^2", "variables": ["y", "y"]}, {"result": "2*x"}, source="by hand"),
        Refusal({"expression": "x*y"}, "Specify the variable"),
    ),
    reply={
        "result": "The derivative is {result}.",
        "": "The derivative: {result}",
    },
    pace="normal",
)
def math_differentiate_expression(
    expression: Formula,
    variables: Annotated[
        list[Variable] | None,
        About("Variables to differentiate by, one after the other; default: the only one", ["x", "x"], max_items=10),
    ] = None,
) -> Answer:
    """Differentiate an expression, any order, by one or several variables, and simplify the result.

    Use it for slopes, rates and partial derivatives. Returns the derivative as text and in LaTeX.
    """
    found = parse_expression(expression)
    order = [symbol(name, found) for name in variables] if variables else [only_symbol(found, None)]
    with attempt("The derivative could not be found."):
        return answer(sympy.simplify(sympy.diff(found, *order)))


@tool(
    tags="integral antiderivative area calculus definite indefinite improper",
    use_when=(
        "What is the integral of x*exp(x)?",
        "Compute the integral of exp(-x^2) from minus infinity to infinity",
        "Which area lies under sin(x) between 0 and pi?",
    ),
    examples=(
        Example({"expression": "2*x"}, {"result": "x**2", "latex": "x^{2}"}, source="power rule"),
        Example(
            {"expression": "exp(-x^2)", "lower": "-oo", "upper": "oo"},
            {"result": "sqrt(pi)", "value": 1.7724538509055159},
            source="Gauss's integral",
        ),
        Refusal({"expression": "x", "lower": "0"}, "both bounds"),
    ),
    reply={
        "value": "The integral is {value}, exactly {result}.",
        "result": "The integral is {result}.",
        "": "The integral: {result}",
    },
    pace="normal",
    memory_mb=1024,
)
def math_integrate_expression(
    expression: Formula, variable: MaybeVariable = None, lower: Bound = None, upper: Bound = None
) -> Answer:
    """Find an antiderivative, or with both bounds the exact value of a definite or improper integral.

    Use it for closed forms; `math_integrate_numeric` computes integrals without a closed form. Constants of integration
    are omitted.
    """
    if (lower is None) != (upper is None):
        raise ToolError("Give both bounds for a definite integral, or none.")
    found = parse_expression(expression)
    over = only_symbol(found, variable)
    with attempt("No integral in closed form is known. math_integrate_numeric computes a number."):
        bounds = [parse_expression(end) for end in (lower, upper) if end is not None]
        result = sympy.integrate(found, (over, *bounds) if bounds else over)
        if result.has(sympy.Integral):
            raise ToolError("No integral in closed form is known. math_integrate_numeric computes a number.")
        return answer(sympy.simplify(result))


@tool(
    tags="limit approach infinity calculus l'hopital one-sided",
    use_when=(
        "What is the limit of sin(x)/x as x goes to 0?",
        "Where does (1 + 1/n)^n tend for large n?",
        "Limit of 1/x from the left at 0",
    ),
    examples=(
        Example({"expression": "sin(x)/x", "point": "0"}, {"result": "1"}, source="standard limit"),
        Example({"expression": "(1+1/n)^n", "point": "oo"}, {"result": "E"}, source="definition of e"),
        Example({"expression": "1/x", "point": "0", "side": "left"}, {"result": "-oo"}, source="1/x falls below"),
        Refusal({"expression": "1/x", "point": "0"}, "two sides differ"),
    ),
    reply="The limit is {result}.",
    pace="normal",
)
def math_compute_limit(
    expression: Formula,
    point: Annotated[str, About("Limit point of the variable: a number, oo or -oo", "0", min_length=1, max_length=60)],
    variable: MaybeVariable = None,
    side: Annotated[Literal["both", "left", "right"], About("Side from which the point is approached")] = "both",
) -> Answer:
    """Compute the limit of an expression at a point or at infinity, from one side or both.

    Use it for behaviour near gaps and at infinity. Returns the exact limit; oo means that it grows without bound.
    """
    found = parse_expression(expression)
    over, place = only_symbol(found, variable), parse_expression(point)
    with attempt("This limit could not be found."):
        if side == "both" and not place.is_infinite:
            left, right = (sympy.limit(found, over, place, mark) for mark in "-+")
            if sympy.simplify(left - right) != 0 and left != right:
                raise ToolError(f"The two sides differ: {left} from the left, {right} from the right.")
            return answer(right)
        return answer(sympy.limit(found, over, place, "-" if side == "left" else "+"))


@tool(
    tags="taylor maclaurin laurent power series expansion approximation",
    use_when=("Expand cos(x) around 0", "What is the Taylor polynomial of ln(x) at 1?", "Approximate sqrt(1+x) by x^3"),
    examples=(
        Example(
            {"expression": "cos(x)", "order": 6},
            {"polynomial": "x**4/24 - x**2/2 + 1", "order": 6},
            source="series of the cosine",
        ),
        Example(
            {"expression": "ln(x)", "point": "1", "order": 3}, {"polynomial": "x - (x - 1)**2/2 - 1"}, source="by hand"
        ),
        Refusal({"expression": "x", "point": "y"}, "must be a number"),
    ),
    reply={
        "order": "The series is {polynomial}, up to terms of order {order}.",
        "": "The series: {polynomial}",
    },
    pace="normal",
)
def math_expand_series(
    expression: Formula,
    variable: MaybeVariable = None,
    point: Annotated[str, About("Centre of the expansion", max_length=60)] = "0",
    order: Annotated[int, About("Order of the first omitted term", minimum=1, maximum=20)] = 6,
) -> Series:
    """Expand a function in a Taylor or Laurent series around a point.

    Use it for polynomial approximations. Returns the terms below the given order.
    """
    found, centre = parse_expression(expression), parse_expression(point)
    if centre.free_symbols:
        raise ToolError("The centre of the expansion must be a number.")
    with attempt("This function has no such series at the point."):
        series = sympy.series(found, only_symbol(found, variable), centre, order)
        return {"polynomial": format_expression(series.removeO()), "order": order, "latex": str(sympy.latex(series))}


@tool(
    tags="sum series product sigma infinite finite closed form",
    use_when=(
        "What is the sum of 1/n^2 for all n from 1?",
        "Find a formula for 1 + 2 + ... + n",
        "Compute the product of (1 - 1/k^2) from 2 to infinity",
    ),
    examples=(
        Example(
            {"term": "1/n^2"},
            {"result": "pi**2/6", "value": 1.6449340668482264, "latex": "\\frac{\\pi^{2}}{6}"},
            source="the Basel problem",
        ),
        Example({"term": "k", "variable": "k", "upper": "n"}, {"result": "n*(n + 1)/2"}, source="Gauss"),
        Example({"term": "1-1/k^2", "lower": "2", "kind": "product"}, {"result": "1/2"}, source="telescoping"),
        Refusal({"term": "1/n"}, "diverges"),
    ),
    reply="It comes to {result}.",
    pace="normal",
)
def math_sum_series(
    term: Formula,
    variable: MaybeVariable = None,
    lower: Annotated[str, About("First value of the variable", max_length=60)] = "1",
    upper: Annotated[str, About("Last value: a number, a name, or oo", max_length=60)] = "oo",
    kind: Annotated[Literal["sum", "product"], About("Whether to add or multiply the terms")] = "sum",
) -> Answer:
    """Evaluate a finite or infinite sum or product in closed form.

    Use it for series and for formulas of partial sums. Returns the exact result, factored, with its value.
    """
    found = parse_expression(term)
    bounds = (only_symbol(found, variable), parse_expression(lower), parse_expression(upper))
    if any(bound.is_number and bound.is_finite and abs(bound) > _FARTHEST for bound in bounds[1:]):
        raise ToolError(f"lower and upper must be within {_FARTHEST:,}, or oo.")
    with attempt("No closed form is known."):
        result = sympy.summation(found, bounds) if kind == "sum" else _product(found, *bounds)
        if result.has(sympy.Sum, sympy.Product):
            raise ToolError("No closed form is known.")
        if result.is_infinite or result is sympy.nan:
            raise ToolError(f"The series diverges: its value is {result}.")
        return answer(sympy.factor(result) if result.free_symbols else sympy.simplify(result))


def _product(term: Any, over: Any, lower: Any, upper: Any) -> Any:
    """Return the product; an infinite one as the limit of its partial products."""
    if upper != sympy.oo:
        return sympy.product(term, (over, lower, upper))
    last = sympy.Symbol("last", integer=True, positive=True)
    partial = sympy.product(sympy.factor(term), (over, lower, last))
    return partial if partial.has(sympy.Product) else sympy.limit(sympy.combsimp(partial), last, sympy.oo)


@tool(
    tags="gradient jacobian hessian divergence curl vector field partial derivatives multivariable",
    use_when=(
        "What is the gradient of x^2*y + z?",
        "Compute the Hessian of x^2 + x*y + y^2",
        "Find the curl of the field (-y, x, 0)",
    ),
    examples=(
        Example({"expressions": ["x^2*y"], "operator": "gradient"}, {"entries": [["2*x*y", "x**2"]]}, source="by hand"),
        Example(
            {"expressions": ["-y", "x", "0"], "operator": "curl", "variables": ["x", "y", "z"]},
            {"entries": [["0", "0", "2"]]},
            source="rotation with unit angular velocity has curl 2",
        ),
        Example(
            {"expressions": ["x^2+x*y+y^2"], "operator": "hessian"},
            {"entries": [["2", "1"], ["1", "2"]]},
            source="by hand",
        ),
        Refusal({"expressions": ["x", "y"], "operator": "curl"}, "three expressions"),
        Refusal({"expressions": ["x", "y"], "operator": "gradient"}, "one expression"),
        Refusal({"expressions": ["0"], "operator": "hessian"}, "no variables"),
    ),
    reply={
        "args.operator": "The {args.operator} for {variables}: {entries}",
        "": "The result for {variables}: {entries}",
    },
    pace="normal",
)
def math_compute_vector_calculus(
    expressions: Annotated[
        list[Formula], About("The function, or the components of the field", ["x^2*y"], min_items=1, max_items=6)
    ],
    operator: Annotated[Literal["gradient", "jacobian", "hessian", "divergence", "curl"], About("Operator")],
    variables: Annotated[
        list[Variable] | None, About("Variables in order; default: all, sorted", ["x", "y", "z"], max_items=6)
    ] = None,
) -> Field:
    """Compute the gradient or Hessian of a function, or the Jacobian, divergence or curl of a vector field.

    Use it in several dimensions, in Cartesian coordinates. Returns the entries row by row and in LaTeX.
    """
    found = [parse_expression(text) for text in expressions]
    free = {one.name for expression in found for one in expression.free_symbols}
    names = variables or sorted(free)
    if not names:
        raise ToolError("The expressions have no variables. Specify the variables to differentiate by, such as x.")
    if operator in ("gradient", "hessian") and len(found) != 1:
        raise ToolError(f"The {operator} is defined for one expression.")
    if operator in ("divergence", "curl") and len(names) != len(found):
        raise ToolError("A field needs the same number of variables and components.")
    if operator == "curl" and len(found) != 3:
        raise ToolError("The curl needs three expressions and three variables.")
    result = _derivatives(found, names, operator)
    return {
        "entries": [[format_expression(entry) for entry in row] for row in result.tolist()],
        "latex": str(sympy.latex(result)),
        "variables": names,
    }


def _derivatives(found: list[Any], names: list[str], operator: str) -> Any:
    symbols = [sympy.Symbol(name) for name in names]
    jacobian = sympy.Matrix(found).jacobian(symbols)
    match operator:
        case "hessian":
            return sympy.hessian(found[0], symbols).applyfunc(sympy.simplify)
        case "divergence":
            return sympy.Matrix([[sympy.simplify(jacobian.trace())]])
        case "curl":
            turns = [jacobian[2, 1] - jacobian[1, 2], jacobian[0, 2] - jacobian[2, 0], jacobian[1, 0] - jacobian[0, 1]]
            return sympy.Matrix([turns]).applyfunc(sympy.simplify)
    return jacobian.applyfunc(sympy.simplify)
