"""Writes the events of a call in the transaction of the change, and streams them to clients at any node."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier
from retinue.voice.calls import statements as sql
from retinue.voice.calls.stream_events import CallEvent, read_event
from retinue.voice.calls.tables import CallRow
from retinue.voice.event_feed import feed_topic, follow_events

NumberedEvent = tuple[int, CallEvent]
"""An event with its sequence number in the call, from 1."""


@dataclass(frozen=True)
class CallFeed:
    """Writes and follows events. Their numbers have no gaps, because each is assigned with the call's row locked."""

    database: Database
    notifier: Notifier

    async def add(self, tx: Tx, call_id: int, kind: str, **values: object) -> None:
        """Add an event to the transaction that makes the change."""
        counted = await tx.one(sql.COUNT_EVENT, call=call_id)
        if counted is None:  # deleted with its account
            return
        await tx.run(sql.ADD_EVENT, call=call_id, place=counted.events_count, kind=kind, values=values, moment=now())
        tx.after_commit(lambda: self.notifier.wake(feed_topic("call", call_id)))

    def follow(self, call_id: int, last_id: str | None) -> AsyncGenerator[NumberedEvent]:
        """Yield the events after `last_id` until the call has ended and nothing remains to be analyzed.

        Raises `Unavailable` if the process shuts down before that.
        """

        async def read(after: int) -> tuple[list[NumberedEvent], bool]:
            # Read the call before its events: if the call is over, the events are then complete.
            call = await self.database.lookup(sql.PROGRESS, call=call_id)
            rows = await self.database.fetch(sql.EVENTS, call=call_id, behind=after)
            last = rows[-1].number if rows else after
            complete = call is None or (_is_over(call) and last >= call.events_count)
            return [(row.number, read_event(row)) for row in rows], complete

        return follow_events(self.notifier, "call", call_id, last_id, read)


def _is_over(call: CallRow) -> bool:
    """True if no more events can follow."""
    return call.ended_at is not None and call.analysis_status not in ("due", "running")
