"""Equations, inequalities, recurrences and differential equations, solved symbolically."""

import re
from typing import Annotated, Any, Literal

import sympy
from sympy.solvers.diophantine import diophantine
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import (
    Answer,
    Variable,
    answer,
    attempt,
    format_expression,
    only_symbol,
    parse,
    parse_equation,
    parse_expression,
    real_number,
    symbol,
)

_MOST = 50
Equation = Annotated[
    str,
    About("Equation with =, or an expression that is set to zero", "x^2 - 5*x + 6 = 0", min_length=1, max_length=1000),
]
MaybeVariable = Annotated[str | None, About("Unknown; optional if there is only one", "x", max_length=20)]


class Solutions(TypedDict):
    """The solutions of an equation."""

    solution_set: Annotated[str, About("Set of all solutions, which may be infinite")]
    solutions: Annotated[list[Answer], About("Up to 50 solutions, exact")]
    complete: Annotated[bool, About("Whether the list is complete")]
    variable: Annotated[str, About("Unknown")]


class SystemSolutions(TypedDict):
    """The solutions of a system."""

    solutions: Annotated[list[dict[str, str]], About("Up to 50 solutions: an exact expression for each unknown")]
    numeric: Annotated[
        list[dict[str, float | None]], About("Numeric values; null for values that are not real numbers")
    ]
    count: Annotated[int, About("Number of solutions; one with free unknowns represents infinitely many")]
    free_unknowns: Annotated[list[str], About("Unknowns that can be chosen freely")]


class Range(TypedDict):
    """Solution of an inequality."""

    solution_set: Annotated[str, About("Solution set as a union of intervals")]
    condition: Annotated[str, About("Solution as a condition on the variable")]
    latex: Annotated[str, About("Solution set in LaTeX")]


class IntegerSolutions(TypedDict):
    """Integer solutions of a Diophantine equation."""

    unknowns: Annotated[list[str], About("Order of the values in each solution")]
    families: Annotated[list[list[str]], About("Solutions; t, t_0, ... are any integers")]
    solvable: Annotated[bool, About("Whether there is any integer solution")]


class Condition(TypedDict):
    """A known value."""

    order: Annotated[int, About("0 for y itself, 1 for y', 2 for y''", 0, minimum=0, maximum=2)]
    at: Annotated[str, About("Position: a number x", "0", max_length=40)]
    value: Annotated[str, About("Value at that position", "1", max_length=40)]


@tool(
    tags="solve equation root unknown algebra quadratic cubic trigonometric exact",
    use_when=(
        "Solve x^2 - 5x + 6 = 0",
        "For which x is 2^x = 10?",
        "Solve a*x + b = c for x",
        "Find all real solutions of sin(x) = 1/2",
        "Solve a quadratic equation such as x^2 - 5x + 6 = 0 for x",
        "What is x if 3x + 4 = 19?",
        "Solve for x",
    ),
    examples=(
        Example(
            {"equation": "x^2 - 5*x + 6 = 0"},
            {
                "solutions": [{"result": "2", "value": 2.0}, {"result": "3", "value": 3.0}],
                "complete": True,
                "variable": "x",
            },
            source="(x-2)(x-3)",
        ),
        Example({"equation": "a*x + b = c", "variable": "x"}, {"solution_set": "{-(b - c)/a}"}, source="by hand"),
        Example({"equation": "x^2 + 1 = 0", "domain": "real"}, {"solutions": []}, source="squares are not negative"),
        Example({"equation": "x^2 + 1 = 0"}, {"solution_set": "{-I, I}"}, source="definition of the imaginary unit"),
        Refusal({"equation": "x + y = 2"}, "Specify the variable"),
        Refusal({"equation": "x = 2 = 3"}, "one = sign"),
    ),
    reply={
        "solutions.1": "The solutions for {variable}: {solutions}",
        "variable, solutions.0.result": "The solution is {variable} = {solutions.0.result}.",
        "solution_set": "The set of solutions is {solution_set}.",
        "": "There is no solution.",
    },
    pace="normal",
)
def math_solve_equation(
    equation: Equation,
    variable: MaybeVariable = None,
    domain: Annotated[Literal["complex", "real", "integer", "positive"], About("Domain of the solutions")] = "complex",
) -> Solutions:
    """Solve one equation for one unknown exactly: polynomial, rational, exponential, trigonometric or with parameters.

    Use it for exact solutions; `math_find_root` finds numeric solutions if there is no closed form. Returns each
    solution exactly with its decimal value, and the whole solution set.
    """
    zero = parse_equation(equation)
    unknown = only_symbol(zero, variable)
    if unknown not in zero.free_symbols:
        raise ToolError(f"{unknown} does not occur in the equation.")
    domains = {
        "complex": sympy.S.Complexes, "real": sympy.S.Reals, "integer": sympy.S.Integers,
        "positive": sympy.Interval.open(0, sympy.oo),
    }  # fmt: skip
    with attempt("No way is known to solve this equation exactly. math_find_root looks for numbers."):
        found = sympy.solveset(zero, unknown, domains[domain])
        if isinstance(found, sympy.ConditionSet):
            raise NotImplementedError
        listed = list(found)[:_MOST] if isinstance(found, sympy.FiniteSet) else _some(zero, unknown, found)
        return {
            "solution_set": format_expression(found),
            "solutions": [answer(one) for one in sorted(listed, key=sympy.default_sort_key)],
            "complete": bool(found.is_empty or isinstance(found, sympy.FiniteSet)) and len(listed) <= _MOST,
            "variable": str(unknown),
        }


