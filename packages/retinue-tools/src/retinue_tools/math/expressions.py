"""The calculator."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.math._arithmetic import Value, evaluate
from retinue_tools.math._notation import plain

_DIGITS = 20
_EXACT = 2**53


class Evaluation(TypedDict):
    """A value in the forms that serve people and programs."""

    result: Annotated[str, About("The value in decimal digits")]
    exact: Annotated[bool, About("Whether these digits are the whole truth")]
    value: NotRequired[Annotated[float, About("The value as a number, where a double can hold it")]]
    fraction: NotRequired[Annotated[str, About("The exact value as a fraction in lowest terms, if it is not whole")]]


@tool(
    tags="calculator arithmetic evaluate compute formula percent power root factorial plus minus times"
    " percentage square numbers decimal",
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
        Refusal({"expression": "__import__('os').system('id')"}, "not understood"),
    ),
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
    """Evaluate an arithmetic expression exactly where that is possible, with whole numbers of thousands of digits.

    Use it for every calculation. Returns the value in digits, whether they are exact, and the fraction behind them.
    """
    value = evaluate(plain(expression))
    return _exact(value) if isinstance(value, Fraction) else {"result": f"{value:.15g}", "exact": False, "value": value}


def _exact(value: Fraction) -> Evaluation:
    text, complete = _decimal(value)
    evaluation: Evaluation = {"result": text, "exact": complete}
    number = _number(value)
    if number is not None:
        evaluation["value"] = number
    if value.denominator != 1:
        evaluation["fraction"] = str(value)
    return evaluation


def _decimal(value: Fraction) -> tuple[str, bool]:
    """Digits, and whether they are all."""
    if value.denominator == 1:
        return str(value.numerator), True
    with localcontext(prec=_DIGITS):
        digits = Decimal(value.numerator) / Decimal(value.denominator)
        complete = Fraction(digits) == value
    return f"{digits.normalize():f}" if digits.adjusted() > -7 else str(digits.normalize()), complete


def _number(value: Value) -> float | None:
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < _EXACT:
        return int(value)
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if number or not value else None
