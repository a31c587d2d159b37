"""Reverse Polish notation."""

import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?", re.ASCII)
_LONGEST = 400
"""Digits of a number on the way: powers grow fast."""


class PostfixValue(TypedDict):
    """What a postfix expression comes to."""

    result: float
    exact: Annotated[str, About("As a whole number or a fraction")]
    infix: Annotated[str, About("The same expression with operators between the numbers")]


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > 1000:
        raise ToolError("An exponent must be a whole number from -1000 to 1000.")
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    size = max(len(str(base.numerator)), len(str(base.denominator)))
    if size * abs(exponent) > _LONGEST:
        raise ToolError(f"A number on the way would have more than {_LONGEST} digits.")
    return Fraction(base ** int(exponent))


_OPERATORS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "\u00d7": operator.mul,
    "/": operator.truediv,
    "\u00f7": operator.truediv,
    "^": _power,
    "**": _power,
}


@tool(
    tags="reverse polish notation rpn postfix expression evaluate stack calculator",
    use_when=(
        "Evaluate the reverse Polish expression 3 4 + 2 *",
        "What does the postfix expression 5 1 2 + 4 * + 3 - come to?",
        "Compute this RPN: 18 7 - 4 6 + *",
    ),
    examples=(
        Example(
            {"expression": "5 1 2 + 4 * + 3 -"},
            {"result": 14.0, "exact": "14", "infix": "((5 + ((1 + 2) * 4)) - 3)"},
            source="by hand; a usual example of reverse Polish notation",
        ),
        Example({"expression": "1 3 / 2 ^"}, {"exact": "1/9"}, source="by hand"),
        Refusal({"expression": "3 +"}, "two numbers before it"),
        Refusal({"expression": "3 4"}, "2 numbers are left"),
        Refusal({"expression": "3 0 /"}, "zero"),
        Refusal({"expression": "3 x +"}, "neither a number nor an operator"),
    ),
)
def math_evaluate_postfix(
    expression: Annotated[
        str, About("Numbers and + - * / ^ with spaces between", "3 4 + 2 *", min_length=1, max_length=2000)
    ],
) -> PostfixValue:
    """Evaluate an expression in reverse Polish (postfix) notation, exactly.

    Returns the value, as a number and as a fraction, and the expression in the usual notation.
    """
    stack: list[tuple[Fraction, str]] = []
    for word in expression.split():
        stack.append(_apply(word, stack) if word in _OPERATORS else _number(word))
        if max(len(str(stack[-1][0].numerator)), len(str(stack[-1][0].denominator))) > _LONGEST:
            raise ToolError(f"A number on the way has more than {_LONGEST} digits.")
    if len(stack) != 1:
        raise ToolError(f"At the end {len(stack)} numbers are left: operators are missing, or there is nothing.")
    value, infix = stack[0]
    try:
        return {"result": float(value), "exact": str(value), "infix": infix}
    except OverflowError as error:
        raise ToolError("The result is too large for a number.") from error


def _apply(word: str, stack: list[tuple[Fraction, str]]) -> tuple[Fraction, str]:
    """What an operator makes of the two numbers on top of the stack, which it takes away."""
    if len(stack) < 2:
        raise ToolError(f"{word} needs two numbers before it.")
    (right, right_text), (left, left_text) = stack.pop(), stack.pop()
    try:
        return _OPERATORS[word](left, right), f"({left_text} {word} {right_text})"
    except ZeroDivisionError as error:
        raise ToolError(f"{left_text} {word} {right_text} divides by zero.") from error


def _number(word: str) -> tuple[Fraction, str]:
    if not _NUMBER.fullmatch(word):
        raise ToolError(f"{word[:40]} is neither a number nor an operator. Put spaces between them.")
    return Fraction(word), word
