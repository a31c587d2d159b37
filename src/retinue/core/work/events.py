"""Events that customers receive, written in the same transaction as the change they report."""

from collections.abc import Callable
from functools import cache
from typing import ClassVar

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from retinue.core.database.interface import Tx
from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, table
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.ids import new_id

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
"""`handed_out_at`: when the event was assigned to the webhook endpoints that subscribe to it; null until then.

An event without subscribers gets this time when it is written. Most accounts have no endpoints, and queueing an event
costs as much again as writing it.
"""

OWNED = (Owned(events.c.account_id),)

PENDING = events.c.handed_out_at.is_(None)
sa.Index("ix_events_open_created_at", events.c.created_at, sqlite_where=PENDING, postgresql_where=PENDING)

ACCOUNT = sa.bindparam("owner", type_=BigInt)
"""The account that owns the event being written."""

_listeners: list[sa.Exists] = []
_watchers: set[Callable[[], None]] = set()


class Event(BaseModel):
    """An event as customers receive it: the fields of a subclass are its payload, `event_name` is its name."""

    model_config = ConfigDict(defer_build=True)

    event_name: ClassVar[str]


def event_names() -> set[str]:
    """Return the names of all event types."""
    return {kind.event_name for kind in Event.__subclasses__()}


def queue_for_listeners(listeners: sa.Exists) -> None:
    """Queue events for delivery if `listeners` of `ACCOUNT` exist. Called by the module that declares their table."""
    _listeners.append(listeners)
    _insert.cache_clear()


def watch(hook: Callable[[], None]) -> Callable[[], None]:
    """Call `hook` after each commit here that queues an event. Returns a function that removes the hook."""
    _watchers.add(hook)
    return lambda: _watchers.discard(hook)


async def emit(tx: Tx, account_id: int, event: Event, *, pending: bool = True) -> str:
    """Write the event in the transaction of the change that it reports, and return its id.

    With `pending=False`, the caller delivers the event itself.
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
    has_listener = sa.and_(sa.bindparam("pending", type_=sa.Boolean), sa.or_(sa.false(), *_listeners))
    moment = sa.bindparam("moment", type_=events.c.created_at.type)
    values = {
        "account_id": ACCOUNT,
        "created_at": moment,
        "handed_out_at": sa.case((has_listener, sa.null()), else_=moment),
    }
    return Statement(sa.insert(events).values(values).returning(PENDING.label("waits")), ["id", "name", "data"])
