"""Budgets of agents and API keys: tokens and credits of a calendar month, after which no model is called."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.core.clock import now
from retinue.core.database import Database
from retinue.core.errors import RateLimited
from retinue.core.schema import BigInt
from retinue.core.statements import Row, Statement
from retinue.usage.ledger import Spenders
from retinue.usage.periods import period_of, seconds_left
from retinue.usage.tables import budget_uses

_NAMES = {"agent": "the agent", "key": "the API key"}
_PATHS = {"agent": "agents", "key": "keys"}


class Budgets:
    """Refuses spenders whose month's budget is used up."""

    def __init__(self, database: Database, tables: Mapping[str, sa.Table]) -> None:
        """`tables` holds by the kind of spender the table whose columns are the budgets."""
        self._database = database
        self._statements = {kind: _budget_of(kind, table) for kind, table in tables.items()}

    async def check(self, spenders: Spenders, tokens: int = 0) -> None:
        """Raise `RateLimited` where a budget is used up.

        `tokens` are those of a run at work, which enter the ledger when the run ends.
        """
        for kind, spender_id in spenders.each():
            key = {"spender": spender_id, "month": period_of(now().date())}
            row = await self._database.lookup(self._statements[kind], **key)
            if row is not None:
                _check(kind, spender_id, row, tokens)


def _check(kind: str, spender_id: int, row: Row, tokens: int) -> None:
    used = {"monthly_tokens": row.tokens + tokens, "monthly_credits": row.credits}
    for name, amount in used.items():
        limit = getattr(row, name)
        if limit is not None and amount >= limit:
            raise RateLimited(
                f"The budget {name} of {_NAMES[kind]} {spender_id} ({limit:,}) is used up. It begins anew with the "
                f"next month; PUT /{_PATHS[kind]}/{spender_id} raises it.",
                seconds_left(now()),
            )


def _budget_of(kind: str, table: sa.Table) -> Statement:
    """The budgets of a spender and what it used; no row where it has none."""
    use = (
        (budget_uses.c.account_id == table.c.account_id)
        & (budget_uses.c.spender == sa.literal_column(f"'{kind}'", sa.String))
        & (budget_uses.c.spender_id == table.c.id)
        & (budget_uses.c.period == sa.bindparam("month", type_=sa.String))
    )
    zero = sa.literal_column("0", BigInt)
    return Statement(
        sa.select(
            table.c.monthly_tokens,
            table.c.monthly_credits,
            sa.func.coalesce(budget_uses.c.tokens, zero).label("tokens"),
            sa.func.coalesce(budget_uses.c.credits, zero).label("credits"),
        )
        .select_from(table.join(budget_uses, use, isouter=True))
        .where(
            table.c.id == sa.bindparam("spender", type_=BigInt),
            table.c.monthly_tokens.is_not(None) | table.c.monthly_credits.is_not(None),
        )
    )
