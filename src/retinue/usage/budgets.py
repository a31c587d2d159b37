"""Enforces monthly budgets of agents and API keys: tokens, credits and USD. No model is called once one is spent."""

from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import RateLimited
from retinue.core.runtime.clock import now
from retinue.usage.ledger import NOBODY, BudgetOwners
from retinue.usage.money import cost_text, join_cost
from retinue.usage.periods import next_first_day, period_of, seconds_left
from retinue.usage.tables import COST, budget_uses

BUDGETS = ("monthly_tokens", "monthly_credits", "monthly_cost_usd")
"""The columns of a spender's monthly budgets. `monthly_cost_usd` is a decimal number."""

_NAMES = {"agent": "the agent", "key": "the API key"}
_PATHS = {"agent": "agents", "key": "keys"}


class Budgets:
    """Checks the monthly budgets of spenders. What they have used is read in `budget_uses`."""

    def __init__(self, database: Database, agents: sa.Table, keys: sa.Table) -> None:
        """`agents` and `keys` are the tables with the budget columns."""
        self._database = database
        self._statement = Statement(sa.union_all(_budgets_of("agent", agents), _budgets_of("key", keys)))

    async def check(
        self, spenders: BudgetOwners, tokens: int = 0, cost: Decimal = Decimal(0), *, reserved: int = 0
    ) -> None:
        """Raise `RateLimited` if a budget is spent.

        `tokens` and `cost` are those of the current run, which enter the ledger only when it ends. `reserved` are the
        credits of tools that are running. Model calls whose price is unknown cost nothing here.
        """
        if spenders == NOBODY:
            return
        parameters = {"agent": spenders.agent_id, "key": spenders.key_id, "month": period_of(now().date())}
        for row in await self._database.fetch(self._statement, **parameters):
            _check(row, tokens, cost, reserved)


def _check(row: Row, tokens: int, cost: Decimal, reserved: int) -> None:
    spent = join_cost(row.cost_micros, row.cost_rest) + cost
    dollars = None if row.monthly_cost_usd is None else Decimal(row.monthly_cost_usd)
    for name, amount, limit in (
        ("monthly_tokens", row.tokens + tokens, row.monthly_tokens),
        ("monthly_credits", row.credits + reserved, row.monthly_credits),
        ("monthly_cost_usd", spent, dollars),
    ):
        if limit is not None and amount >= limit:
            limit_text = f"{cost_text(limit)} USD" if isinstance(limit, Decimal) else f"{limit:,}"
            moment = now()
            raise RateLimited(
                f"The budget {name} of {_NAMES[row.spender]} {row.id} ({limit_text}) is used up. It begins again on "
                f"{next_first_day(moment.date())} (UTC). Raise it with PUT /{_PATHS[row.spender]}/{row.id}.",
                seconds_left(moment),
            )


def _budgets_of(kind: str, table: sa.Table) -> sa.Select[Any]:
    """Select a spender's budgets and usage. Yields no row if it has no budget."""
    spender = sa.literal_column(f"'{kind}'", sa.String)
    use = (
        (budget_uses.c.account_id == table.c.account_id)
        & (budget_uses.c.spender == spender)
        & (budget_uses.c.spender_id == table.c.id)
        & (budget_uses.c.period == sa.bindparam("month", type_=sa.String))
    )
    zero = sa.literal_column("0", BigInt)
    return (
        sa.select(
            spender.label("spender"),
            table.c.id,
            table.c.monthly_tokens,
            table.c.monthly_credits,
            table.c.monthly_cost_usd,
            *(sa.func.coalesce(budget_uses.c[name], zero).label(name) for name in ("tokens", "credits", *COST)),
        )
        .select_from(table.join(budget_uses, use, isouter=True))
        .where(
            table.c.id == sa.bindparam(kind, type_=BigInt),
            sa.or_(*(table.c[name].is_not(None) for name in BUDGETS)),
        )
    )
