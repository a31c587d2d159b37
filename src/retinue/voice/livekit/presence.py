"""Records the participants of LiveKit rooms, from webhooks and by polling, because webhooks can be lost."""

import asyncio
import re

import structlog
from livekit.protocol.models import ParticipantInfo

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.errors import Unavailable
from retinue.core.runtime.clock import now
from retinue.voice.livekit.server import LiveKitServer
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.local_rooms import LocalRooms
from retinue.voice.rooms.tables import LIVEKIT, RoomRow

_log = structlog.get_logger()
_SWEEP_S = 5.0
_ROOM = re.compile(r"retinue-room-([1-9][0-9]{0,17})")
_KINDS = {ParticipantInfo.Kind.STANDARD: "browser", ParticipantInfo.Kind.SIP: "phone"}
"""Kinds of human participants. LiveKit's recorders and agents do not count."""


def room_name(room_id: int) -> str:
    """Return the name of a room at LiveKit."""
    return f"retinue-room-{room_id}"


def room_of(name: str) -> int | None:
    """Return the id of the room with this name at LiveKit; None for rooms of other applications."""
    found = _ROOM.fullmatch(name)
    return int(found[1]) if found else None


class LiveKitPresence:
    """Keeps participant records up to date. The key is LiveKit's `sid`, which is unique per session."""

    def __init__(self, database: Database, local_rooms: LocalRooms, server: LiveKitServer) -> None:
        self._database, self._local_rooms, self._server = database, local_rooms, server

    async def enter(self, room_id: int, person: ParticipantInfo) -> None:
        """Record a participant, unless they are known, not human, or the room is closed.

        A browser that was removed is disconnected again: LiveKit accepts its token until that expires.
        """
        kind = _KINDS.get(person.kind)
        if kind is None:
            return None
        removed = {"room": room_id, "token": person.identity}
        if kind == "browser" and await self._database.lookup(sql.REMOVED, **removed):
            return await self._server.send_out(room_name(room_id), person.identity)
        name = (person.name or person.identity).replace("\x00", "")[:100]

        async def write(tx: Tx) -> None:
            room = await tx.one(sql.LOCK, room=room_id)
            if room is None or room.media != LIVEKIT or await tx.one(sql.BY_SID, room=room_id, stay=person.sid):
                return
            where = {"node": LIVEKIT, "identity": person.identity, "sid": person.sid}
            fields = {"name": name, "kind": kind, "joined_at": now(), **where}
            (row,) = await tx.all(sql.ENTER, room_id=room_id, account_id=room.account_id, **fields)
            await self._local_rooms.feed.add(tx, room_id, "joined", participant_id=row.id, name=name, kind=kind)

        return await self._database.transact(write)

    async def leave(self, room_id: int, sid: str) -> None:
        """Record that a participant left."""
        if row := await self._database.lookup(sql.BY_SID, room=room_id, stay=sid):
            await self._local_rooms.leave(row.id)

    async def leave_all(self, room_id: int) -> None:
        """Record that all participants left."""
        for row in await self._database.fetch(sql.AT_LIVEKIT, room=room_id):
            await self._local_rooms.leave(row.id)

    async def run(self) -> None:
        """Compare the records with LiveKit every few seconds, until cancelled."""
        while True:
            try:
                await self._compare_all()
            except (DatabaseUnavailable, Unavailable) as error:
                _log.warning("livekit.not_compared", reason=error.message)
            await asyncio.sleep(_SWEEP_S)

    async def _compare_all(self) -> None:
        known = {row.id for row in await self._database.fetch(sql.BUSY_AT_LIVEKIT)}
        for room_id in sorted(known | {found for name in await self._server.busy_rooms() if (found := room_of(name))}):
            room = await self._database.lookup(sql.HELD, room=room_id)
            if room is not None and room.media == LIVEKIT:
                await self.compare(room)

    async def compare(self, room: RoomRow) -> None:
        """Synchronise one room's records with LiveKit; close it there if its record is. Raises `Unavailable`."""
        if room.ended_at is not None:
            await self._server.close_room(room_name(room.id))
            return await self.leave_all(room.id)
        # Read the records first: a person who joins in between has no record that could be ended by mistake.
        rows = await self._database.fetch(sql.AT_LIVEKIT, room=room.id)
        people = {person.sid: person for person in await self._server.people(room_name(room.id))}
        for row in rows:
            if row.sid not in people:
                await self._local_rooms.leave(row.id)
        for person in people.values():
            await self.enter(room.id, person)
        return None
