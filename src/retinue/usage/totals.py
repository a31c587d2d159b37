"""Computes an account's usage of each metric."""

from collections.abc import Mapping
from typing import Literal, TypedDict, get_args

import sqlalchemy as sa

from retinue.core.database import counters
from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.usage.money import cost_text, join_cost
from retinue.usage.periods import first_day
from retinue.usage.tables import COST, TOKENS, usage_days

_MIB = 1 << 20
Metric = Literal["api_calls", "tools_executed", "agents_active", "fleets_active", "voice_minutes", "storage_mb"]
METRICS: tuple[Metric, ...] = get_args(Metric)
REFILLING = {"api_calls": "api", "tools_executed": "tools", "voice_minutes": "voice"}
"""Metrics that restart with each period, and the ledger resource that they sum."""

_DAYS = (
    usage_days.c.account_id == sa.bindparam("account", type_=BigInt),
    usage_days.c.day >= sa.bindparam("since", type_=sa.String),
)
_PERIOD = Statement(sa.select(usage_days.c.resource, usage_days.c.count, usage_days.c.milliseconds).where(*_DAYS))
_ONE = Statement(
    sa.select(usage_days.c.count).where(*_DAYS, usage_days.c.resource == sa.bindparam("kind", type_=sa.String))
)


_SPENT = Statement(
    sa.select(
        *(
            sa.cast(sa.func.coalesce(sa.func.sum(usage_days.c[name]), 0), BigInt).label(name)
            for name in ("tokens", *TOKENS, "unpriced_tokens", *COST)
        )
    ).where(*_DAYS)
)


class Spending(TypedDict):
    """The token counts and the cost of recorded usage, each None if not known in full, and the unpriced tokens."""

    usage: Mapping[str, int] | None
    cost_usd: str | None
    unpriced_tokens: int


async def spending(database: Database, account_id: int) -> Spending:
    """Return the token counts and the cost of the current period's model calls; see `spending_of`."""
    (row,) = await database.fetch(_SPENT, account=account_id, since=_since())
    return spending_of(row)


def spending_of(row: Row) -> Spending:
    """Return the token counts, the cost and the unpriced tokens of recorded usage."""
    counted = {name: getattr(row, name) for name in TOKENS}
    is_whole = row.tokens == row.input_tokens + row.output_tokens
    cost = None if row.unpriced_tokens else join_cost(row.cost_micros, row.cost_rest)
    return {
        "usage": counted if is_whole else None,
        "cost_usd": cost_text(cost),
        "unpriced_tokens": row.unpriced_tokens,
    }


async def use(database: Database, account_id: int) -> Mapping[str, int]:
    """Return every metric: the current period's sum for refilling metrics, and the current value for the others."""
    counts: dict[str, int] = {}
    milliseconds: dict[str, int] = {}
    for row in await database.fetch(_PERIOD, account=account_id, since=_since()):
        counts[row.resource] = counts.get(row.resource, 0) + row.count
        milliseconds[row.resource] = milliseconds.get(row.resource, 0) + row.milliseconds
    return {
        "api_calls": counts.get("api", 0),
        "tools_executed": counts.get("tools", 0),
        "agents_active": await counters.read(database, account_id, "agents"),
        "fleets_active": await counters.read(database, account_id, "fleets"),
        "voice_minutes": -(-milliseconds.get("voice", 0) // 60_000),
        "storage_mb": -(-await counters.read(database, account_id, "stored_bytes") // _MIB),
    }


async def used_of(database: Database, account_id: int, metric: str) -> int:
    """Return the use of one metric in the current period, for metrics that count calls."""
    rows = await database.fetch(_ONE, account=account_id, since=_since(), kind=REFILLING[metric])
    return sum(row.count for row in rows)


async def voice_seconds(database: Database, account_id: int) -> int:
    """Return the seconds of voice calls in the current period."""
    rows = await database.fetch(_PERIOD, account=account_id, since=_since())
    return int(sum(row.milliseconds for row in rows if row.resource == "voice")) // 1000


def _since() -> str:
    return first_day(now().date()).isoformat()
