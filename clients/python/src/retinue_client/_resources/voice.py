"""`client.voice`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._streams import AsyncStream, Stream
from retinue_client._transport import AsyncTransport, Transport


class VoiceCallsTurns:
    """`client.voice.calls.turns`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> Listing[types.Turn]:
        """List what each side said, in order, with how long the parts of each turn took.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(Call("GET", path_of("/voice/calls/{}/turns", id), query={**query}), types.Turn)


class AsyncVoiceCallsTurns:
    """`client.voice.calls.turns`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> AsyncListing[types.Turn]:
        """List what each side said, in order, with how long the parts of each turn took.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(Call("GET", path_of("/voice/calls/{}/turns", id), query={**query}), types.Turn)


class VoiceRoomsParticipants:
    """`client.voice.rooms.participants`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def mute(self, id: int, participant_id: int, /, *, idempotency_key: str | None = None) -> types.Participant:
        """Mute somebody at the server: nobody hears them, and what they say is not written down.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call(
                "POST",
                path_of("/voice/rooms/{}/participants/{}/mute", id, participant_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.Participant,
        )

    def unmute(self, id: int, participant_id: int, /, *, idempotency_key: str | None = None) -> types.Participant:
        """Let somebody be heard again.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call(
                "POST",
                path_of("/voice/rooms/{}/participants/{}/unmute", id, participant_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.Participant,
        )

    def delete(self, id: int, participant_id: int, /) -> types.Participant:
        """Send somebody out. Somebody who has left stays as they are.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("DELETE", path_of("/voice/rooms/{}/participants/{}", id, participant_id)), types.Participant
        )

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> Listing[types.Participant]:
        """List who is in the room and who was, the last who joined first.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/voice/rooms/{}/participants", id), query={**query}), types.Participant
        )


