"""Money in parts: what must hold for all amounts."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.finance._amounts import CENT, shares_of
from retinue_tools.finance.cash_and_unit_prices import price_compare_units

WEIGHTS = st.lists(st.decimals(0, 1000, places=3), min_size=1, max_size=20).filter(any)


@given(st.integers(0, 10**12), WEIGHTS)
def test_parts_add_up_and_lie_within_a_cent_of_their_share(number: int, weights: list[Decimal]) -> None:
    amount = number * CENT
    parts = shares_of(amount, weights)
    assert sum(parts) == amount
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - amount * weight / sum(weights)) < CENT + Decimal("1e-9")


OFFERS = st.lists(st.tuples(st.floats(0.01, 1e4), st.floats(1, 1e4)), min_size=1, max_size=9)


@given(OFFERS)
def test_a_thousand_units_of_the_cheapest_offer_cost_least(offers: list[tuple[float, float]]) -> None:
    prices, amounts = map(list, zip(*offers, strict=True))
    found = price_compare_units(prices, amounts)
    per_1000 = [offer["price_per_1000"] for offer in found["offers"]]
    assert per_1000 == [pytest.approx(price / amount * 1000, abs=1e-5) for price, amount in offers]
    assert found["cheapest_per_1000"] == min(per_1000) == per_1000[found["cheapest"] - 1]


def test_a_price_per_kilo_is_that_of_1000_grams() -> None:
    found = price_compare_units([5.49, 8.29], [400, 650])
    assert (found["cheapest"], found["cheapest_per_1000"]) == (2, 12.75385)
    assert [offer["price_per_1000"] for offer in found["offers"]] == [13.725, 12.75385]
