"""`client.runs`.

Made from the server's OpenAPI document by `make client`.
"""

from retinue_client import _by_hand, types
from retinue_client._calls import Call, path_of
from retinue_client._streams import AsyncStream, Stream
from retinue_client._transport import AsyncTransport, Transport


class Runs(_by_hand.Runs):
    """`client.runs`."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)

    def retrieve(self, id: int, /) -> types.RunDetails:
        """Get a run with every step that it has made so far.

        Needs the scope `agents:read`.
        """
        return self._transport.record(Call("GET", path_of("/runs/{}", id)), types.RunDetails)

    def cancel(self, id: int, /, *, idempotency_key: str | None = None) -> types.Run:
        """End a run; what it has said so far is kept. One that is over stays as it is.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/runs/{}/cancel", id), takes_key=True, key=idempotency_key), types.Run
        )

    def watch(self, id: int, /, *, last_event_id: str | None = None) -> Stream[types.StreamRunChunk]:
        """Follow a run live as server-sent events; a client that comes back goes on where it left.

        Needs the scope `agents:read`.
        """
        call = Call("GET", path_of("/runs/{}/events", id), last_event_id=last_event_id)
        return self._transport.stream(call, types.StreamRunChunk, resumes=True)


class AsyncRuns(_by_hand.AsyncRuns):
    """`client.runs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport)

    async def retrieve(self, id: int, /) -> types.RunDetails:
        """Get a run with every step that it has made so far.

        Needs the scope `agents:read`.
        """
        return await self._transport.record(Call("GET", path_of("/runs/{}", id)), types.RunDetails)

    async def cancel(self, id: int, /, *, idempotency_key: str | None = None) -> types.Run:
        """End a run; what it has said so far is kept. One that is over stays as it is.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/runs/{}/cancel", id), takes_key=True, key=idempotency_key), types.Run
        )

    async def watch(self, id: int, /, *, last_event_id: str | None = None) -> AsyncStream[types.StreamRunChunk]:
        """Follow a run live as server-sent events; a client that comes back goes on where it left.

        Needs the scope `agents:read`.
        """
        call = Call("GET", path_of("/runs/{}/events", id), last_event_id=last_event_id)
        return await self._transport.stream(call, types.StreamRunChunk, resumes=True)
