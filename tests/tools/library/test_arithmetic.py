"""The expression evaluator against Python's own exact arithmetic, and against hostile input."""

import math
import time
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.math._arithmetic import MAX_BITS, evaluate
from retinue_tools.math.expressions import math_evaluate_expression

NUMBERS = st.integers(0, 10**6).map(str) | st.decimals(0, 1000, places=3).map(str)


def nest(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner)
    return binary.map(lambda parts: f"({' '.join(parts)})") | inner.map(lambda part: f"-{part}")


EXPRESSIONS = st.recursive(NUMBERS, nest, max_leaves=12)


def exactly(expression: str) -> Fraction:
    """What Python makes of the expression when every literal is a Fraction."""
    quoted = "".join(f"F('{part}')" if part[:1].isdigit() else part for part in _tokens(expression))
    return Fraction(eval(quoted, {"F": Fraction}))  # noqa: S307  a text that this test made


def _tokens(expression: str) -> list[str]:
    spaced = expression
    for mark in "()-":
        spaced = spaced.replace(mark, f" {mark} ")
    return spaced.split()


@given(EXPRESSIONS)
def test_the_value_is_exact(expression: str) -> None:
    assume(len(expression) <= 500)
    try:
        expected = exactly(expression)
    except ZeroDivisionError:
        with pytest.raises(ToolError, match="divides by zero"):
            evaluate(expression)
    else:
        assert evaluate(expression) == expected


@given(st.text(max_size=60) | st.text("0123456789+-*/^%().,e sqrtlogpi!", max_size=60))
def test_any_text_gets_a_value_or_a_reason(text: str) -> None:
    try:
        result = math_evaluate_expression(text)
    except ToolError:
        return
    assert result["result"]
    assert math.isfinite(result.get("value", 0.0))


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9**9",
        "10**10**10",
        "(2**6000)*(2**6000)*(2**6000)",
        "1e999999999",
        "1e-999999999",
        "factorial(10**9)",
        "comb(10**9, 5*10**8)",
        "0.5**99999999",
        "exp(10**4)",
        "2**-99999999",
        "gcd(9**3000, 6)" + "**9" * 100,
    ],
)
def test_endless_work_is_refused_at_once(expression: str) -> None:
    begun = time.process_time()
    with pytest.raises(ToolError):
        evaluate(expression)
    assert time.process_time() - begun < 5


NOT_ARITHMETIC = [
    *("x", "().__class__", "[1, 2]", "{1: 2}", "lambda: 1", "1 if 1 else 2", "'a'", "abs(x=1)", "open('f')", "f(1)"),
    *("1 < 2", "a := 1", "1j", "True", "None", "...", "", "(", "1 +", "1\n2", "\0", "(" * 300, "abs(1, 2)", "max()"),
    *("asin(2)", "ln(0)", "sqrt(-1)", "(-8)**(1/3)", "round(1, 2.5)", "factorial(-1)", "log(2, 1)"),
]


@pytest.mark.parametrize("expression", NOT_ARITHMETIC)
def test_expressions_other_than_arithmetic_are_refused(expression: str) -> None:
    with pytest.raises(ToolError):
        evaluate(expression)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 ^ 10", "1024"),
        ("15% of 240", "36"),
        ("200 * 10%", "20"),
        ("17 % 5", "2"),
        ("3 \u00d7 4 \u00f7 2 \u2212 1", "5"),
        ("round(2.5)", "3"),
        ("round(-2.675, 2)", "-2.68"),
        ("sqrt(9/4)", "1.5"),
        ("-2 ** 2", "-4"),
        ("2 ** 3 ** 2", "512"),
        ("7 // -2", "-4"),
        ("log(8, 2)", "3"),
        ("degrees(pi)", "180"),
        ("1/3", "0.33333333333333333333"),
    ],
)
def test_expressions_have_their_values(expression: str, value: str) -> None:
    assert math_evaluate_expression(expression)["result"] == value


def test_the_largest_whole_number_is_written_out() -> None:
    assert math_evaluate_expression(f"2 ** {MAX_BITS - 1}")["result"] == str(2 ** (MAX_BITS - 1))


def test_a_number_beyond_doubles_has_no_value_in_numbers() -> None:
    assert "value" not in math_evaluate_expression("10 ** 400")
    assert "value" not in math_evaluate_expression("1 / 10 ** 400")
