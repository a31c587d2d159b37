"""`client.chat`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Literal, Unpack, overload

from retinue_client import types
from retinue_client._calls import Call
from retinue_client._streams import AsyncStream, Stream
from retinue_client._transport import AsyncTransport, Transport


class Chat:
    """`client.chat`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @overload
    def create(
        self, *, stream: Literal[True], idempotency_key: str | None = None, **body: Unpack[types.ChatRequest]
    ) -> Stream[types.ChatChunk]: ...
    @overload
    def create(
        self, *, stream: Literal[False] = False, idempotency_key: str | None = None, **body: Unpack[types.ChatRequest]
    ) -> types.ChatReply: ...
    def create(
        self, *, stream: bool = False, idempotency_key: str | None = None, **body: Unpack[types.ChatRequest]
    ) -> types.ChatReply | Stream[types.ChatChunk]:
        """Send a message, in a new conversation or in one that exists.

        Needs the scope `chat:write`.
        """
        call = Call("POST", "/chat", takes_key=True, key=idempotency_key, body={**body, "stream": stream})
        if stream:
            chunks: Stream[types.ChatChunk] = self._transport.stream(call, types.ChatChunk)
            return chunks
        answer: types.ChatReply = self._transport.by_status(call, {200: types.ChatReply})
        return answer


class AsyncChat:
    """`client.chat`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @overload
    async def create(
        self, *, stream: Literal[True], idempotency_key: str | None = None, **body: Unpack[types.ChatRequest]
    ) -> AsyncStream[types.ChatChunk]: ...
    @overload
    async def create(
        self, *, stream: Literal[False] = False, idempotency_key: str | None = None, **body: Unpack[types.ChatRequest]
    ) -> types.ChatReply: ...
    async def create(
        self, *, stream: bool = False, idempotency_key: str | None = None, **body: Unpack[types.ChatRequest]
    ) -> types.ChatReply | AsyncStream[types.ChatChunk]:
        """Send a message, in a new conversation or in one that exists.

        Needs the scope `chat:write`.
        """
        call = Call("POST", "/chat", takes_key=True, key=idempotency_key, body={**body, "stream": stream})
        if stream:
            chunks: AsyncStream[types.ChatChunk] = await self._transport.stream(call, types.ChatChunk)
            return chunks
        answer: types.ChatReply = await self._transport.by_status(call, {200: types.ChatReply})
        return answer
