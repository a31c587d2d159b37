"""Writing the ledger: in the transaction of what is counted."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retinue.core.clock import now
from retinue.core.database import Tx
from retinue.core.statements import Statement
from retinue.usage.tables import AMOUNTS, ledger, usage_days

Resource = Literal["tools", "agents", "chat", "voice", "api"]

_APPEND = Statement(sa.insert(ledger), ["account_id", "day", "resource", *AMOUNTS, "created_at"])

_new = insert(usage_days).values({column.name: sa.bindparam(column.name, type_=column.type) for column in usage_days.c})
_ADD = Statement(
    _new.on_conflict_do_update(
        index_elements=["account_id", "day", "resource"],
        set_={name: usage_days.c[name] + _new.excluded[name] for name in AMOUNTS},
    )
)


@dataclass(frozen=True, slots=True)
class Use:
    """What is to be counted. `errors` are those among `count`."""

    resource: Resource
    count: int = 1
    errors: int = 0
    tokens: int = 0
    credits: int = 0
    milliseconds: int = 0


async def record(tx: Tx, account_id: int, use: Use, day: date | None = None) -> None:
    """Append to the ledger and add to the day."""
    moment = now()
    values: dict[str, Any] = {
        "account_id": account_id,
        "day": (day or moment.date()).isoformat(),
        "resource": use.resource,
        "count": use.count,
        "errors": use.errors,
        "tokens": use.tokens,
        "credits": use.credits,
        "milliseconds": use.milliseconds,
    }
    await tx.send(_APPEND, **values, created_at=moment)
    await tx.send(_ADD, **values)
