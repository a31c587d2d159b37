"""The tables of the ledger, of the totals derived from it, and of the positions of meter files."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table

AMOUNTS = ("count", "errors", "tokens", "credits", "milliseconds")


def _amounts() -> list[sa.Column[int]]:
    return [sa.Column(name, BigInt, nullable=False) for name in AMOUNTS]


ledger = table(
    "ledger",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("resource", sa.String(16), nullable=False),
    *_amounts(),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("key_id", BigInt),
    sa.Index(None, "account_id", "day"),
)
"""The source of truth for usage. Rows are only added, and merged when they are old.

`resource` is tools, agents, chat, voice, or api for API calls.
`agent_id` and `key_id` identify the budgets that the usage counts against.
"""

usage_days = table(
    "usage_days",
    sa.Column("account_id", BigInt, primary_key=True, autoincrement=False),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("resource", sa.String(16), primary_key=True),
    *_amounts(),
)
"""The ledger's totals by day, derived for speed."""

budget_uses = table(
    "budget_uses",
    sa.Column("account_id", BigInt, primary_key=True, autoincrement=False),
    sa.Column("spender", sa.String(8), primary_key=True),
    sa.Column("spender_id", BigInt, primary_key=True, autoincrement=False),
    sa.Column("period", sa.String(7), primary_key=True),
    sa.Column("tokens", BigInt, nullable=False),
    sa.Column("credits", BigInt, nullable=False),
)
"""The ledger's tokens and credits by spender (`agent` or `key`) and month, derived for speed."""

usage_marks = table(
    "usage_marks",
    sa.Column("source", sa.String(32), primary_key=True),
    sa.Column("position", BigInt, nullable=False),
)
"""The number of bytes of each meter file that are in the ledger."""

usage_thresholds = table(
    "usage_thresholds",
    sa.Column("account_id", BigInt, primary_key=True, autoincrement=False),
    sa.Column("period", sa.String(7), primary_key=True),
    sa.Column("metric", sa.String(16), primary_key=True),
    sa.Column("threshold", sa.Integer, primary_key=True, autoincrement=False),
)
"""Thresholds whose event was emitted: once per metric, threshold and period."""

OWNED = (
    Owned(ledger.c.account_id, exported=False),
    Owned(usage_days.c.account_id),
    Owned(budget_uses.c.account_id, exported=False),
    Owned(usage_thresholds.c.account_id, exported=False),
)
