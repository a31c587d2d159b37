"""Writes the events of a room in the transaction of the change, and streams them to clients at any node."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier
from retinue.voice.event_feed import feed_topic, follow_events
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.stream_events import RoomEvent, read_event
from retinue.voice.rooms.tables import OccupiedRoom, RoomRow

NumberedEvent = tuple[int, RoomEvent]
"""An event with its sequence number in the room, from 1."""


@dataclass(frozen=True)
class RoomFeed:
    """Writes and follows events. Their numbers have no gaps, because each is assigned with the room's row locked."""

    database: Database
    notifier: Notifier

    async def add(self, tx: Tx, room_id: int, event_type: str, **values: object) -> None:
        """Add an event to the transaction that makes the change."""
        room = await tx.one(sql.COUNT_EVENT, room=room_id)
        await self._insert(tx, room_id, room, event_type, values)

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
        tx.after_commit(lambda: self.notifier.wake(feed_topic("room", room_id)))

    def follow(self, room_id: int, last_id: str | None) -> AsyncGenerator[NumberedEvent]:
        """Yield the events after `last_id` until the room is closed and everybody has left.

        Raises `Unavailable` if the process shuts down before that.
        """

        async def read(after: int) -> tuple[list[NumberedEvent], bool]:
            # Read the room before its events: if the room is over, the events are then complete.
            room = await self.database.lookup(sql.HELD, room=room_id)
            rows = await self.database.fetch(sql.EVENTS, room=room_id, behind=after)
            last = rows[-1].number if rows else after
            complete = room is None or (_is_over(room) and last >= room.events_count)
            return [(row.number, read_event(row)) for row in rows], complete

        return follow_events(self.notifier, "room", room_id, last_id, read)


def _is_over(room: OccupiedRoom) -> bool:
    """True if the room is closed and empty, so that no more events can follow."""
    return room.ended_at is not None and room.participants == 0
