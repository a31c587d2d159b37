"""Rewriting of symbolic expressions."""

from typing import Annotated, Literal, NotRequired

import sympy
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import (
    Answer,
    Assumption,
    Formula,
    answer,
    attempt,
    format_expression,
    only_symbol,
    parse_expression,
    symbol,
)

_SAMPLES = (0.37, 1.61, -0.83, 2.29, -1.47)


class Identity(TypedDict):
    """Result of comparing two expressions."""

    equal: Annotated[bool, About("Whether both are equal everywhere they are defined")]
    proved: Annotated[bool, About("Whether this was proved by algebra; otherwise only samples were compared")]
    difference: Annotated[str, About("First minus second, simplified")]
    counterexample: NotRequired[
        Annotated[dict[str, float], About("Counterexample: values of the variables at which they differ")]
    ]


@tool(
    tags="algebra cas simplify reduce expression trigonometric radicals symbolic",
    use_when=(
        "Simplify (x^2 - 1)/(x - 1)",
        "Reduce sin(x)^2 + cos(x)^2",
        "Can sqrt(8) + sqrt(2) be written more simply?",
    ),
    examples=(
        Example(
            {"expression": "(x^2-1)/(x-1)"}, {"result": "x + 1", "latex": "x + 1"}, source="difference of two squares"
        ),
        Example({"expression": "sin(x)^2 + cos(x)^2"}, {"result": "1", "value": 1.0}, source="theorem of Pythagoras"),
        Example({"expression": "sqrt(x^2)", "assume": "positive"}, {"result": "x"}, source="definition of the root"),
        Refusal({"expression": "x.__class__"}, "is not supported"),
        Refusal({"expression": "9**9**9"}, "too large"),
    ),
    reply={
        "result": "It simplifies to {result}.",
        "": "It simplifies to: {result}",
    },
    pace="normal",
)
def math_simplify_expression(expression: Formula, assume: Assumption = "real") -> Answer:
    """Simplify a symbolic expression, using all of algebra, trigonometry and the laws of powers and logarithms.

    Use it if an expression should become as short as possible. `assume` is the domain of all variables. Returns the
    expression as text and in LaTeX, and its value if it is a number.
    """
    found = parse_expression(expression, assume)
    with attempt("The expression could not be simplified."):
        return answer(sympy.simplify(found))


@tool(
    tags="algebra expand factor collect partial fractions common denominator cancel rewrite",
    use_when=(
        "Factor x^3 - 6x^2 + 11x - 6",
        "Multiply out (a + b)^3",
        "Decompose 1/(x^2 - 1) into partial fractions",
        "Bring 1/x + 1/y to a common denominator",
    ),
    examples=(
        Example(
            {"expression": "x^3 - 6*x^2 + 11*x - 6", "form": "factored"},
            {"result": "(x - 3)*(x - 2)*(x - 1)"},
            source="its roots are 1, 2 and 3: sum 6, pairwise products 11, product 6",
        ),
        Example(
            {"expression": "(a+b)^3", "form": "expanded"},
            {"result": "a**3 + 3*a**2*b + 3*a*b**2 + b**3"},
            source="binomial theorem",
        ),
        Example(
            {"expression": "1/(x^2-1)", "form": "partial_fractions"},
            {"result": "-1/(2*(x + 1)) + 1/(2*(x - 1))"},
            source="by hand, cover-up method",
        ),
        Example(
            {"expression": "a*x + b*x + c", "form": "collected", "variable": "x"},
            {"result": "c + x*(a + b)"},
            source="distributive law",
        ),
        Refusal({"expression": "x*y + y", "form": "collected"}, "Specify the variable"),
    ),
    reply={
        "result": "It is {result}.",
        "": "It is: {result}",
    },
    pace="normal",
)
def math_rewrite_expression(
    expression: Formula,
    form: Annotated[
        Literal[
            "expanded", "factored", "collected", "partial_fractions", "common_denominator", "cancelled", "trig_expanded"
        ],
        About("Target form"),
    ],
    variable: Annotated[str | None, About("Variable, for collected and partial_fractions", "x", max_length=20)] = None,
) -> Answer:
    """Rewrite (bring) an expression in a desired form: multiplied out, factored, collected by a variable, as partial
    fractions.

    Use it if the form matters more than brevity. Returns the equivalent expression as text and in LaTeX.
    """
    found = parse_expression(expression)
    with attempt("The expression cannot be brought into this form."):
        match form:
            case "expanded":
                return answer(sympy.expand(found))
            case "factored":
                return answer(sympy.factor(found))
            case "collected":
                return answer(sympy.collect(sympy.expand(found), only_symbol(found, variable)))
            case "partial_fractions":
                return answer(sympy.apart(found, only_symbol(found, variable)))
            case "common_denominator":
                return answer(sympy.together(found))
            case "cancelled":
                return answer(sympy.cancel(found))
        return answer(sympy.expand_trig(found))


