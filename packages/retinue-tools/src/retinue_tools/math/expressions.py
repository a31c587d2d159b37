"""Arithmetic expressions: the calculator, and prefix, infix and postfix (reverse Polish) notation."""

import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._arithmetic import Value, evaluate
from retinue_tools.math._notation import plain

_DIGITS = 20
_EXACT = 2**53


class Evaluation(TypedDict):
    """A value in exact and approximate forms."""

    result: Annotated[str, About("Value in decimal digits")]
    exact: Annotated[bool, About("Whether these digits are exact")]
    value: NotRequired[Annotated[float, About("Value as a number, if a double can represent it")]]
    fraction: NotRequired[Annotated[str, About("Exact value as a fraction in lowest terms, if it is not whole")]]


@tool(
    tags="calculator arithmetic evaluate compute formula add subtract multiply divide percent power root factorial"
    " plus minus times percentage square numbers decimal",
    use_when=(
        "What is 3 * (4 + 5) / 7?",
        "How much is 15% of 240?",
        "What is the square root of 1764?",
        "Calculate 2 to the power of 64",
        "What is 25 factorial?",
        "Add, subtract, multiply or divide some numbers",
        "What is 12.5 percent of 80?",
        "Area of a circle of radius 2: pi times the radius squared",
        "Reduce 18/24 to lowest terms",
        "What is 7! / 5!?",
        "What is the mean of 4, 8 and 15?",
        "How much is 1,250,000 ÷ 16?",
        "What is 8471 mod 12?",
        "Calculator",
        "Do a sum",
        "Work out a sum",
    ),
    examples=(
        Example({"expression": "0.1 + 0.2"}, {"result": "0.3", "exact": True}, source="decimal arithmetic by hand"),
        Example(
            {"expression": "factorial(25)"},
            {"result": "15511210043330985984000000", "exact": True},
            source="OEIS A000142",
        ),
        Example(
            {"expression": "2^127 - 1"}, {"result": str(2**127 - 1)}, source="OEIS A000668, the 12th Mersenne prime"
        ),
        Example({"expression": "sqrt(2)"}, {"value": 1.4142135623730951, "exact": False}, source="OEIS A002193"),
        Example({"expression": "15% of 240"}, {"value": 36.0}, source="by hand"),
        Example({"expression": "2 * 900 - 10%"}, {"value": 1620.0}, source="by hand, as calculators read it"),
        Example({"expression": "LCM(84, 150, 63)"}, {"value": 6300.0}, source="2 * 2 * 3 * 3 * 5 * 5 * 7, by hand"),
        Example({"expression": "1/3 + 1/6"}, {"fraction": "1/2", "result": "0.5"}, source="by hand"),
        Example({"expression": "8!/(3!·5!) + 2√16"}, {"value": 64.0}, source="8 choose 3 is 56, by hand"),
        Example({"expression": "1,234,567 - 10³ · 2"}, {"result": "1232567"}, source="by hand"),
        Example({"expression": "mean(2, 3, 10) + 17 mod 5"}, {"result": "7"}, source="15 / 3 + 2, by hand"),
        Example({"expression": "nCr(52, 5)"}, {"result": "2598960"}, source="the number of poker hands"),
        Example({"expression": "root(-32, 5) + cbrt(-27)"}, {"result": "-5", "exact": True}, source="(-2)^5, (-3)^3"),
        Refusal({"expression": "12,5 * 2"}, "point"),
        Refusal({"expression": "(-8)^(1/3)"}, "cbrt(-8)"),
        Refusal({"expression": "9**9**9**9"}, "too large"),
        Refusal({"expression": "1 / (2 - 2)"}, "divides by zero"),
        Refusal({"expression": "__import__('os').system('id')"}, "is not supported"),
    ),
    reply={
        "fraction": "It is {result}, or {fraction}.",
        "exact": "It is {result}.",
        "result": "It is {result}, rounded.",
        "": "It is: {result}",
    },
)
def math_evaluate_expression(
    expression: Annotated[
        str,
        About(
            "Arithmetic expression with + - * / // % ** ^ !, parentheses, functions such as sqrt, ln, sin (radians), "
            "mean, sum, comb, round, and the constants pi and e",
            "2 * (3 + 4.5) ** 2 / sqrt(16)",
            min_length=1,
            max_length=500,
        ),
    ],
) -> Evaluation:
    """Evaluate an arithmetic expression exactly if possible, with whole numbers of thousands of digits.

    Use it to add, subtract, multiply and divide, and for every other calculation. Returns the value in digits, whether
    they are exact, and the exact fraction.
    """
    value = evaluate(plain(expression))
    return _exact(value) if isinstance(value, Fraction) else {"result": f"{value:.15g}", "exact": False, "value": value}


def _exact(value: Fraction) -> Evaluation:
    text, complete = _decimal(value)
    evaluation: Evaluation = {"result": text, "exact": complete}
    number = _as_float(value)
    if number is not None:
        evaluation["value"] = number
    if value.denominator != 1:
        evaluation["fraction"] = str(value)
    return evaluation


