"""The rules of usage and budgets."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from retinue.core.database.statements import Statement
from retinue.usage.tables import AMOUNTS, COST, budget_uses, ledger, usage_days

_LEDGER_DAYS = sa.select(
    ledger.c.account_id,
    ledger.c.day,
    ledger.c.resource,
    *(sa.func.sum(ledger.c[name]).label(name) for name in AMOUNTS),
).group_by(ledger.c.account_id, ledger.c.day, ledger.c.resource)
_KEPT_DAYS = sa.select(*(usage_days.c[name] for name in ("account_id", "day", "resource", *AMOUNTS)))


def _spent_by(kind: str, spender: sa.Column[int]) -> sa.Select[Any]:
    """Sum the ledger's tokens, credits and costs by spender and month."""
    month = sa.func.substr(ledger.c.day, 1, 7)
    return (
        sa.select(
            ledger.c.account_id,
            sa.literal_column(f"'{kind}'", sa.String).label("spender"),
            spender.label("spender_id"),
            month.label("period"),
            *(sa.func.sum(ledger.c[name]).label(name) for name in ("tokens", "credits", *COST)),
        )
        .where(spender.is_not(None), (ledger.c.tokens > 0) | (ledger.c.credits > 0))
        .group_by(ledger.c.account_id, spender, month)
    )


_SPENT = sa.union_all(_spent_by("agent", ledger.c.agent_id), _spent_by("key", ledger.c.key_id)).subquery()
_LEDGER_SPENT = sa.select(*_SPENT.c)
_KEPT_SPENT = sa.select(*budget_uses.c)

RULES: Mapping[str, Statement] = {
    "a day's usage does not match the ledger": Statement(_KEPT_DAYS.except_(_LEDGER_DAYS)),
    "the ledger has usage that is missing from the daily usage": Statement(_LEDGER_DAYS.except_(_KEPT_DAYS)),
    "a budget's count does not match the ledger": Statement(_KEPT_SPENT.except_(_LEDGER_SPENT)),
    "the ledger has usage that no budget counts": Statement(_LEDGER_SPENT.except_(_KEPT_SPENT)),
}
