"""Opens, lists, joins and closes the rooms of one API caller."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from retinue.agents.schemas import DEFAULT_ENGINE
from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.events import VoiceRoomCreated
from retinue.voice.rooms.hosts import RoomHosts
from retinue.voice.rooms.list_statements import CLOSED, COUNT_CLOSED, PEOPLE
from retinue.voice.rooms.local_rooms import LocalRooms, room_topic
from retinue.voice.rooms.schemas import JoinView, RoomCreate, RoomJoin, RoomView
from retinue.voice.rooms.tables import LOCAL, OccupiedRoom, RoomRow

_PIN_DIGITS = 10**8


@dataclass(frozen=True)
class Rooms:
    """The rooms of one caller. `address` is the public base URL of the server."""

    caller: Caller
    database: Database
    agents: Agents
    local_rooms: LocalRooms
    hosts: RoomHosts
    address: str

    async def create(self, new: RoomCreate) -> RoomView:
        """Open a room. Raises `ValidationFailed` if the agent does not belong to the caller."""
        engine = new.voice_engine or await self._engine_of(new.agent_id)
        fields = {
            "scopes": sorted(self.caller.scopes),
            "name": new.name,
            "status": "active",
            "max_participants": new.max_participants,
            "voice_engine": engine,
            "agent_id": new.agent_id,
            "pin": f"{secrets.randbelow(_PIN_DIGITS):08}",
            "transcript": "",
            "media": self.hosts.media_for(new.agent_id),
        }

        async def insert(tx: Tx) -> Row:
            (row,) = await tx.all(sql.INSERT, **fields, account_id=self.caller.account_id, created_at=now())
            created = VoiceRoomCreated(
                room_id=row.id,
                name=row.name,
                max_participants=row.max_participants,
                voice_engine=row.voice_engine,
                agent_id=row.agent_id,
            )
            await emit(tx, row.account_id, created)
            await note_effect(tx, self.caller.claim, {"room": row.id})
            return row

        return self._view(await self.database.transact(insert))

    async def page(self, page: Page) -> tuple[Sequence[RoomView], int]:
        """Return one page of the active rooms, newest first, and the total count."""
        account = self.caller.account_id
        rows = await read_page(self.database, sql.LIST, page, account=account)
        counted = await self.database.fetch(sql.COUNT, account=account)
        return [self._view(row) for row in rows], counted[0].rooms

    async def closed_page(self, page: Page) -> tuple[Sequence[RoomView], int]:
        """Return one page of the closed rooms, newest first, and the total count."""
        account = self.caller.account_id
        rows = await read_page(self.database, CLOSED, page, account=account)
        (counted,) = await self.database.query(COUNT_CLOSED, account=account)
        return [self._view(row, participants=0) for row in rows], counted.rooms

    async def people(self, room_id: int) -> list[Row]:
        """Return the participants in a room, in order of joining. Raises `NotFound`."""
        await self.row(room_id)
        return await self.database.fetch(PEOPLE, room=room_id)

    async def get(self, room_id: int) -> RoomView:
        """Return one room. Raises `NotFound`."""
        return self._view(await self.row(room_id))

    async def close(self, room_id: int) -> RoomView:
        """Close a room at any node. Closing a closed room has no effect. Raises `NotFound`."""
        room = await self.row(room_id)

        async def close(tx: Tx) -> None:
            if await tx.one(sql.CLOSE, **self._key(room_id), moment=now()):
                await self.local_rooms.feed.add(tx, room_id, "closed")
                tx.after_commit(lambda: self.local_rooms.notifier.wake(room_topic(room_id)))

        await self.database.transact(close)
        if room.media == LOCAL or self.hosts.livekit:
            await self.hosts.of(room).close(room)
        return await self.get(room_id)

    async def join(self, room_id: int, who: RoomJoin) -> JoinView:
        """Return a token and addresses for joining. Raises `ValidationFailed` if the room is closed or full."""
        room = await self.row(room_id)
        if room.ended_at is not None:
            raise ValidationFailed("The room is closed. Create a new one.")
        if room.participants >= room.max_participants:
            raise ValidationFailed(f"The room is full ({room.participants} of {room.max_participants}).")
        return await self.hosts.of(room).invite(room, who.name or "guest", self.address)

    async def _engine_of(self, agent_id: int | None) -> str:
        if agent_id is None:
            return DEFAULT_ENGINE
        try:
            return str((await self.agents.record(agent_id)).voice_engine)
        except NotFound as error:
            raise ValidationFailed(f"agent_id: {error.message}") from error

    async def row(self, room_id: int) -> OccupiedRoom:
        """Return the row of one room. Raises `NotFound`."""
        row = await self.database.lookup(sql.GET, **self._key(room_id))
        if row is None:
            raise NotFound(f"There is no room {room_id} in your account.")
        return row

    def sip_address(self, row: RoomRow) -> str | None:
        """Return the address for joining by phone; None if SIP is disabled or the room is on LiveKit."""
        return self.local_rooms.sip_address(row) if row.media == LOCAL else None

    def _view(self, row: RoomRow, **derived: object) -> RoomView:
        host = self.hosts.of(row) if row.media == LOCAL else self.hosts.livekit
        join_url = (host or self.hosts.local).page(row, self.address)
        return RoomView.of_row(row, join_url=join_url, transcript=row.transcript.removesuffix("\n"), **derived)

    def _key(self, room_id: int) -> dict[str, int]:
        return {"room": room_id, "account": self.caller.account_id}