def _decimal(value: Fraction) -> tuple[str, bool]:
    """Return the digits, and whether they are complete."""
    if value.denominator == 1:
        return str(value.numerator), True
    with localcontext(prec=_DIGITS):
        digits = Decimal(value.numerator) / Decimal(value.denominator)
        complete = Fraction(digits) == value
    return f"{digits.normalize():f}" if digits.adjusted() > -7 else str(digits.normalize()), complete


def _as_float(value: Value) -> float | None:
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < _EXACT:
        return int(value)
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if number or not value else None


_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|[A-Za-z]\w*)|([-+*/^%()]))")
_RANKS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 3}


class Notations(TypedDict):
    """An expression in three notations."""

    postfix: Annotated[str, About("Postfix notation: reverse Polish")]
    prefix: Annotated[str, About("Prefix notation: Polish")]
    infix: Annotated[str, About("Infix notation with all brackets")]


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
        Refusal({"expression": "1 + + 2"}, "cannot be parsed"),
    ),
    reply="The expression is {postfix} in postfix and {prefix} in prefix notation.",
)
def expression_convert_notation(
    expression: Annotated[
        str, About("Expression with + - * / % ^ and brackets", "(1+2)*3", min_length=1, max_length=2000)
    ],
) -> Notations:
    """Convert an infix expression (operators between numbers) to postfix (reverse Polish) and prefix notation."""
    values: list[tuple[str, str, str]] = []
    waiting: list[str] = []
    expects_value = True
    for value, sign in _tokens(expression):
        if expects_value != bool(value or sign == "("):
            raise ToolError(
                f"The expression cannot be parsed at {value or sign!r}: an operator or a number is missing."
            )
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
            raise ToolError(f"The expression cannot be parsed at {text[place:].strip()[:10]!r}.")
        found.append((match[1] or "", match[2] or ""))
        place = match.end()
    return found


def _reduce(values: list[tuple[str, str, str]], waiting: list[str], sign: str) -> None:
    """Apply operators that bind tighter than the sign, which is then pushed; a closing bracket ends its group."""
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
            raise ToolError("There is a closing bracket without an opening one.")
        waiting.pop()
    elif sign:
        waiting.append(sign)


def _binds(before: str, sign: str) -> bool:
    rank = _RANKS.get(sign, 0)
    return _RANKS[before] > rank or (_RANKS[before] == rank and sign != "^")


_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?", re.ASCII)
_LONGEST = 400
"""Maximum number of digits of an intermediate number, because powers grow fast."""


class PostfixValue(TypedDict):
    """Value of a postfix expression."""

    result: float
    exact: Annotated[str, About("Value as a whole number or a fraction")]
    infix: Annotated[str, About("The same expression in infix notation")]


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > 1000:
        raise ToolError("An exponent must be a whole number from -1000 to 1000.")
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    size = max(len(str(base.numerator)), len(str(base.denominator)))
    if size * abs(exponent) > _LONGEST:
        raise ToolError(f"An intermediate number would have more than {_LONGEST} digits.")
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
        Refusal({"expression": "3 4"}, "2 numbers remain at the end"),
        Refusal({"expression": "3 0 /"}, "zero"),
        Refusal({"expression": "3 x +"}, "neither a number nor an operator"),
    ),
    reply="It comes to {exact}, in the usual notation {infix}.",
)
def math_evaluate_postfix(
    expression: Annotated[
        str, About("Numbers and + - * / ^ separated by spaces", "3 4 + 2 *", min_length=1, max_length=2000)
    ],
) -> PostfixValue:
    """Evaluate an expression in reverse Polish (postfix) notation, exactly.

    Returns the value, as a number and as a fraction, and the expression in the usual notation.
    """
    stack: list[tuple[Fraction, str]] = []
    for word in expression.split():
        stack.append(_apply(word, stack) if word in _OPERATORS else _read_number(word))
        if max(len(str(stack[-1][0].numerator)), len(str(stack[-1][0].denominator))) > _LONGEST:
            raise ToolError(f"An intermediate number has more than {_LONGEST} digits.")
    if len(stack) != 1:
        raise ToolError(f"{len(stack)} numbers remain at the end: operators are missing, or the expression is empty.")
    value, infix = stack[0]
    try:
        return {"result": float(value), "exact": str(value), "infix": infix}
    except OverflowError as error:
        raise ToolError("The result is too large for a number.") from error


def _apply(word: str, stack: list[tuple[Fraction, str]]) -> tuple[Fraction, str]:
    """Apply an operator to the two numbers on top of the stack and remove them."""
    if len(stack) < 2:
        raise ToolError(f"{word} needs two numbers before it.")
    (right, right_text), (left, left_text) = stack.pop(), stack.pop()
    try:
        return _OPERATORS[word](left, right), f"({left_text} {word} {right_text})"
    except ZeroDivisionError as error:
        raise ToolError(f"{left_text} {word} {right_text} divides by zero.") from error


def _read_number(word: str) -> tuple[Fraction, str]:
    if not _NUMBER.fullmatch(word):
        raise ToolError(f"{word[:40]} is neither a number nor an operator. Separate them with spaces.")
    return Fraction(word), word
