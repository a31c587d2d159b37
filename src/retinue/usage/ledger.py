"""Writes usage to the ledger, in the transaction of the operation that it counts, and merges its old rows."""

from collections import Counter, defaultdict
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.usage.money import split_cost
from retinue.usage.periods import period_of
from retinue.usage.tables import AMOUNTS, COST, budget_uses, ledger, usage_days

Resource = Literal["tools", "agents", "chat", "voice", "api"]

_APPEND = Statement(
    sa.insert(ledger),
    ["account_id", "day", "resource", *AMOUNTS, "created_at", "agent_id", "key_id", "model", "person"],
)

_KEPT_APART = ("resource", "agent_id", "key_id", "model", "person")
"""Columns whose values stay apart when rows are merged."""

_MERGED = 500
"""Rows that one transaction merges."""

_OLDEST = Statement(
    sa.select(ledger.c.id, ledger.c.account_id, ledger.c.day, ledger.c.created_at)
    .where(ledger.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(ledger.c.id)
    .limit(1)
)
_OF_DAY = Statement(
    sa.select(ledger.c.id)
    .where(
        ledger.c.account_id == sa.bindparam("account", type_=BigInt),
        ledger.c.day == sa.bindparam("that_day", type_=sa.String),
        ledger.c.created_at < sa.bindparam("before", type_=Instant),
    )
    .order_by(ledger.c.id)
    .limit(sa.bindparam("at_most", type_=sa.Integer))
)
_TAKE = Statement(sa.delete(ledger).where(among(ledger.c.id, "ids")).returning(*ledger.c))

_new = insert(usage_days).values({column.name: sa.bindparam(column.name, type_=column.type) for column in usage_days.c})
_ADD = Statement(
    _new.on_conflict_do_update(
        index_elements=["account_id", "day", "resource"],
        set_={name: usage_days.c[name] + _new.excluded[name] for name in AMOUNTS},
    )
)

_spent = insert(budget_uses).values(
    {column.name: sa.bindparam(column.name, type_=column.type) for column in budget_uses.c}
)
_SPEND = Statement(
    _spent.on_conflict_do_update(
        index_elements=["account_id", "spender", "spender_id", "period"],
        set_={name: budget_uses.c[name] + _spent.excluded[name] for name in ("tokens", "credits", *COST)},
    )
)


@dataclass(frozen=True, slots=True)
class BudgetOwners:
    """The budgets that usage counts against: an agent's, an API key's, both or none."""

    agent_id: int | None = None
    key_id: int | None = None

    def each(self) -> list[tuple[str, int]]:
        """Return each spender's kind and id in a fixed order, so that all transactions lock rows in that order."""
        both = (("agent", self.agent_id), ("key", self.key_id))
        return [(kind, spender_id) for kind, spender_id in both if spender_id is not None]


NOBODY = BudgetOwners()


@dataclass(frozen=True, slots=True)
class UsageOrigin:
    """The requested model and the user of the app of usage, for reports; None where there is none."""

    model: str | None = None
    user: str | None = None


_NO_ORIGIN = UsageOrigin()


@dataclass(frozen=True, slots=True)
class UsageEntry:
    """The amounts to record. `errors` is the number of failures among `count`.

    `tokens` are all input and output tokens of models. `cost` is their known cost in USD, and `unpriced_tokens` are the
    tokens if it is not the whole cost.
    """

    resource: Resource
    count: int = 1
    errors: int = 0
    tokens: int = 0
    credits: int = 0
    milliseconds: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    unpriced_tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: "UsageEntry") -> "UsageEntry":
        names = [one.name for one in fields(self) if one.name != "resource"]
        return UsageEntry(self.resource, **{name: getattr(self, name) + getattr(other, name) for name in names})

    def amounts(self) -> dict[str, int]:
        """Return the values of the columns `AMOUNTS`."""
        cost = dict(zip(COST, split_cost(self.cost), strict=True))
        return {name: cost[name] if name in COST else getattr(self, name) for name in AMOUNTS}


async def record(
    tx: Tx,
    account_id: int,
    use: UsageEntry,
    day: date | None = None,
    spenders: BudgetOwners = NOBODY,
    origin: UsageOrigin = _NO_ORIGIN,
) -> None:
    """Append to the ledger, and update the account's day and each spender's month."""
    moment = now()
    day = day or moment.date()
    amounts = use.amounts()
    values: dict[str, object] = {
        "account_id": account_id,
        "day": day.isoformat(),
        "resource": use.resource,
        **amounts,
    }
    about = {"agent_id": spenders.agent_id, "key_id": spenders.key_id, "model": origin.model, "person": origin.user}
    await tx.run(_APPEND, **values, created_at=moment, **about)
    await tx.run(_ADD, **values)
    if use.tokens or use.credits:
        spent: dict[str, object] = {"account_id": account_id, "period": period_of(day)}
        spent |= {name: amounts[name] for name in ("tokens", "credits", *COST)}
        for kind, spender_id in spenders.each():
            await tx.run(_SPEND, **spent, spender=kind, spender_id=spender_id)


async def merge_old(tx: Tx, before: datetime, after: object) -> object:
    """Merge a batch of old rows of one account and day to a row per resource and owner. See `RetentionRule`.

    All sums stay the same. The new rows are not old, so if a day takes several batches, a later pass merges the rest.
    """
    oldest = await tx.one(_OLDEST, after=after or 0)
    if oldest is None or oldest.created_at >= before:
        return None
    rows = await tx.all(_OF_DAY, account=oldest.account_id, that_day=oldest.day, before=before, at_most=_MERGED)
    sums: defaultdict[tuple[object, ...], Counter[str]] = defaultdict(Counter)
    # Only deleted rows count: the deletion of the account may have removed some of them meanwhile.
    for row in await tx.all(_TAKE, ids=[row.id for row in rows]):
        values = row._asdict()
        sums[tuple(values[name] for name in _KEPT_APART)].update({name: values[name] for name in AMOUNTS})
    for kept, amounts in sums.items():
        key = {"account_id": oldest.account_id, "day": oldest.day, **dict(zip(_KEPT_APART, kept, strict=True))}
        await tx.run(_APPEND, **key, **amounts, created_at=now())
    return oldest.id
