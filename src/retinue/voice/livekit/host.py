"""Hosts rooms at LiveKit."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

import structlog

from retinue.core.errors import Unavailable
from retinue.core.runtime.clock import now
from retinue.voice.livekit.presence import LiveKitPresence, room_name
from retinue.voice.livekit.server import LiveKitServer
from retinue.voice.rooms.local_rooms import CheckMinutes
from retinue.voice.rooms.schemas import JoinView
from retinue.voice.rooms.tables import ParticipantRow, RoomRow
from retinue.voice.rooms.tokens import LIFE_S

_log = structlog.get_logger()


@dataclass(frozen=True)
class LiveKitHost:
    """See `RoomHost`. Participants connect directly to LiveKit; this server issues tokens and keeps the records."""

    server: LiveKitServer
    presence: LiveKitPresence
    check_minutes: CheckMinutes

    async def invite(self, room: RoomRow, name: str, address: str) -> JoinView:
        """See `RoomHost`."""
        await self.check_minutes(room.account_id)
        await self.server.open_room(room_name(room.id), room.max_participants)
        await self.presence.compare(room)
        life, options = timedelta(seconds=LIFE_S), self.server.options
        token = self.server.token(room_name(room.id), f"person-{secrets.token_hex(8)}", name, life)
        return JoinView(
            token=token,
            whip_url=None,
            livekit_url=options.socket_url,
            join_url=options.join_url(token),
            sip_address=None,
            ice_servers=[],
            expires_at=now() + life,
        )

    def page(self, room: RoomRow, address: str) -> str:
        """See `RoomHost`."""
        return self.server.options.client_url

    async def mute(self, room: RoomRow, person: ParticipantRow, *, muted: bool) -> None:
        """See `RoomHost`."""
        await self.server.allow_speech(room_name(room.id), person.identity or "", allowed=not muted)

    async def remove(self, room: RoomRow, person: ParticipantRow) -> None:
        """See `RoomHost`."""
        await self.server.send_out(room_name(room.id), person.identity or "")
        await self.presence.leave(room.id, person.sid or "")

    async def close(self, room: RoomRow) -> None:
        """See `RoomHost`. If LiveKit does not answer, `LiveKitPresence.run` closes the room later."""
        try:
            await self.server.close_room(room_name(room.id))
        except Unavailable as error:
            _log.warning("livekit.not_closed", room=room.id, reason=error.message)
        else:
            await self.presence.leave_all(room.id)
