"""Numerical analysis of formulas: roots, integrals, differential equations."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
import scipy.integrate
import scipy.optimize
import sympy
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import Formula, attempt, only_symbol, parse_equation, parse_expression

MaybeVariable = Annotated[str | None, About("Variable; optional if there is only one", "x", max_length=20)]
Real = Annotated[float, About("Number", 0, minimum=-1e12, maximum=1e12)]

_MOST_STEPS = 100_000
_LOST = "The solution could not be followed to the end: it may grow without bound. Choose an earlier end."


class Root(TypedDict):
    """A zero of a function."""

    x: Annotated[float, About("Position of the zero")]
    residual: Annotated[float, About("Value of the function at that position")]


class Roots(TypedDict):
    """Zeros of a function in an interval."""

    roots: Annotated[list[Root], About("Zeros in ascending order, up to 200")]


class SystemRoot(TypedDict):
    """A numerical solution of a system."""

    solution: Annotated[dict[str, float], About("Value of each unknown")]
    residual: Annotated[float, About("Largest absolute error of an equation")]


class Quadrature(TypedDict):
    """A numerical integral."""

    value: Annotated[float, About("Value of the integral")]
    error_estimate: Annotated[float, About("Estimated absolute error")]


class SampleIntegral(TypedDict):
    """Integral of samples."""

    trapezoid: Annotated[float, About("Trapezoid rule: straight lines between the points")]
    simpson: Annotated[float, About("Simpson's rule: parabolas through the points")]
    running: Annotated[list[float], About("Cumulative integral from the first position, by straight lines")]


class Trajectory(TypedDict):
    """Solution of a system over time."""

    times: Annotated[list[float], About("Times")]
    values: Annotated[dict[str, list[float]], About("Values of each variable at these times")]
    last: Annotated[dict[str, float], About("Final value of each variable")]
    evaluations: Annotated[int, About("Number of evaluations of the right sides")]


def _numeric(expression: Any, symbols: list[Any]) -> Callable[..., Any]:
    """Return a fast function of doubles."""
    unknown = sorted(str(one) for one in expression.free_symbols - set(symbols))
    if unknown:
        raise ToolError(f"{', '.join(unknown)} has no value. Replace it with a number.")
    with attempt("The formula cannot be computed with numbers."):
        function: Callable[..., Any] = sympy.lambdify(symbols, expression, modules=["scipy", "numpy"], cse=True)
    return function


def _real_values(function: Callable[..., Any], points: Any) -> Any:
    with np.errstate(all="ignore"):
        values = np.broadcast_to(np.asarray(function(points)), points.shape)
    return np.where(np.isreal(values), values.real, np.nan).astype(float)


@tool(
    tags="root zero solve numerically interval transcendental equation",
    use_when=(
        "Where is cos(x) = x?",
        "Find all zeros of x*sin(x) - 1 between 0 and 20",
        "Solve x*exp(x) = 3 numerically",
    ),
    examples=(
        Example(
            {"equation": "cos(x) = x", "lower": 0, "upper": 1},
            {"roots": [{"x": 0.7390851332151607}]},
            source="Dottie number, OEIS A003957",
            tolerance=1e-10,
        ),
        Example({"equation": "x^2 + 1", "lower": -5, "upper": 5}, {"roots": []}, source="squares are not negative"),
        Refusal({"equation": "x", "lower": 2, "upper": 1}, "below"),
        Refusal({"equation": "x + a", "lower": 0, "upper": 1, "variable": "x"}, "has no value"),
    ),
    reply={
        "roots.1": "The solutions: {roots}",
        "roots": "The solution is {roots.0.x}.",
        "": "There is no solution in this interval.",
    },
)
def math_find_root(
    equation: Annotated[str, About("Equation, or expression set to zero", "cos(x) = x", min_length=1, max_length=1000)],
    lower: Real,
    upper: Real,
    variable: MaybeVariable = None,
) -> Roots:
    """Find the zeros of a function, or the solutions of an equation, in an interval numerically.

    Use it if no closed form exists. Checks 2,000 positions for sign changes; roots at which the curve only touches zero
    may be missed.
    """
    if not lower < upper:
        raise ToolError("The lower end must be below the upper end.")
    zero = parse_equation(equation)
    function = _numeric(zero, [only_symbol(zero, variable)])
    points = np.linspace(lower, upper, 2001)
    values = _real_values(function, points)
    found = [float(point) for point, value in zip(points, values, strict=True) if value == 0]
    changes = np.flatnonzero(values[:-1] * values[1:] < 0)
    found += [_bracket(function, float(points[place]), float(points[place + 1])) for place in changes]
    roots = [(x, float(_real_values(function, np.array([x]))[0])) for x in sorted(found)[:200]]
    scale = float(np.nanmax(np.abs(values), initial=1e-300))
    return {"roots": [{"x": x, "residual": value} for x, value in roots if abs(value) <= 1e-6 * scale]}


def _bracket(function: Callable[..., Any], lower: float, upper: float) -> float:
    def value(x: float) -> float:
        return float(_real_values(function, np.array([x]))[0])

    return float(scipy.optimize.bisect(value, lower, upper, xtol=1e-15, rtol=1e-14, maxiter=200, disp=False))


@tool(
    tags="nonlinear system numeric solve newton equations start",
    use_when=("Solve x^2 + y^2 = 4 and exp(x) + y = 1 numerically", "Find a solution near (1, 1) of two equations"),
    examples=(
        Example(
            {"equations": ["x^2 + y^2 = 25", "x - y = 1"], "start": {"x": 3.5, "y": 3}},
            {"solution": {"x": 4.0, "y": 3.0}},
            source="the 3-4-5 triangle",
            tolerance=1e-8,
        ),
        Refusal({"equations": ["x^2 + 1 = 0"], "start": {"x": 1}}, "No solution"),
    ),
    reply="The solution: {solution}",
)
def math_solve_nonlinear_system(
    equations: Annotated[
        list[Annotated[str, About("Equation", max_length=500)]],
        About("Equations, as many as unknowns", ["x^2 + y^2 = 25", "x - y = 1"], min_items=1, max_items=20),
    ],
    start: Annotated[dict[str, float], About("Initial guess for each unknown", {"x": 3.5, "y": 3})],
) -> SystemRoot:
    """Solve a system of nonlinear equations numerically from a starting guess.

    Use it if `math_solve_system` finds no closed form. Returns the solution reached from the guess.
    """
    symbols = [sympy.Symbol(name) for name in start]
    if len(symbols) != len(equations):
        raise ToolError("Give a starting value for each unknown, and the same number of equations and unknowns.")
    functions = [_numeric(parse_equation(text), symbols) for text in equations]

    def residuals(point: Any) -> list[float]:
        return [float(_real_values(lambda _, one=one: one(*point), np.zeros(1))[0]) for one in functions]

    guess = [float(value) for value in start.values()]
    if not np.isfinite(residuals(guess)).all():
        raise ToolError("The equations have no real value at the start. Choose another guess.")
    with np.errstate(all="ignore"):
        found = scipy.optimize.root(residuals, guess, tol=1e-12)
    worst = float(np.max(np.abs(residuals(found.x))))
    if not worst <= 1e-6 * max(1.0, float(np.abs(found.x).max())):
        raise ToolError("No solution was reached from this guess. Choose another one.")
    return {"solution": dict(zip(start, map(float, found.x), strict=True)), "residual": worst}


@tool(
    tags="numerical integration quadrature definite area gaussian",
    use_when=("Integrate exp(-x^2) from 0 to 1 numerically", "What is the integral of sin(x)/x from 0 to 100?"),
    examples=(
        Example(
            {"expression": "exp(-x^2)", "lower": "0", "upper": "1"},
            {"value": 0.7468241328124271},
            source="sqrt(pi)/2 erf(1), Abramowitz and Stegun 7.1",
            tolerance=1e-12,
        ),
        Example(
            {"expression": "1/(1+x^2)", "lower": "-oo", "upper": "oo"},
            {"value": 3.141592653589793},
            source="arc tangent",
        ),
        Refusal({"expression": "1/x", "lower": "0", "upper": "1"}, "converge"),
    ),
    reply="The integral is {value}, with an error of about {error_estimate}.",
)
def math_integrate_numeric(
    expression: Formula,
    lower: Annotated[str, About("Number, or -oo", "0", min_length=1, max_length=60)],
    upper: Annotated[str, About("Number, or oo", "1", min_length=1, max_length=60)],
    variable: MaybeVariable = None,
) -> Quadrature:
    """Integrate a function numerically over a finite or infinite interval, with an estimate of the error.

    Use it if no antiderivative is known. Integrals that do not seem to converge are rejected.
    """
    found = parse_expression(expression)
    symbols = [only_symbol(found, variable)] if found.free_symbols else [sympy.Symbol("x")]
    function = _numeric(found, symbols)
    with attempt("The bounds must be numbers."):
        bounds = [float(parse_expression(end)) for end in (lower, upper)]
    result = scipy.integrate.quad(
        lambda x: float(_real_values(function, np.array([x]))[0]), *bounds, limit=500, full_output=1
    )
    value, error = float(result[0]), float(result[1])
    doubtful = len(result) > 3 and error > 1e-6 * max(1.0, abs(value))
    if not np.isfinite([value, error]).all() or doubtful:
        raise ToolError("The integral does not seem to converge. Split it at its singularities.")
    return {"value": value, "error_estimate": error}


@tool(
    tags="integrate samples trapezoid simpson area under curve data cumulative",
    use_when=("Area under the points (0,0), (1,1), (2,4)", "Integrate measured power over time to get energy"),
    examples=(
        Example(
            {"x": [0, 1, 2], "y": [0, 1, 4]},
            {"trapezoid": 3.0, "simpson": 8 / 3},
            source="by hand; Simpson is exact for x^2",
        ),
        Refusal({"x": [0, 0], "y": [1, 2]}, "must be ascending"),
    ),
    reply="The area is {trapezoid} by the trapezoid rule and {simpson} by Simpson's rule.",
)
def math_integrate_samples(
    x: Annotated[list[float], About("Positions in ascending order", [0, 1, 2], min_items=2, max_items=100_000)],
    y: Annotated[list[float], About("Values at the positions", [0, 1, 4], min_items=2, max_items=100_000)],
) -> SampleIntegral:
    """Integrate sampled values over their positions by the trapezoid and Simpson rules.

    Use it for measurements; the positions need not be evenly spaced. Returns both results and the cumulative integral.
    """
    if len(x) != len(y):
        raise ToolError("x and y must have the same number of values.")
    places, values = np.array(x, dtype=float), np.array(y, dtype=float)
    if not (np.diff(places) > 0).all():
        raise ToolError("The positions must be ascending.")
    running = scipy.integrate.cumulative_trapezoid(values, places, initial=0)
    found = [float(running[-1]), float(scipy.integrate.simpson(values, x=places))]
    if not np.isfinite([*found, *running]).all():
        raise ToolError("The numbers are too large.")
    return {"trapezoid": found[0], "simpson": found[1], "running": running.tolist()}


@tool(
    tags="ode differential equation numeric simulate dynamics runge-kutta initial value",
    use_when=(
        "Simulate y' = -2y from y(0) = 3 over 5 seconds",
        "Solve the predator-prey equations numerically",
        "Integrate a pendulum x' = v, v' = -sin(x)",
    ),
    examples=(
        Example(
            {"equations": {"y": "-y"}, "start": {"y": 1}, "end": 1, "points": 2},
            {"times": [0.0, 1.0], "values": {"y": [1.0, 0.36787944117144233]}},
            source="exponential decay, 1/e",
            tolerance=1e-6,
        ),
        Example(
            {
                "equations": {"x": "v", "v": "-k*x"},
                "start": {"x": 1, "v": 0},
                "end": 6.283185307179586,
                "points": 2,
                "parameters": {"k": 1},
            },
            {"values": {"x": [1.0, 1.0]}},
            source="an oscillator returns after 2 pi",
            tolerance=1e-5,
        ),
        Example(
            {
                "equations": {"S": "-b*S*I", "I": "b*S*I - g*I", "R": "g*I"},
                "start": {"S": 1, "I": 0, "R": 0},
                "end": 5,
                "points": 2,
                "parameters": {"b": 2, "g": 1},
            },
            {"last": {"S": 1.0, "I": 0.0, "R": 0.0}},
            source="nobody is infected",
        ),
        Refusal({"equations": {"y": "-y"}, "start": {"z": 1}, "end": 1}, "same variables"),
        Refusal({"equations": {"y": "y^2"}, "start": {"y": 1}, "end": 2}, "could not be followed"),
    ),
    reply="The final values: {last}",
    tier="pro",
    pace="normal",
)
def math_solve_ode_numeric(
    equations: Annotated[
        dict[str, str], About("The derivative of each variable, in the variables and the time t", {"x": "v", "v": "-x"})
    ],
    start: Annotated[dict[str, float], About("Initial value of each variable, at time 0", {"x": 1, "v": 0})],
    end: Annotated[float, About("Final time", 10, exclusive_minimum=0, maximum=1e9)],
    points: Annotated[int, About("Number of times to return", minimum=2, maximum=2000)] = 101,
    parameters: Annotated[dict[str, float] | None, About("Values of other names", {"k": 1.5})] = None,
) -> Trajectory:
    """Integrate a system of ordinary differential equations over time numerically, stiff or not.

    Use it for simulations. Returns the values of all variables at evenly spaced times, with a relative error of about
    1e-8.
    """
    if equations.keys() != start.keys() or not 1 <= len(start) <= 30:
        raise ToolError("equations and start must have the same variables, from 1 to 30.")
    own = {name: f"{name}_" for name in {*start, *(parameters or {})} & _NAMES_OF_SYMPY}
    time, symbols = sympy.Symbol("t"), [sympy.Symbol(own.get(name, name)) for name in start]
    constants = {sympy.Symbol(own.get(name, name)): value for name, value in (parameters or {}).items()}
    texts = (_rename(equations[name], own) for name in start)
    sides = [_numeric(parse_expression(text).subs(constants), [time, *symbols]) for text in texts]

    left = iter(range(_MOST_STEPS))

    def slopes(moment: float, state: Any) -> list[float]:
        if next(left, None) is None or not np.abs(state).max() < 1e100:
            raise ToolError(_LOST)
        return [float(_real_values(lambda _, side=side: side(moment, *state), np.zeros(1))[0]) for side in sides]

    times = np.linspace(0, end, points)
    return _trajectory(slopes, times, start)


_NAMES_OF_SYMPY = {"C", "E", "I", "N", "O", "Q", "S"}
"""Letters with another meaning in sympy: here they may be variables, such as the infected of an SIR model."""


def _rename(text: str, own: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda name: own.get(name[0], name[0]), text)


def _trajectory(slopes: Callable[[float, Any], list[float]], times: Any, start: Mapping[str, float]) -> Trajectory:
    state = [float(value) for value in start.values()]
    with np.errstate(all="ignore"), attempt(_LOST):
        found = scipy.integrate.solve_ivp(slopes, (0, times[-1]), state, "LSODA", times, rtol=1e-8, atol=1e-10)
    if not found.success or not np.isfinite(found.y).all():
        raise ToolError(_LOST)
    values = {name: found.y[place].tolist() for place, name in enumerate(start)}
    last = {name: course[-1] for name, course in values.items()}
    return {"times": found.t.tolist(), "values": values, "last": last, "evaluations": int(found.nfev)}
