"""Lists, mutes and removes the participants of a caller's rooms, and streams a room's events."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.work.notifier import wait
from retinue.voice.event_feed import feed_topic
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.feed import NumberedEvent, RoomFeed
from retinue.voice.rooms.local_rooms import room_topic
from retinue.voice.rooms.service import Rooms

_LEAVING_S = 3.0
"""Seconds that `remove` waits for the process that hosts the room."""


@dataclass(frozen=True)
class Participants:
    """The participants of one caller's rooms. The process that hosts a room executes mutes and removals."""

    rooms: Rooms

    async def page(self, room_id: int, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page of current and past participants, the latest first, and the total count."""
        await self.rooms.get(room_id)
        database = self.rooms.database
        rows = await read_page(database, sql.PARTICIPANTS, page, room=room_id)
        (counted,) = await database.fetch(sql.COUNT_PARTICIPANTS, room=room_id)
        return rows, counted.participants

    async def mute(self, room_id: int, participant_id: int, *, muted: bool) -> Row:
        """Mute or unmute a participant. Raises `NotFound`, and `ValidationFailed` if they have left."""
        room, person = await self.rooms.row(room_id), await self._present(room_id, participant_id)
        await self.rooms.hosts.of(room).mute(room, person, muted=muted)
        key = {"room": room_id, "participant": participant_id}

        async def write(tx: Tx) -> None:
            row = await tx.one(sql.SET_MUTED, **key, mute=muted)
            if row is not None:
                about = {"participant_id": row.id, "name": row.name}
                await self._feed.add(tx, room_id, "muted" if muted else "unmuted", **about)
                tx.after_commit(lambda: self._feed.notifier.wake(room_topic(room_id)))

        await self.rooms.database.transact(write)
        return await self._row(room_id, participant_id)

    async def remove(self, room_id: int, participant_id: int) -> Row:
        """Remove a participant at any node. No effect if they have left. Raises `NotFound`."""
        room, person = await self.rooms.row(room_id), await self._row(room_id, participant_id)
        if person.left_at is not None:
            return person
        await self.rooms.hosts.of(room).remove(room, person)

        async def write(tx: Tx) -> None:
            if await tx.one(sql.REMOVE, room=room_id, participant=participant_id):
                tx.after_commit(lambda: self._feed.notifier.wake(room_topic(room_id)))

        with self._feed.notifier.waiting(feed_topic("room", room_id)) as changed:
            await self.rooms.database.transact(write)
            ends = asyncio.get_running_loop().time() + _LEAVING_S
            while (row := await self._row(room_id, participant_id)).left_at is None:
                left = ends - asyncio.get_running_loop().time()
                if left <= 0:
                    break
                await wait(changed, left)
        return row

    async def follow(self, room_id: int, last_id: str | None) -> AsyncGenerator[NumberedEvent]:
        """Stream the events of a room after `last_id`. Raises `NotFound`."""
        await self.rooms.get(room_id)
        return self._feed.follow(room_id, last_id)

    @property
    def _feed(self) -> RoomFeed:
        return self.rooms.local_rooms.feed

    async def _present(self, room_id: int, participant_id: int) -> Row:
        row = await self._row(room_id, participant_id)
        if row.left_at is not None:
            raise ValidationFailed(f"{row.name} has left the room.")
        return row

    async def _row(self, room_id: int, participant_id: int) -> Row:
        await self.rooms.get(room_id)
        row = await self.rooms.database.lookup(sql.PARTICIPANT, room=room_id, participant=participant_id)
        if row is None:
            raise NotFound(f"There is no participant {participant_id} in room {room_id}.")
        return row