@tool(
    tags="substitute insert value evaluate formula symbol plug in",
    use_when=(
        "What is x^2 + y at x = 3 and y = 1/2?",
        "Put t + 1 for x in x^2 - x",
        "Evaluate the formula sqrt(2*g*h) with g = 9.81 and h = 20",
    ),
    examples=(
        Example(
            {"expression": "x^2 + y", "values": {"x": "3", "y": "1/2"}},
            {"result": "19/2", "value": 9.5},
            source="by hand",
        ),
        Example(
            {"expression": "x^2 - x", "values": {"x": "t + 1"}, "simplify": True},
            {"result": "t*(t + 1)"},
            source="(t+1)^2 - (t+1) = (t+1)t",
        ),
        Refusal({"expression": "x^2", "values": {"z": "3"}}, "does not contain z"),
        Refusal({"expression": "1/x", "values": {"x": "0"}}, "undefined"),
    ),
    reply={
        "result": "It is {result}.",
        "": "It is: {result}",
    },
    pace="normal",
)
def math_substitute_symbols(
    expression: Formula,
    values: Annotated[
        dict[str, str], About("Variables and the numbers or expressions that replace them", {"x": "3", "y": "1/2"})
    ],
    simplify: Annotated[bool, About("Whether to simplify the result")] = False,
) -> Answer:
    """Substitute (put) numbers or other expressions in the place of variables, simultaneously, and compute exactly.

    Use it to evaluate a formula or to change variables. Returns the exact result, and its decimal value if it is a
    number.
    """
    found = parse_expression(expression)
    names = {one.name for one in found.free_symbols}
    if missing := sorted(set(values) - names):
        raise ToolError(f"The expression does not contain {', '.join(missing)[:60]}. Its variables: {sorted(names)}.")
    with attempt("The values cannot be put in."):
        pairs = {symbol(name, found): parse_expression(text) for name, text in values.items()}
        result = found.subs(pairs, simultaneous=True)
        result = sympy.simplify(result) if simplify else result
    if result.has(sympy.nan, sympy.zoo):
        raise ToolError("The expression is undefined at these values: it divides by zero.")
    return answer(result)


@tool(
    tags="identity equality equivalent verify proof expressions compare",
    use_when=(
        "Is (a+b)^2 the same as a^2 + 2ab + b^2?",
        "Is my antiderivative equal to the one in the book?",
        "Does cos(2x) = 2cos(x)^2 - 1 hold for every x?",
    ),
    examples=(
        Example(
            {"first": "cos(2*x)", "second": "2*cos(x)^2 - 1"},
            {"equal": True, "proved": True},
            source="double-angle formula",
        ),
        Example({"first": "(a+b)^2", "second": "a^2 + b^2"}, {"equal": False, "proved": True}, source="2ab is missing"),
        Refusal({"first": "x = 2", "second": "x"}, "not an expression"),
    ),
    reply={
        "equal, proved": "Yes, both are equal for all values.",
        "equal": "They are equal in all samples, but this is not proved.",
        "counterexample": "No, they differ, for example with these values: {counterexample}",
        "": "No, they are not equal.",
    },
    pace="normal",
)
def math_check_identity(first: Formula, second: Formula) -> Identity:
    """Check whether two expressions in real variables are equal for all values, with a counterexample if they are not.

    Use it to verify a transformation or a homework answer. Returns the result and whether it is proved.
    """
    with attempt("These expressions cannot be compared."):
        difference = sympy.simplify(parse_expression(first, "real") - parse_expression(second, "real"))
        if difference == 0:
            return {"equal": True, "proved": True, "difference": "0"}
        for turn in range(len(_SAMPLES)):
            free = sorted(difference.free_symbols, key=str)
            point = {one: _SAMPLES[(turn + place) % len(_SAMPLES)] for place, one in enumerate(free)}
            value = difference.evalf(15, subs=point)
            if value.is_finite and abs(value) > 1e-9:
                sample = {str(one): number for one, number in point.items()}
                return {
                    "equal": False, "proved": True,
                    "difference": format_expression(difference), "counterexample": sample,
                }  # fmt: skip
        return {"equal": True, "proved": False, "difference": format_expression(difference)}
