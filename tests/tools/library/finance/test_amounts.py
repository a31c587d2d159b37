"""Money in parts: what must hold for all amounts."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.finance._amounts import CENT, shares_of

WEIGHTS = st.lists(st.decimals(0, 1000, places=3), min_size=1, max_size=20).filter(any)


@given(st.integers(0, 10**12), WEIGHTS)
def test_parts_add_up_and_lie_within_a_cent_of_their_share(number: int, weights: list[Decimal]) -> None:
    amount = number * CENT
    parts = shares_of(amount, weights)
    assert sum(parts) == amount
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - amount * weight / sum(weights)) < CENT + Decimal("1e-9")
