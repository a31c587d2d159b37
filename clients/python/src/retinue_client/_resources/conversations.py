"""`client.conversations`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Conversations:
    """`client.conversations`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def messages(self, conversation_id: str, /, **query: Unpack[types.PageParams]) -> Listing[types.Message]:
        """List the messages of a conversation, oldest first.

        Needs the scope `chat:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/chat/{}", conversation_id), query={**query}), types.Message
        )

    def delete(self, conversation_id: str, /) -> types.ConversationDeleted:
        """Delete a conversation and its messages.

        Needs the scope `chat:write`.
        """
        return self._transport.record(Call("DELETE", path_of("/chat/{}", conversation_id)), types.ConversationDeleted)

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Conversation]:
        """List your conversations, the most recently used first.

        Needs the scope `chat:read`.
        """
        return self._transport.listing(Call("GET", "/chat", query={**query}), types.Conversation)


class AsyncConversations:
    """`client.conversations`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def messages(self, conversation_id: str, /, **query: Unpack[types.PageParams]) -> AsyncListing[types.Message]:
        """List the messages of a conversation, oldest first.

        Needs the scope `chat:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/chat/{}", conversation_id), query={**query}), types.Message
        )

    async def delete(self, conversation_id: str, /) -> types.ConversationDeleted:
        """Delete a conversation and its messages.

        Needs the scope `chat:write`.
        """
        return await self._transport.record(
            Call("DELETE", path_of("/chat/{}", conversation_id)), types.ConversationDeleted
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Conversation]:
        """List your conversations, the most recently used first.

        Needs the scope `chat:read`.
        """
        return self._transport.listing(Call("GET", "/chat", query={**query}), types.Conversation)
