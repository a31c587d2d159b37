"""Where the sound of rooms is: at the media worker of one of our servers, or at a LiveKit server."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from retinue.core.errors import Unavailable
from retinue.core.statements import Row
from retinue.core.vault import Vault
from retinue.voice.rooms.hall import RoomHall
from retinue.voice.rooms.tables import LIVEKIT, LOCAL
from retinue.voice.rooms.tokens import issue_token


class RoomHost(Protocol):
    """Holds the sound of rooms. A method that fails raises `Unavailable`, and the record stays as it was."""

    async def invite(self, room: Row, name: str, address: str) -> dict[str, Any]:
        """How somebody may join: the fields of `JoinView`. `address` is that of this server."""
        ...

    def page(self, room: Row, address: str) -> str:
        """The page in which browsers join."""
        ...

    async def mute(self, room: Row, person: Row, *, muted: bool) -> None:
        """Mute or unmute somebody."""
        ...

    async def remove(self, room: Row, person: Row) -> None:
        """Send somebody out."""
        ...

    async def close(self, room: Row) -> None:
        """Send everybody out of a room whose record is closed."""
        ...


@dataclass(frozen=True)
class LocalHost:
    """The media worker of the server that holds the room. It reads in the record who is muted and who must go."""

    hall: RoomHall
    vault: Vault

    async def invite(self, room: Row, name: str, address: str) -> dict[str, Any]:
        """See `RoomHost`."""
        token, ticket = issue_token(self.vault, room.id, name)
        return {
            "token": token,
            "whip_url": f"{address}/rooms/{room.id}/whip",
            "livekit_url": None,
            "join_url": f"{address}/rooms/{room.id}#{token}",
            "sip_address": self.hall.sip_address(room),
            "ice_servers": [{"urls": url} for url in self.hall.ice_servers],
            "expires_at": datetime.fromtimestamp(ticket.expires, UTC),
        }

    def page(self, room: Row, address: str) -> str:
        """See `RoomHost`."""
        return f"{address}/rooms/{room.id}"

    async def mute(self, room: Row, person: Row, *, muted: bool) -> None:
        """Nothing: see the class."""

    async def remove(self, room: Row, person: Row) -> None:
        """Nothing: see the class."""

    async def close(self, room: Row) -> None:
        """Wait until the process that holds the room has sent everybody out, if it is this one."""
        await self.hall.wait_until_closed(room.id)


@dataclass(frozen=True)
class RoomHosts:
    """The hosts of this server. New rooms are at LiveKit where there is one, but for those with an agent."""

    local: RoomHost
    livekit: RoomHost | None = None

    def media_for(self, agent_id: int | None) -> str:
        """Where a new room is to be."""
        return LIVEKIT if self.livekit and agent_id is None else LOCAL

    def of(self, room: Row) -> RoomHost:
        """The host of a room. Raises `Unavailable` where it is at a LiveKit server that is no longer configured."""
        if room.media == LOCAL:
            return self.local
        if self.livekit is None:
            raise Unavailable("The room is at a LiveKit server, which RETINUE_LIVEKIT_URL no longer names.")
        return self.livekit
