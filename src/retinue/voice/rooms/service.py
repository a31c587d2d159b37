"""The rooms of one caller of the API."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.core.clock import now
from retinue.core.database import Database, Tx
from retinue.core.envelope import Page, read_page
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.events import emit
from retinue.core.idempotency import note_effect
from retinue.core.secrets import Vault
from retinue.core.statements import Row
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.events import VoiceRoomCreated
from retinue.voice.rooms.hall import RoomHall, room_topic
from retinue.voice.rooms.schemas import RoomCreate, RoomJoin
from retinue.voice.rooms.tokens import issue_token

_DEFAULT_ENGINE = "hibari"
_PIN_DIGITS = 10**8


@dataclass(frozen=True)
class Rooms:
    """Opens, finds, joins and closes rooms. `address` is that at which clients reach the server."""

    caller: Caller
    database: Database
    agents: Agents
    hall: RoomHall
    vault: Vault
    address: str

    async def create(self, new: RoomCreate) -> dict[str, Any]:
        """Open a room. Raises `ValidationFailed` for an agent that is not the caller's."""
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

        return self._record(await self.database.transact(insert))

    async def page(self, page: Page) -> tuple[Sequence[dict[str, Any]], int]:
        """One page of the active rooms, newest first, and how many there are in all."""
        account = self.caller.account_id
        rows = await read_page(self.database, sql.LIST, page, account=account)
        counted = await self.database.fetch(sql.COUNT, account=account)
        return [self._record(row) for row in rows], counted[0].rooms

    async def get(self, room_id: int) -> dict[str, Any]:
        """One room, or `NotFound`."""
        return self._record(await self._row(room_id))

    async def close(self, room_id: int) -> dict[str, Any]:
        """Close a room, at whatever node it is; one that is closed stays as it is."""
        await self._row(room_id)

        async def close(tx: Tx) -> None:
            if await tx.one(sql.CLOSE, **self._key(room_id), moment=now()):
                tx.after_commit(lambda: self.hall.wakeups.wake(room_topic(room_id)))

        await self.database.transact(close)
        await self.hall.closed(room_id)
        return await self.get(room_id)

    async def join(self, room_id: int, who: RoomJoin) -> dict[str, Any]:
        """How to join. Raises `ValidationFailed` where the room is closed or full."""
        room = await self._row(room_id)
        if room.ended_at is not None:
            raise ValidationFailed("The room is closed. Open a new one.")
        if room.participants >= room.max_participants:
            raise ValidationFailed(f"The room is full ({room.participants} of {room.max_participants}).")
        token, ticket = issue_token(self.vault, room_id, who.name or "guest")
        return {
            "token": token,
            "whip_url": f"{self.address}/rooms/{room_id}/whip",
            "join_url": f"{self.address}/rooms/{room_id}#{token}",
            "sip_address": self.hall.sip_address(room),
            "ice_servers": [{"urls": url} for url in self.hall.ice_servers],
            "expires_at": datetime.fromtimestamp(ticket.expires, UTC),
        }

    async def _engine_of(self, agent_id: int | None) -> str:
        if agent_id is None:
            return _DEFAULT_ENGINE
        try:
            return str((await self.agents.record(agent_id)).voice_engine)
        except NotFound as error:
            raise ValidationFailed(f"agent_id: {error.message}") from error

    async def _row(self, room_id: int) -> Row:
        row = await self.database.lookup(sql.GET, **self._key(room_id))
        if row is None:
            raise NotFound(f"There is no room {room_id} among yours.")
        return row

    def _record(self, row: Row) -> dict[str, Any]:
        shown = row._asdict()
        join_url = f"{self.address}/rooms/{row.id}"
        return {**shown, "join_url": join_url, "transcript": row.transcript.removesuffix("\n")}

    def _key(self, room_id: int) -> dict[str, int]:
        return {"room": room_id, "account": self.caller.account_id}
