"""The tables of the ledger, of the totals derived from it, and of the positions of meter files."""

from collections.abc import Sequence

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table

TOKENS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
COST = ("cost_micros", "cost_rest")
_COUNTED = ("count", "errors", "tokens", "credits", "milliseconds")
_SPENT = (*TOKENS, "unpriced_tokens", *COST)
AMOUNTS = (*_COUNTED, *_SPENT)
"""What a record of usage adds up. `TOKENS` are the parts of `tokens`: input and output include the other two. Records
of earlier versions have no parts. `COST` is the known cost of model calls in USD (see `money`), and `unpriced_tokens`
are the tokens of records whose cost is not known in full.
"""


def _sums(names: Sequence[str]) -> list[sa.Column[int]]:
    return [sa.Column(name, BigInt, nullable=False, server_default="0") for name in names]


def _amounts() -> list[sa.Column[int]]:
    return [*(sa.Column(name, BigInt, nullable=False) for name in _COUNTED), *_sums(_SPENT)]


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
    sa.Column("model", sa.String(100)),
    sa.Column("person", sa.String(200)),
    sa.Index(None, "account_id", "day"),
)
"""The source of truth for usage. Rows are only added, and merged when they are old.

`resource` is tools, agents, chat, voice, or api for API calls.
`agent_id` and `key_id` identify the budgets that the usage counts against. `model` is the requested one, and `person`
the user of the app; both are null where there is none, and in entries of earlier versions.
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
    *_sums(COST),
)
"""The ledger's tokens, credits and costs by spender (`agent` or `key`) and month, derived for speed."""

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
