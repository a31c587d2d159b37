"""Events: facts that customers are told of, written in the transaction of their cause."""

from collections.abc import Callable
from functools import cache
from typing import ClassVar

import sqlalchemy as sa
from pydantic import BaseModel

from retinue.core.clock import now
from retinue.core.database import Tx
from retinue.core.ids import new_id
from retinue.core.owned import Owned
from retinue.core.schema import BigInt, Instant, Json, table
from retinue.core.statements import Statement

events = table(
    "events",
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("handed_out_at", Instant),
    sa.Index(None, "account_id", "id"),
)
"""`handed_out_at`: when the event was handed to the webhook endpoints that listen to it; null until then.

Where nobody listens that is at once: most accounts have no endpoints, and an event that has to wait costs them as much
again as writing it.
"""

OWNED = (Owned(events.c.account_id),)

PENDING = events.c.handed_out_at.is_(None)
sa.Index("ix_events_open_created_at", events.c.created_at, sqlite_where=PENDING, postgresql_where=PENDING)

ACCOUNT = sa.bindparam("owner", type_=BigInt)
"""The account whose event is written."""

_listeners: list[sa.Exists] = []
_watchers: set[Callable[[], None]] = set()


class Event(BaseModel):
    """A fact on the wire: the fields of a subclass are its payload, `event_name` is its name."""

    event_name: ClassVar[str]


def event_names() -> set[str]:
    """The names of all events that there are."""
    return {kind.event_name for kind in Event.__subclasses__()}


def heard_by(listeners: sa.Exists) -> None:
    """Have events wait to be handed out where there are `listeners` of `ACCOUNT`. Declared beside their table."""
    _listeners.append(listeners)
    _insert.cache_clear()


def watch(hook: Callable[[], None]) -> Callable[[], None]:
    """Call `hook` after the commit of every event of this process that waits. Returns what ends that."""
    _watchers.add(hook)
    return lambda: _watchers.discard(hook)


async def emit(tx: Tx, account_id: int, event: Event, *, pending: bool = True) -> str:
    """Write the event with the change that it tells of: neither is seen without the other. Returns its id.

    One that is not `pending` is delivered by whoever emits it.
    """
    event_id = new_id("evt")

    (row,) = await tx.all(
        _insert(),
        id=event_id,
        owner=account_id,
        name=event.event_name,
        data=event.model_dump(mode="json"),
        moment=now(),
        pending=pending,
    )
    if row.waits:
        for hook in _watchers:
            tx.after_commit(hook)
    return event_id


@cache
def _insert() -> Statement:
    heard = sa.and_(sa.bindparam("pending", type_=sa.Boolean), sa.or_(sa.false(), *_listeners))
    moment = sa.bindparam("moment", type_=events.c.created_at.type)
    written = {"account_id": ACCOUNT, "created_at": moment, "handed_out_at": sa.case((heard, sa.null()), else_=moment)}
    return Statement(sa.insert(events).values(written).returning(PENDING.label("waits")), ["id", "name", "data"])
