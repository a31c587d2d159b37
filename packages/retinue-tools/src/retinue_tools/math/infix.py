"""Expressions with their operators behind or before the numbers."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|[A-Za-z]\w*)|([-+*/^%()]))")
_RANKS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 3}


class Notations(TypedDict):
    """An expression in three notations."""

    postfix: Annotated[str, About("Operators behind: reverse Polish notation")]
    prefix: Annotated[str, About("Operators before: Polish notation")]
    infix: Annotated[str, About("Operators between, all brackets written")]


@tool(
    tags="infix postfix prefix convert reverse polish notation shunting yard expression operators stack",
    use_when=(
        "Write (1+2)*3 in postfix",
        "Convert a + b * c - d to reverse Polish notation",
        "Prefix form of (x + y) / (z - 2)",
    ),
    examples=(
        Example(
            {"expression": "(1+2)*3"},
            {"postfix": "1 2 + 3 *", "prefix": "* + 1 2 3", "infix": "((1 + 2) * 3)"},
            source="by hand",
        ),
        Example({"expression": "a ^ b ^ c - d"}, {"postfix": "a b c ^ ^ d -"}, source="powers bind to the right"),
        Refusal({"expression": "(1+2"}, "bracket"),
        Refusal({"expression": "1 + + 2"}, "cannot be read"),
    ),
)
def expression_convert_notation(
    expression: Annotated[
        str, About("Expression with + - * / % ^ and brackets", "(1+2)*3", min_length=1, max_length=2000)
    ],
) -> Notations:
    """Convert an expression with operators between its numbers to postfix (reverse Polish) and prefix notation."""
    values: list[tuple[str, str, str]] = []
    waiting: list[str] = []
    expects_value = True
    for value, sign in _tokens(expression):
        if expects_value != bool(value or sign == "("):
            raise ToolError(f"The expression cannot be read at {value or sign!r}: an operator or a number is missing.")
        if value:
            values.append((value, value, value))
        elif sign == "(":
            waiting.append(sign)
        else:
            _reduce(values, waiting, sign)
        expects_value = not value and sign != ")"
    _reduce(values, waiting, "")
    if waiting or expects_value:
        raise ToolError("The expression ends too early, or a bracket is not closed.")
    postfix, prefix, infix = values[0]
    return {"postfix": postfix, "prefix": prefix, "infix": infix}


def _tokens(text: str) -> list[tuple[str, str]]:
    found, place = [], 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            raise ToolError(f"The expression cannot be read at {text[place:].strip()[:10]!r}.")
        found.append((match[1] or "", match[2] or ""))
        place = match.end()
    return found


def _reduce(values: list[tuple[str, str, str]], waiting: list[str], sign: str) -> None:
    """Join what binds tighter than the sign, which then waits itself; a closing bracket ends its own."""
    while waiting and waiting[-1] != "(" and _binds(waiting[-1], sign):
        second, first, between = values.pop(), values.pop(), waiting.pop()
        values.append(
            (
                f"{first[0]} {second[0]} {between}",
                f"{between} {first[1]} {second[1]}",
                f"({first[2]} {between} {second[2]})",
            )
        )
    if sign == ")":
        if not waiting:
            raise ToolError("A bracket is closed that was not opened.")
        waiting.pop()
    elif sign:
        waiting.append(sign)


def _binds(before: str, sign: str) -> bool:
    rank = _RANKS.get(sign, 0)
    return _RANKS[before] > rank or (_RANKS[before] == rank and sign != "^")
