"""Budgets of agents and API keys: tokens and credits of a calendar month, after which no model is called."""

from typing import Any

import sqlalchemy as sa

from retinue.core.clock import now
from retinue.core.database import Database
from retinue.core.errors import RateLimited
from retinue.core.schema import BigInt
from retinue.core.statements import Row, Statement
from retinue.usage.ledger import NOBODY, Spenders
from retinue.usage.periods import period_of, seconds_left
from retinue.usage.tables import budget_uses

_NAMES = {"agent": "the agent", "key": "the API key"}
_PATHS = {"agent": "agents", "key": "keys"}


class Budgets:
    """Refuses spenders whose month's budget is used up."""

    def __init__(self, database: Database, agents: sa.Table, keys: sa.Table) -> None:
        """`agents` and `keys` are the tables whose columns are the budgets."""
        self._database = database
        self._statement = Statement(sa.union_all(_budgets_of("agent", agents), _budgets_of("key", keys)))

    async def check(self, spenders: Spenders, tokens: int = 0) -> None:
        """Raise `RateLimited` where a budget is used up.

        `tokens` are those of a run at work, which enter the ledger when the run ends.
        """
        if spenders == NOBODY:
            return
        wanted = {"agent": spenders.agent_id, "key": spenders.key_id, "month": period_of(now().date())}
        for row in await self._database.fetch(self._statement, **wanted):
            _check(row, tokens)


def _check(row: Row, tokens: int) -> None:
    used = {"monthly_tokens": row.tokens + tokens, "monthly_credits": row.credits}
    for name, amount in used.items():
        limit = getattr(row, name)
        if limit is not None and amount >= limit:
            raise RateLimited(
                f"The budget {name} of {_NAMES[row.spender]} {row.id} ({limit:,}) is used up. It begins anew with the "
                f"next month; PUT /{_PATHS[row.spender]}/{row.id} raises it.",
                seconds_left(now()),
            )


def _budgets_of(kind: str, table: sa.Table) -> sa.Select[Any]:
    """The budgets of a spender and what it used; no row where it has none."""
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
