"""Writes the events of a call in the transaction of the change, and streams them to clients at any node."""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier, wait
from retinue.voice.calls import statements as sql
from retinue.voice.calls.stream_events import CallEvent, read_happening
from retinue.voice.calls.tables import CallRow

_log = structlog.get_logger()
_EVENT_ID = re.compile(r"[0-9]{1,9}")
_LOOK_S = 2.0
"""Polling interval in seconds, in case a notification is lost."""

NumberedEvent = tuple[int, CallEvent]
"""An event with its sequence number in the call, from 1."""


def feed_topic(call_id: int) -> str:
    """Return the notification topic for events of a call."""
    return f"call-events:{call_id}"


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
        tx.after_commit(lambda: self.notifier.wake(feed_topic(call_id)))

    async def follow(self, call_id: int, last_id: str | None) -> AsyncGenerator[NumberedEvent]:
        """Yield the events after `last_id` until the call has ended and nothing remains to be analyzed.

        Raises `Unavailable` if the process shuts down before that.
        """
        after = int(last_id) if last_id and _EVENT_ID.fullmatch(last_id) else 0
        with self.notifier.waiting(feed_topic(call_id)) as changed:
            while True:
                rows: list[Row] = []
                try:
                    # Read the call before its events: if the call is over, the events are then complete.
                    call = await self.database.lookup(sql.PROGRESS, call=call_id)
                    rows = await self.database.fetch(sql.EVENTS, call=call_id, behind=after)
                except DatabaseUnavailable as error:
                    _log.warning("call.not_followed", call=call_id, reason=error.message)
                else:
                    for row in rows:
                        after = row.number
                        yield after, read_happening(row)
                    if call is None or (_is_over(call) and after >= call.events_count):
                        return
                self.notifier.check_serving()
                if not rows:
                    await wait(changed, _LOOK_S)


def _is_over(call: CallRow) -> bool:
    """True if no more events can follow."""
    return call.ended_at is not None and call.analysis_status not in ("due", "running")
