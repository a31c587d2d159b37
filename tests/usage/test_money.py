"""Amounts of money stay exact, however they are summed."""

from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retinue.check.usage import RULES
from retinue.core.database.interface import Database, Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.models.base import Price, Usage
from retinue.runs.model_answer import Spending, cost_of
from retinue.usage.ledger import BudgetOwners, record
from retinue.usage.money import cost_text, join_cost, split_cost
from retinue.usage.tables import budget_uses, usage_days
from retinue.usage.totals import spending_of

COSTS = st.decimals(0, 10**9, places=16, allow_nan=False)
COUNTS = st.integers(0, 10**7)
PRICES = st.decimals(0, 999_999, places=10, allow_nan=False).map(str)
CALLS = st.tuples(COUNTS, COUNTS, COUNTS, st.none() | st.builds(Price, PRICES, PRICES, st.none() | PRICES))

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_DAYS = Statement(sa.select(usage_days).where(usage_days.c.account_id == _ACCOUNT))
_SPENT = Statement(sa.select(budget_uses).where(budget_uses.c.account_id == _ACCOUNT))
_accounts = count(100)


def exact_cost(fresh: int, cached: int, written: int, price: Price | None) -> Fraction | None:
    """Return the cost of a model call, computed with fractions."""
    if price is None:
        return None
    cheap = Fraction(price.input if price.cached_input is None else price.cached_input)
    return (fresh * Fraction(price.input) + cached * cheap + written * Fraction(price.output)) / 10**6


@given(st.lists(COSTS))
def test_sums_of_pairs_are_sums_of_amounts(costs: list[Decimal]) -> None:
    pairs = [split_cost(cost) for cost in costs]
    assert [join_cost(*pair) for pair in pairs] == costs
    total = join_cost(sum(micros for micros, _ in pairs), sum(rest for _, rest in pairs))
    assert total == sum(costs, Decimal(0))
    assert Decimal(cost_text(total) or "x") == total


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CALLS, max_size=4), min_size=1, max_size=8))
async def test_a_days_usage_is_the_sum_of_all_model_calls(database: Database, runs: list[list[Any]]) -> None:
    account, calls = next(_accounts), [call for run in runs for call in run]

    async def write(tx: Tx) -> None:
        for run in runs:
            spent, tokens = Spending(), 0
            for fresh, cached, written, price in run:
                usage = Usage(fresh + cached, written, cached)
                spent.add(usage, cost_of(usage, price))
                tokens += fresh + cached + written
            await record(tx, account, spent.use("agents", tokens), spenders=BudgetOwners(agent_id=1))

    await database.transact(write)
    costs = [exact_cost(*call) for call in calls]
    known = sum((cost for cost in costs if cost is not None), Fraction(0))
    unpriced = any(
        any(price is None for *_, price in run) and any(tokens for *counts, _ in run for tokens in counts)
        for run in runs
    )
    (day,) = await database.query(_DAYS, account=account)
    shown = spending_of(day)
    assert shown["usage"] == {
        "input_tokens": sum(fresh + cached for fresh, cached, _, _ in calls),
        "cached_input_tokens": sum(cached for _, cached, _, _ in calls),
        "output_tokens": sum(written for _, _, written, _ in calls),
        "reasoning_tokens": 0,
    }
    assert (shown["cost_usd"] is None) == unpriced == bool(shown["unpriced_tokens"])
    assert unpriced or Fraction(str(shown["cost_usd"])) == known
    spent = await database.query(_SPENT, account=account)
    assert sum(Fraction(join_cost(row.cost_micros, row.cost_rest)) for row in spent) == known
    for statement in RULES.values():
        assert await database.query(statement) == []