def _some(zero: Any, unknown: Any, found: Any) -> list[Any]:
    """Return some members of a set that is not a list."""
    if found.is_empty:
        return []
    try:
        return [one for one in sympy.solve(zero, unknown) if found.contains(one) is not sympy.false][:_MOST]
    except NotImplementedError:
        return []


@tool(
    tags="solve system simultaneous equations linear nonlinear unknowns",
    use_when=(
        "Solve x + y = 10 and x - y = 2",
        "Where do the circle x^2 + y^2 = 25 and the line y = x + 1 meet?",
        "Solve three equations with three unknowns",
    ),
    examples=(
        Example(
            {"equations": ["x + y = 10", "x - y = 2"]},
            {"solutions": [{"x": "6", "y": "4"}], "numeric": [{"x": 6.0, "y": 4.0}], "free_unknowns": []},
            source="by hand",
        ),
        Example(
            {"equations": ["x^2 + y^2 = 25", "y = x + 1"], "unknowns": ["x", "y"]},
            {"numeric": [{"x": -4.0, "y": -3.0}, {"x": 3.0, "y": 4.0}], "count": 2},
            source="the 3-4-5 triangle",
        ),
        Example({"equations": ["x + y = 1", "x + y = 2"]}, {"count": 0}, source="contradiction"),
        Refusal({"equations": ["1 = 2"]}, "no unknowns"),
        Refusal(
            {"equations": ["e + p = 5", "e - p = 1"], "unknowns": ["e", "p"]}, "is not a variable of these equations"
        ),
    ),
    reply={
        "solutions.1": "There are {count|solution}: {solutions}",
        "free_unknowns, solutions": (
            "There are infinitely many solutions, with {free_unknowns} free to choose: {solutions}"
        ),
        "solutions": "The solution: {solutions.0}",
        "": "There is no solution.",
    },
    pace="normal",
)
def math_solve_system(
    equations: Annotated[
        list[Annotated[str, About("Equation", max_length=500)]],
        About("Equations, each with =", ["x + y = 10", "x - y = 2"], min_items=1, max_items=12),
    ],
    unknowns: Annotated[
        list[Variable] | None, About("Unknowns; default: all variables", ["x", "y"], max_items=12)
    ] = None,
) -> SystemSolutions:
    """Solve several linear or polynomial equations together, exactly, with parameters if there are any.

    Use it for simultaneous equations and intersections. Returns every solution exactly and numerically.
    """
    zeros = [parse_equation(text) for text in equations]
    free = sorted(set().union(*(zero.free_symbols for zero in zeros)), key=str)
    symbols = [one for one in free if unknowns is None or one.name in unknowns]
    if not symbols:
        raise ToolError("There are no unknowns in these equations.")
    if strange := set(unknowns or ()) - {one.name for one in symbols}:
        raise ToolError(f"{min(strange)} is not a variable of these equations; e, E and I are constants.")
    with attempt("No way is known to solve this system exactly. math_solve_nonlinear_system looks for numbers."):
        found = sympy.solve(zeros, symbols, dict=True)[:_MOST]
        undetermined = {str(one) for solution in found for one in symbols if one not in solution}
        return {
            "solutions": [
                {str(one): format_expression(value) for one, value in solution.items()} for solution in found
            ],
            "numeric": [{str(one): real_number(value) for one, value in solution.items()} for solution in found],
            "count": len(found),
            "free_unknowns": sorted(undetermined),
        }


