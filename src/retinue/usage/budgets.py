"""Enforces monthly token and credit budgets of agents and API keys. No model is called once a budget is spent."""

from typing import Any

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import RateLimited
from retinue.core.runtime.clock import now
from retinue.usage.ledger import NOBODY, Spenders
from retinue.usage.periods import period_of, seconds_left
from retinue.usage.tables import budget_uses

_NAMES = {"agent": "the agent", "key": "the API key"}
_PATHS = {"agent": "agents", "key": "keys"}


class Budgets:
    """Checks the monthly budgets of spenders."""

    def __init__(self, database: Database, agents: sa.Table, keys: sa.Table) -> None:
        """`agents` and `keys` are the tables with the budget columns."""
        self._database = database
        self._statement = Statement(sa.union_all(_budgets_of("agent", agents), _budgets_of("key", keys)))

    async def check(self, spenders: Spenders, tokens: int = 0, reserved: int = 0) -> None:
        """Raise `RateLimited` if a budget is spent.

        `tokens` are those of the current run, which enter the ledger only when it ends. `reserved` are the
        credits of tools that are running.
        """
        if spenders == NOBODY:
            return
        wanted = {"agent": spenders.agent_id, "key": spenders.key_id, "month": period_of(now().date())}
        for row in await self._database.fetch(self._statement, **wanted):
            _check(row, tokens, reserved)


def _check(row: Row, tokens: int, reserved: int) -> None:
    used = {"monthly_tokens": row.tokens + tokens, "monthly_credits": row.credits + reserved}
    for name, amount in used.items():
        limit = getattr(row, name)
        if limit is not None and amount >= limit:
            raise RateLimited(
                f"The budget {name} of {_NAMES[row.spender]} {row.id} ({limit:,}) is used up. It resets next "
                f"month. Raise it with PUT /{_PATHS[row.spender]}/{row.id}.",
                seconds_left(now()),
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
            sa.func.coalesce(budget_uses.c.tokens, zero).label("tokens"),
            sa.func.coalesce(budget_uses.c.credits, zero).label("credits"),
        )
        .select_from(table.join(budget_uses, use, isouter=True))
        .where(
            table.c.id == sa.bindparam(kind, type_=BigInt),
            table.c.monthly_tokens.is_not(None) | table.c.monthly_credits.is_not(None),
        )
    )
