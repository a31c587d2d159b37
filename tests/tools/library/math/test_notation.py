"""What people write reaches the calculator with its meaning, and what has two readings is refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.math._arithmetic import evaluate
from retinue_tools.math._notation import plain


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("8!/(3!·5!)", 56),
        ("-(2 + 1)!", -6),
        ("1,234,567 + 1", 1_234_568),
        ("max(1,234)", 234),
        ("1'000 ÷ 8", 125),
        ("-3²", -9),
        ("2⁻²", Fraction(1, 4)),
        ("2√16 + ∛27", 11),
        ("2 + 7 mod 4", 5),
        ("[(6 + 4) ÷ 2]²", 25),
        ("3 x 4 =", 12),
        ("mean([1, 2, 6])", 3),
        ("median(4, 1, 3, 2)", Fraction(5, 2)),
        ("root(-32, 5)", -2),
        ("1800 - 10%", 1620),
        ("100 + 20 + 5 %", 126),
        ("2 * (3 + 1) - 50%", 4),
        ("5% + 3%", Fraction(8, 100)),
        ("2 * (3 - 10%)", Fraction(58, 10)),
        ("-10%", Fraction(-1, 10)),
        ("10 - 7 % 4", 7),
    ],
)
def test_written_formulas_have_their_values(written: str, value: Fraction | int) -> None:
    assert evaluate(plain(written)) == value


@pytest.mark.parametrize("written", ["1/2√4", "2³√4", "3!!", "12,50 * 2", "0,500 * 2", "0x10", "(-8)^(1/3)"])
def test_ambiguous_values_are_refused(written: str) -> None:
    with pytest.raises(ToolError):
        evaluate(plain(written))


@given(st.integers(0, 10**40), st.integers(2, 60))
def test_roots_of_powers_are_exact(base: int, degree: int) -> None:
    if base**degree < 2**12_000:
        assert evaluate(f"root({base}**{degree}, {degree})") == base