@tool(
    tags="inequality solve interval range condition absolute value",
    use_when=("For which x is x^2 < 9?", "Solve |x - 2| >= 3", "When is (x-1)/(x+2) positive?"),
    examples=(
        Example(
            {"inequality": "x^2 < 9"},
            {
                "solution_set": "Interval.open(-3, 3)",
                "condition": "(-3 < x) & (x < 3)",
                "latex": "\\left(-3, 3\\right)",
            },
            source="square root of 9 is 3",
        ),
        Example(
            {"inequality": "abs(x - 2) >= 3"},
            {"solution_set": "Union(Interval(-oo, -1), Interval(5, oo))"},
            source="distance of at least 3 from 2",
        ),
        Refusal({"inequality": "x + 1"}, "with <"),
    ),
    reply={
        "condition": "The solution is {condition}.",
        "condition, not condition": "The solution: {condition}",
        "": "The solution is {solution_set}.",
    },
    pace="normal",
)
def math_solve_inequality(
    inequality: Annotated[
        str, About("Inequality with <, <=, > or >= in one variable", "x^2 - 4 > 0", min_length=3, max_length=500)
    ],
) -> Range:
    """Solve an inequality in one real variable: polynomial, rational, with roots or absolute values.

    Use it for the range in which a condition holds. Returns the set as intervals (open ends have parentheses in LaTeX)
    and as a condition.
    """
    relation = parse(inequality, "real")
    if not isinstance(relation, sympy.core.relational.Relational):
        raise ToolError("Write an inequality with <, <=, > or >= that is neither always true nor always false.")
    unknown = only_symbol(relation, None)
    with attempt("No way is known to solve this inequality."):
        found = sympy.solveset(relation, unknown, sympy.S.Reals)
        condition = found.as_relational(unknown)
        return {
            "solution_set": format_expression(found),
            "condition": format_expression(condition),
            "latex": str(sympy.latex(found)),
        }


@tool(
    tags="diophantine integer solutions whole numbers pell linear equation",
    use_when=(
        "Which integers satisfy 3x + 5y = 1?",
        "How can 7a + 11b = 100 be solved in whole numbers?",
        "Find integer solutions of x^2 - 2y^2 = 1",
    ),
    examples=(
        Example({"equation": "2*x + 4*y = 7"}, {"solvable": False, "families": []}, source="the left side is even"),
        Example({"equation": "x*y = 6"}, {"solvable": True, "unknowns": ["x", "y"]}, source="divisors of 6"),
        Refusal({"equation": "x/2 + y = 1.5 + sin(x)"}, "polynomial"),
    ),
    reply={
        "solvable": "The integer solutions for {unknowns}: {families}",
        "": "There are no integer solutions.",
    },
    pace="normal",
)
def math_solve_diophantine(equation: Equation) -> IntegerSolutions:
    """Find the integer solutions of a linear or quadratic equation in several unknowns.

    Use it if only whole numbers make sense. Returns finite solutions or families with integer parameters.
    """
    zero = parse_equation(equation, "integer")
    unknowns = sorted(zero.free_symbols, key=str)
    with attempt("This must be a polynomial equation with integer coefficients, linear or quadratic."):
        found = sorted(diophantine(zero, sympy.Symbol("t", integer=True)), key=str)[:200]
        return {
            "unknowns": [str(one) for one in unknowns],
            "families": [[format_expression(value) for value in solution] for solution in found],
            "solvable": bool(found),
        }


