"""Calls a LiveKit server with the LiveKit project's client library (Apache-2.0)."""

from collections.abc import Awaitable, Sequence
from datetime import timedelta
from typing import TypeVar

import aiohttp
from livekit import api
from livekit.protocol.models import ParticipantInfo, ParticipantPermission

from retinue.core.errors import AuthRequired, Unavailable
from retinue.voice.livekit.options import LiveKitOptions

T = TypeVar("T")

_EMPTY_S = 300
"""Seconds after which LiveKit deletes an empty room."""

_NOT_FOUND = "not_found"


class LiveKitServer:
    """A client of the server's Twirp API. Every method except `token` and `read_webhook` may raise `Unavailable`."""

    def __init__(self, options: LiveKitOptions) -> None:
        self.options = options
        self._key = options.api_key, options.api_secret
        self._opened: api.LiveKitAPI | None = None

    def token(self, room: str, identity: str, name: str, life: timedelta) -> str:
        """Create a token that admits one person to one room."""
        made = api.AccessToken(*self._key).with_identity(identity).with_name(name).with_ttl(life)
        return made.with_grants(api.VideoGrants(room_join=True, room=room)).to_jwt()

    def read_webhook(self, body: str, token: str) -> api.WebhookEvent:
        """Verify and parse a webhook. Raises `AuthRequired` if the server's key did not sign this body."""
        try:
            return api.WebhookReceiver(api.TokenVerifier(*self._key)).receive(body, token)
        except Exception as error:
            raise AuthRequired("The webhook is not signed with RETINUE_LIVEKIT_API_SECRET.") from error

    async def open_room(self, room: str, most: int) -> None:
        """Create a room if it does not exist."""
        wanted = api.CreateRoomRequest(name=room, max_participants=most, empty_timeout=_EMPTY_S)
        await self._ask(self._api.room.create_room(wanted))

    async def close_room(self, room: str) -> None:
        """Remove everybody and delete the room. No effect if it does not exist."""
        await self._ask(self._api.room.delete_room(api.DeleteRoomRequest(room=room)))

    async def busy_rooms(self) -> list[str]:
        """Return the names of the rooms with participants."""
        answer = await self._ask(self._api.room.list_rooms(api.ListRoomsRequest()))
        return [room.name for room in answer.rooms if room.num_participants] if answer else []

    async def people(self, room: str) -> Sequence[ParticipantInfo]:
        """Return the participants of a room."""
        answer = await self._ask(self._api.room.list_participants(api.ListParticipantsRequest(room=room)))
        return answer.participants if answer else ()

    async def allow_speech(self, room: str, identity: str, *, allowed: bool) -> None:
        """Allow or forbid a participant to publish audio. The server drops forbidden audio."""
        permission = ParticipantPermission(can_subscribe=True, can_publish_data=True, can_publish=allowed)
        change = api.UpdateParticipantRequest(room=room, identity=identity, permission=permission)
        await self._ask(self._api.room.update_participant(change))

    async def send_out(self, room: str, identity: str) -> None:
        """Disconnect a participant. No effect if they have left."""
        await self._ask(self._api.room.remove_participant(api.RoomParticipantIdentity(room=room, identity=identity)))

    async def close(self) -> None:
        """Close the connections. A later request opens new ones."""
        if self._opened:
            await self._opened.aclose()
            self._opened = None

    @property
    def _api(self) -> api.LiveKitAPI:
        if self._opened is None:
            self._opened = api.LiveKitAPI(self.options.url, *self._key, failover=False)
        return self._opened

    async def _ask(self, request: Awaitable[T]) -> T | None:
        """Return the response; None if the room or participant does not exist. Raises `Unavailable`."""
        try:
            return await request
        except api.TwirpError as error:
            if error.code == _NOT_FOUND:
                return None
            raise Unavailable(f"The LiveKit server rejected the request: {error.message[:200]}") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable("The LiveKit server does not respond. Try again in a minute.") from error