class AsyncVoiceRoomsParticipants:
    """`client.voice.rooms.participants`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def mute(self, id: int, participant_id: int, /, *, idempotency_key: str | None = None) -> types.Participant:
        """Mute somebody at the server: nobody hears them, and what they say is not written down.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call(
                "POST",
                path_of("/voice/rooms/{}/participants/{}/mute", id, participant_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.Participant,
        )

    async def unmute(self, id: int, participant_id: int, /, *, idempotency_key: str | None = None) -> types.Participant:
        """Let somebody be heard again.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call(
                "POST",
                path_of("/voice/rooms/{}/participants/{}/unmute", id, participant_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.Participant,
        )

    async def delete(self, id: int, participant_id: int, /) -> types.Participant:
        """Send somebody out. Somebody who has left stays as they are.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("DELETE", path_of("/voice/rooms/{}/participants/{}", id, participant_id)), types.Participant
        )

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> AsyncListing[types.Participant]:
        """List who is in the room and who was, the last who joined first.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/voice/rooms/{}/participants", id), query={**query}), types.Participant
        )


class VoiceCalls:
    """`client.voice.calls`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.turns = VoiceCallsTurns(transport)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.CallCreate]) -> types.Call:
        """Call a telephone number or a SIP address, and have an agent speak. The answer comes while the call is
        queued.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("POST", "/voice/calls", takes_key=True, key=idempotency_key, body={**body}), types.Call
        )

    def retrieve(self, id: int, /) -> types.Call:
        """Get one call, with its transcript so far.

        Needs the scope `voice:read`.
        """
        return self._transport.record(Call("GET", path_of("/voice/calls/{}", id)), types.Call)

    def hangup(self, id: int, /, *, idempotency_key: str | None = None) -> types.Call:
        """End the call: `cancelled` before its answer, else `completed`. A call that has ended stays as it is.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/voice/calls/{}/hangup", id), takes_key=True, key=idempotency_key), types.Call
        )

    def hold(self, id: int, /, *, idempotency_key: str | None = None) -> types.Call:
        """Put the other side on hold. Nobody speaks and nobody is heard until the call is resumed.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/voice/calls/{}/hold", id), takes_key=True, key=idempotency_key), types.Call
        )

    def resume(self, id: int, /, *, idempotency_key: str | None = None) -> types.Call:
        """Take a call up again that is on hold. The agent goes on where it stopped.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/voice/calls/{}/resume", id), takes_key=True, key=idempotency_key), types.Call
        )

    def dtmf(self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.KeyPresses]) -> types.Call:
        """Press keys of the telephone, such as those that a menu asks for.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/voice/calls/{}/dtmf", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Call,
        )

    def transfer(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.CallTransfer]
    ) -> types.Call:
        """Have the other side call somebody else, and leave the call. It goes on as it was where that fails.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/voice/calls/{}/transfer", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Call,
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Call]:
        """List your calls, newest first.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(Call("GET", "/voice/calls", query={**query}), types.Call)


class AsyncVoiceCalls:
    """`client.voice.calls`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.turns = AsyncVoiceCallsTurns(transport)

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.CallCreate]) -> types.Call:
        """Call a telephone number or a SIP address, and have an agent speak. The answer comes while the call is
        queued.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", "/voice/calls", takes_key=True, key=idempotency_key, body={**body}), types.Call
        )

    async def retrieve(self, id: int, /) -> types.Call:
        """Get one call, with its transcript so far.

        Needs the scope `voice:read`.
        """
        return await self._transport.record(Call("GET", path_of("/voice/calls/{}", id)), types.Call)

    async def hangup(self, id: int, /, *, idempotency_key: str | None = None) -> types.Call:
        """End the call: `cancelled` before its answer, else `completed`. A call that has ended stays as it is.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/voice/calls/{}/hangup", id), takes_key=True, key=idempotency_key), types.Call
        )

    async def hold(self, id: int, /, *, idempotency_key: str | None = None) -> types.Call:
        """Put the other side on hold. Nobody speaks and nobody is heard until the call is resumed.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/voice/calls/{}/hold", id), takes_key=True, key=idempotency_key), types.Call
        )

    async def resume(self, id: int, /, *, idempotency_key: str | None = None) -> types.Call:
        """Take a call up again that is on hold. The agent goes on where it stopped.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/voice/calls/{}/resume", id), takes_key=True, key=idempotency_key), types.Call
        )

    async def dtmf(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.KeyPresses]
    ) -> types.Call:
        """Press keys of the telephone, such as those that a menu asks for.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/voice/calls/{}/dtmf", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Call,
        )

    async def transfer(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.CallTransfer]
    ) -> types.Call:
        """Have the other side call somebody else, and leave the call. It goes on as it was where that fails.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/voice/calls/{}/transfer", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Call,
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Call]:
        """List your calls, newest first.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(Call("GET", "/voice/calls", query={**query}), types.Call)


class VoiceRooms:
    """`client.voice.rooms`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.participants = VoiceRoomsParticipants(transport)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.RoomCreate]) -> types.Room:
        """Open a conference room.

        Needs the scope `voice:write`.
        """
        return self._transport.record(
            Call("POST", "/voice/rooms", takes_key=True, key=idempotency_key, body={**body}), types.Room
        )

    def retrieve(self, id: int, /) -> types.Room:
        """Get one room, with its transcript so far. Closed rooms are still shown.

        Needs the scope `voice:read`.
        """
        return self._transport.record(Call("GET", path_of("/voice/rooms/{}", id)), types.Room)

    def delete(self, id: int, /) -> types.Room:
        """Close the room, and send everybody out. It is no longer listed.

        Needs the scope `voice:write`.
        """
        return self._transport.record(Call("DELETE", path_of("/voice/rooms/{}", id)), types.Room)

    def join(self, id: int, /, **body: Unpack[types.RoomJoin]) -> types.Join:
        """Get a way to join: a short-lived token for a browser, and an address for a telephone.

        Needs the scope `voice:write`.
        """
        return self._transport.record(Call("POST", path_of("/voice/rooms/{}/join", id), body={**body}), types.Join)

    def watch(self, id: int, /, *, last_event_id: str | None = None) -> Stream[types.StreamRoomChunk]:
        """Follow a room live as server-sent events, from its beginning; a client that comes back goes on where it
        left.

        Needs the scope `voice:read`.
        """
        call = Call("GET", path_of("/voice/rooms/{}/events", id), last_event_id=last_event_id)
        return self._transport.stream(call, types.StreamRoomChunk, resumes=True)

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Room]:
        """List your active rooms, newest first.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(Call("GET", "/voice/rooms", query={**query}), types.Room)


class AsyncVoiceRooms:
    """`client.voice.rooms`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.participants = AsyncVoiceRoomsParticipants(transport)

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.RoomCreate]) -> types.Room:
        """Open a conference room.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", "/voice/rooms", takes_key=True, key=idempotency_key, body={**body}), types.Room
        )

    async def retrieve(self, id: int, /) -> types.Room:
        """Get one room, with its transcript so far. Closed rooms are still shown.

        Needs the scope `voice:read`.
        """
        return await self._transport.record(Call("GET", path_of("/voice/rooms/{}", id)), types.Room)

    async def delete(self, id: int, /) -> types.Room:
        """Close the room, and send everybody out. It is no longer listed.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(Call("DELETE", path_of("/voice/rooms/{}", id)), types.Room)

    async def join(self, id: int, /, **body: Unpack[types.RoomJoin]) -> types.Join:
        """Get a way to join: a short-lived token for a browser, and an address for a telephone.

        Needs the scope `voice:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/voice/rooms/{}/join", id), body={**body}), types.Join
        )

    async def watch(self, id: int, /, *, last_event_id: str | None = None) -> AsyncStream[types.StreamRoomChunk]:
        """Follow a room live as server-sent events, from its beginning; a client that comes back goes on where it
        left.

        Needs the scope `voice:read`.
        """
        call = Call("GET", path_of("/voice/rooms/{}/events", id), last_event_id=last_event_id)
        return await self._transport.stream(call, types.StreamRoomChunk, resumes=True)

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Room]:
        """List your active rooms, newest first.

        Needs the scope `voice:read`.
        """
        return self._transport.listing(Call("GET", "/voice/rooms", query={**query}), types.Room)


class Voice:
    """`client.voice`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.calls = VoiceCalls(transport)
        self.rooms = VoiceRooms(transport)


class AsyncVoice:
    """`client.voice`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.calls = AsyncVoiceCalls(transport)
        self.rooms = AsyncVoiceRooms(transport)
