"""The hosts of room audio: the media worker of a Retinue server, or a LiveKit server."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from retinue.core.errors import Unavailable
from retinue.core.runtime.vault import Vault
from retinue.voice.rooms.local_rooms import LocalRooms
from retinue.voice.rooms.schemas import IceServerView, JoinView
from retinue.voice.rooms.tables import LIVEKIT, LOCAL, ParticipantRow, RoomRow
from retinue.voice.rooms.tokens import issue_token


class RoomHost(Protocol):
    """A host of room audio. A method that fails raises `Unavailable` and leaves the record unchanged."""

    async def invite(self, room: RoomRow, name: str, address: str) -> JoinView:
        """Invite a new participant. `address` is the base URL of this server."""
        ...

    def page(self, room: RoomRow, address: str) -> str:
        """Return the address of the page where browsers join."""
        ...

    async def mute(self, room: RoomRow, person: ParticipantRow, *, muted: bool) -> None:
        """Mute or unmute a participant."""
        ...

    async def remove(self, room: RoomRow, person: ParticipantRow) -> None:
        """Remove a participant."""
        ...

    async def close(self, room: RoomRow) -> None:
        """Remove everybody from a room whose record is closed."""
        ...


@dataclass(frozen=True)
class LocalHost:
    """The media worker of the server that hosts the room. Its driver reads mutes and removals from the record."""

    local_rooms: LocalRooms
    vault: Vault

    async def invite(self, room: RoomRow, name: str, address: str) -> JoinView:
        """See `RoomHost`."""
        token, ticket = issue_token(self.vault, room.id, name)
        return JoinView(
            token=token,
            whip_url=f"{address}/rooms/{room.id}/whip",
            livekit_url=None,
            join_url=f"{address}/rooms/{room.id}#{token}",
            sip_address=self.local_rooms.sip_address(room),
            ice_servers=[IceServerView(urls=url) for url in self.local_rooms.ice_servers],
            expires_at=datetime.fromtimestamp(ticket.expires, UTC),
        )

    def page(self, room: RoomRow, address: str) -> str:
        """See `RoomHost`."""
        return f"{address}/rooms/{room.id}"

    async def mute(self, room: RoomRow, person: ParticipantRow, *, muted: bool) -> None:
        """Do nothing: the driver reads the record."""

    async def remove(self, room: RoomRow, person: ParticipantRow) -> None:
        """Do nothing: the driver reads the record."""

    async def close(self, room: RoomRow) -> None:
        """If this process hosts the room, wait until it has removed everybody."""
        await self.local_rooms.wait_until_closed(room.id)


@dataclass(frozen=True)
class RoomHosts:
    """The hosts of this server. New rooms without an agent use LiveKit if it is configured."""

    local: RoomHost
    livekit: RoomHost | None = None

    def media_for(self, agent_id: int | None) -> str:
        """Return the `media` value of a new room."""
        return LIVEKIT if self.livekit and agent_id is None else LOCAL

    def of(self, room: RoomRow) -> RoomHost:
        """Return the host of a room. Raises `Unavailable` for a LiveKit room if LiveKit is no longer configured."""
        if room.media == LOCAL:
            return self.local
        if self.livekit is None:
            raise Unavailable("The room is on a LiveKit server that RETINUE_LIVEKIT_URL no longer names.")
        return self.livekit
