"""Writes the events of a room in the transaction of the change, and streams them to clients at any node."""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier, wait
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.stream_events import RoomEvent, read_happening
from retinue.voice.rooms.tables import OccupiedRoom, RoomRow

_log = structlog.get_logger()
_EVENT_ID = re.compile(r"[0-9]{1,9}")
_LOOK_S = 2.0
"""Polling interval in seconds, in case a notification is lost."""

Event = tuple[int, RoomEvent]
"""An event with its sequence number in the room, from 1."""


@dataclass(frozen=True)
class RoomFeed:
    """Writes and follows events. Their numbers have no gaps, because each is assigned with the room's row locked."""

    database: Database
    notifier: Notifier

    async def add(self, tx: Tx, room_id: int, happening: str, **values: object) -> None:
        """Add an event to the transaction that makes the change."""
        room = await tx.one(sql.COUNT_EVENT, room=room_id)
        await self._insert(tx, room_id, room, happening, values)

    async def add_line(self, tx: Tx, room_id: int, speaker: str, text: str) -> None:
        """Add an utterance to the transcript and to the events."""
        line = f"{speaker}: {' '.join(text.split())}\n"
        room = await tx.one(sql.ADD_LINE, room=room_id, line=line)
        await self._insert(tx, room_id, room, "said", {"speaker": speaker, "text": text})

    async def _insert(self, tx: Tx, room_id: int, room: RoomRow | None, kind: str, values: dict[str, object]) -> None:
        if room is None:  # deleted with its account
            return
        number = room.events_count
        await tx.run(sql.ADD_EVENT, room=room_id, number=number, type=kind, data=values, created_at=now())
        tx.after_commit(lambda: self.notifier.wake(feed_topic(room_id)))

    async def follow(self, room_id: int, last_id: str | None) -> AsyncGenerator[Event]:
        """Yield the events after `last_id` until the room is closed and everybody has left.

        Raises `Unavailable` if the process shuts down before that.
        """
        after = int(last_id) if last_id and _EVENT_ID.fullmatch(last_id) else 0
        with self.notifier.waiting(feed_topic(room_id)) as changed:
            while True:
                rows: list[Row] = []
                try:
                    # Read the room before its events: if the room is over, the events are then complete.
                    room = await self.database.lookup(sql.HELD, room=room_id)
                    rows = await self.database.fetch(sql.EVENTS, room=room_id, behind=after)
                except DatabaseUnavailable as error:
                    _log.warning("room.not_followed", room=room_id, reason=error.message)
                else:
                    for row in rows:
                        after = row.number
                        yield after, read_happening(row)
                    if room is None or (_is_over(room) and after >= room.events_count):
                        return
                self.notifier.check_serving()
                if not rows:
                    await wait(changed, _LOOK_S)


def _is_over(room: OccupiedRoom) -> bool:
    """True if the room is closed and empty, so that no more events can follow."""
    return room.ended_at is not None and room.participants == 0


def feed_topic(room_id: int) -> str:
    """Return the notification topic for events of a room."""
    return f"room-events:{room_id}"