@tool(
    tags="recurrence relation closed form sequence linear fibonacci",
    use_when=(
        "What is the closed form of a(n) = 2a(n-1) + 1 with a(0) = 0?",
        "Solve the recurrence of the Fibonacci numbers",
        "Find a formula for a(n) = 5a(n-1) - 6a(n-2)",
    ),
    examples=(
        Example(
            {"coefficients": ["5", "-6"], "start": ["0", "1"]},
            {"result": "-2**n + 3**n"},
            source="characteristic roots 2 and 3, fitted to 0 and 1",
        ),
        Example(
            {"coefficients": ["2"], "start": ["0"], "inhomogeneous": "1"},
            {"result": "2**n - 1"},
            source="towers of Hanoi",
        ),
        Refusal({"coefficients": ["1", "1"], "start": ["0"]}, "the same number of start values"),
    ),
    reply={
        "result": "The closed form is {result}.",
        "": "The closed form: {result}",
    },
    pace="normal",
)
def math_solve_recurrence(
    coefficients: Annotated[
        list[Annotated[str, About("Number", max_length=40)]],
        About("c1, c2, ... of a(n) = c1 a(n-1) + c2 a(n-2) + ... + f(n)", ["1", "1"], min_items=1, max_items=4),
    ],
    start: Annotated[
        list[Annotated[str, About("Number", max_length=40)]],
        About("a(0), a(1), ..., as many as there are coefficients", ["0", "1"], min_items=1, max_items=4),
    ],
    inhomogeneous: Annotated[str, About("f(n), in the variable n", max_length=100)] = "0",
) -> Answer:
    """Find the closed form of a linear recurrence with constant coefficients and given start values.

    Use it to turn a step-by-step rule into a formula in n. Returns a(n) as text and in LaTeX.
    """
    if len(coefficients) != len(start):
        raise ToolError("Give the same number of start values and coefficients.")
    n, a = sympy.Symbol("n", integer=True), sympy.Function("a")
    order = len(coefficients)
    extra = parse_expression(inhomogeneous)
    extra = extra.subs(symbol("n", extra), n + order)
    factors = [parse_expression(text) for text in coefficients]
    rule = a(n + order) - sum(factor * a(n + order - 1 - place) for place, factor in enumerate(factors)) - extra
    begin = {a(place): parse_expression(text) for place, text in enumerate(start)}
    with attempt("No closed form is known for this recurrence."):
        found = sympy.rsolve(rule, a(n), begin)
    if found is None:
        raise ToolError("No closed form is known for this recurrence.")
    return answer(sympy.simplify(found))


@tool(
    tags="differential equation ode solve initial value symbolic",
    use_when=(
        "Solve y' = -2y with y(0) = 3",
        "What is the general solution of y'' + y = 0?",
        "Solve the differential equation y' + y = x",
    ),
    examples=(
        Example(
            {"equation": "y' = -2*y", "initial": [{"order": 0, "at": "0", "value": "3"}]},
            {"result": "3*exp(-2*x)"},
            source="exponential decay",
        ),
        Example({"equation": "y'' + y = 0"}, {"result": "C1*sin(x) + C2*cos(x)"}, source="harmonic oscillator"),
        Refusal({"equation": "x + 1 = 0"}, "has no derivative"),
    ),
    reply={
        "result": "The solution is y = {result}.",
        "": "The solution: {result}",
    },
    tier="pro",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def math_solve_ode(
    equation: Annotated[
        str,
        About("Equation in y, y', y'' (up to third order) and x", "y'' + 3*y' + 2*y = 0", min_length=2, max_length=300),
    ],
    initial: Annotated[
        list[Condition] | None,
        About("Known values of y or its derivatives", [{"order": 0, "at": "0", "value": "1"}], max_items=3),
    ] = None,
) -> Answer:
    """Solve an ordinary differential equation of y in x symbolically, with initial conditions if given.

    Use it for a formula; `math_solve_ode_numeric` computes values. Returns y(x), with constants C1, C2, ... that are
    not determined by conditions.
    """
    if "'" not in equation:
        raise ToolError("The equation has no derivative. Write it with y', y'' or y'''.")
    plain = re.sub("y('{1,3})", lambda match: f"y_{len(match[1])}", equation)
    zero = parse_equation(plain)
    x, y = symbol("x", zero), sympy.Function("y")
    names = {symbol(f"y_{order}", zero): y(x).diff(x, order) for order in (1, 2, 3)} | {symbol("y", zero): y(x)}
    with attempt("No way is known to solve this differential equation. math_solve_ode_numeric computes values."):
        known = {_derivative(y, x, one): parse_expression(one["value"]) for one in initial or []}
        found = sympy.dsolve(zero.subs(names), y(x), ics=known or None)
        first = found[0] if isinstance(found, list) else found
        return answer(first.rhs if first.lhs == y(x) else first)


def _derivative(y: Any, x: Any, condition: Condition) -> Any:
    at = parse_expression(condition["at"])
    return y(at) if condition["order"] == 0 else y(x).diff(x, condition["order"]).subs(x, at)
