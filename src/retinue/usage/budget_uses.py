"""Tells what spenders have used of their monthly budgets."""

from collections.abc import Collection
from typing import Literal, TypedDict

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.portable_sql import among
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.usage.money import cost_text, join_cost
from retinue.usage.periods import period_of
from retinue.usage.tables import COST, budget_uses

_USES = Statement(
    sa.select(*(budget_uses.c[name] for name in ("spender_id", "tokens", "credits", *COST))).where(
        among(budget_uses.c.account_id, "accounts"),
        budget_uses.c.spender == sa.bindparam("kind", type_=sa.String),
        among(budget_uses.c.spender_id, "ids"),
        budget_uses.c.period == sa.bindparam("month", type_=sa.String),
    )
)


class BudgetUse(TypedDict):
    """What a spender used in this calendar month, beside its limits. The cost is a decimal number."""

    monthly_tokens_used: int
    monthly_credits_used: int
    monthly_cost_usd_used: str


_UNUSED: BudgetUse = {"monthly_tokens_used": 0, "monthly_credits_used": 0, "monthly_cost_usd_used": "0"}


class BudgetUses:
    """Reads the current month's use of agents or of API keys."""

    def __init__(self, database: Database, kind: Literal["agent", "key"]) -> None:
        self._database = database
        self._kind = kind

    async def of(self, accounts: Collection[int], spender_ids: Collection[int]) -> dict[int, BudgetUse]:
        """Return the use of each spender by its id. `accounts` are the accounts that have them."""
        uses: dict[int, BudgetUse] = dict.fromkeys(spender_ids, _UNUSED)
        found = await self._database.fetch(
            _USES,
            accounts=sorted(set(accounts)),
            kind=self._kind,
            ids=list(uses),
            month=period_of(now().date()),
        )
        return uses | {row.spender_id: _use(row) for row in found}


def _use(row: Row) -> BudgetUse:
    return {
        "monthly_tokens_used": row.tokens,
        "monthly_credits_used": row.credits,
        "monthly_cost_usd_used": cost_text(join_cost(row.cost_micros, row.cost_rest)) or "0",
    }
