"""Routes of conversations.

Protocol: https://platform.openai.com/docs/api-reference/conversations
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import Depends, Path, Query
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller
from retinue.core.http.operations import Api
from retinue.interop.attachments import MAX_BODY
from retinue.interop.openai.base import BASE, list_ends
from retinue.interop.openai.conversations.schemas import ConversationCreate, ConversationUpdate, ItemsCreate
from retinue.interop.openai.conversations.service import ItemConversations

ConversationName = Annotated[str, Path(max_length=100)]
ItemName = Annotated[str, Path(max_length=200)]
ConversationsOfCaller = Annotated[ItemConversations, Depends(of_caller(ItemConversations))]
_HIDDEN = {"include_in_schema": False}

api = Api("item_conversations", base=BASE)


@api.post("/conversations", scope="chat:write", max_body=MAX_BODY, **_HIDDEN)
async def create_item_conversation(body: ConversationCreate, conversations: ConversationsOfCaller) -> Response:
    """Create a conversation."""
    return JSONResponse(await conversations.create(body.items or [], body.metadata or {}))


@api.get("/conversations/{name}", scope="chat:read", **_HIDDEN)
async def get_item_conversation(name: ConversationName, conversations: ConversationsOfCaller) -> Response:
    """Return a conversation without its items."""
    return JSONResponse(await conversations.get(name))


@api.post("/conversations/{name}", scope="chat:write", **_HIDDEN)
async def update_item_conversation(
    name: ConversationName, body: ConversationUpdate, conversations: ConversationsOfCaller
) -> Response:
    """Replace the metadata of a conversation."""
    return JSONResponse(await conversations.update(name, body.metadata or {}))


@api.delete("/conversations/{name}", scope="chat:write", **_HIDDEN)
async def delete_item_conversation(name: ConversationName, conversations: ConversationsOfCaller) -> Response:
    """Delete a conversation with its items."""
    await conversations.delete(name)
    return JSONResponse({"id": name, "object": "conversation.deleted", "deleted": True})


@api.post("/conversations/{name}/items", scope="chat:write", max_body=MAX_BODY, **_HIDDEN)
async def create_conversation_items(
    name: ConversationName, body: ItemsCreate, conversations: ConversationsOfCaller
) -> Response:
    """Add items to a conversation."""
    return _list_response(await conversations.add(name, body.items))


@api.get("/conversations/{name}/items", scope="chat:read", **_HIDDEN)
async def list_conversation_items(
    name: ConversationName,
    conversations: ConversationsOfCaller,
    after: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    order: Annotated[Literal["asc", "desc"], Query()] = "desc",
) -> Response:
    """List the items of a conversation, the last one first."""
    return _list_response(*await conversations.page(name, after, limit, order))


@api.get("/conversations/{name}/items/{item}", scope="chat:read", **_HIDDEN)
async def get_conversation_item(
    name: ConversationName, item: ItemName, conversations: ConversationsOfCaller
) -> Response:
    """Return one item."""
    return JSONResponse(await conversations.item(name, item))


@api.delete("/conversations/{name}/items/{item}", scope="chat:write", **_HIDDEN)
async def delete_conversation_item(
    name: ConversationName, item: ItemName, conversations: ConversationsOfCaller
) -> Response:
    """Delete one item, and return the conversation."""
    return JSONResponse(await conversations.delete_item(name, item))


def _list_response(items: Sequence[Mapping[str, object]], has_more: bool = False) -> Response:
    return JSONResponse({"object": "list", "data": items, **list_ends(items), "has_more": has_more})
