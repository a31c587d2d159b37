"""Events: facts that customers are told of, written in the transaction of their cause."""

from typing import ClassVar

import sqlalchemy as sa
from pydantic import BaseModel

from retinue.core.clock import now
from retinue.core.database import Tx
from retinue.core.ids import prefixed
from retinue.core.schema import BigInt, Instant, Json, table
from retinue.core.statements import Statement

events = table(
    "events",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)

_INSERT = Statement(sa.insert(events), [c.name for c in events.c])


class Event(BaseModel):
    """A fact on the wire: the fields of a subclass are its payload, `event_name` is its name."""

    event_name: ClassVar[str]


async def emit(tx: Tx, account_id: int, event: Event) -> None:
    """Write the event with the change that it tells of: neither is seen without the other."""
    await tx.run(
        _INSERT,
        id=prefixed("evt"),
        account_id=account_id,
        name=event.event_name,
        data=event.model_dump(mode="json"),
        created_at=now(),
    )
