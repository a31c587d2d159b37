"""Routes of chat."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.chat.schemas import (
    ChatReply,
    ChatRequest,
    ConversationDeleted,
    ConversationFilter,
    ConversationUpdate,
    ConversationView,
    MessageView,
)
from retinue.chat.service import ChatEffect, Chats
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, json_response, listing, one
from retinue.core.http.operations import Api
from retinue.runs.service import Runs
from retinue.runs.watching.sse_responses import stream, wait_until_ended, wait_while_connected

ConversationId = Annotated[str, Path(max_length=200, description="ID of the conversation.")]
PageQuery = Annotated[Page, Query()]


_chats = of_caller(Chats)


async def _record(request: Request) -> object:
    return await (await _chats(request)).get(request.path_params["conversation_id"])


ChatsOfCaller = Annotated[Chats, Depends(_chats)]

api = Api("chat", record=_record)


async def _recover_reply(request: Request, effect: ChatEffect) -> Response:
    runs = await of_caller(Runs)(request)
    answer = await runs.answer(effect["run"])
    conversation = await (await _chats(request)).get(effect["conversation_id"])
    about = {"agent_id": conversation.agent_id, "model": conversation.model}
    return json_response(Data[ChatReply], {**answer, **effect, **about, "status": "completed", "approval_ids": []})


@api.post(
    "/chat",
    scope="chat:write",
    response_model=Data[ChatReply],
    responses={202: {"model": Data[ChatReply], "description": "The agent's run waits for an approval"}},
    streams=True,
    recover=_recover_reply,
)
async def chat(body: ChatRequest, request: Request, chats: ChatsOfCaller) -> Envelope | Response:
    """Send a message in a new or an existing conversation, to a model or to one of your agents.

    If the agent's run waits for an approval, the response is 202 with `status: waiting`, the reply so far and the
    `approval_ids`, and the run continues in the background.
    """
    conversation_id, live = await chats.send(body)
    final = {"conversation_id": conversation_id, "agent_id": live.run.agent_id, "model": live.run.model}
    if body.stream:
        return await stream(live, chats.dispatch.runner, final)
    await wait_while_connected(request, live, chats.dispatch.runner)
    answer = {**final, **await wait_until_ended(live)}
    answer |= {"status": live.outcome, "approval_ids": list(live.journal.approval_ids)}
    return json_response(Data[ChatReply], answer, 202) if live.outcome == "waiting" else one(answer)


@api.get("/chat", scope="chat:read", response_model=Listing[ConversationView])
async def list_conversations(page: Annotated[ConversationFilter, Query()], chats: ChatsOfCaller) -> ListEnvelope:
    """List your conversations, most recently used first."""
    return listing(await chats.page(page), page)


@api.get("/chat/{conversation_id}", scope="chat:read", response_model=Listing[MessageView])
async def list_messages(conversation_id: ConversationId, page: PageQuery, chats: ChatsOfCaller) -> ListEnvelope:
    """List the messages of a conversation, oldest first."""
    return listing(await chats.messages(conversation_id, page), page)


@api.patch("/chat/{conversation_id}", scope="chat:write", response_model=Data[ConversationView])
async def update_conversation(
    conversation_id: ConversationId, body: ConversationUpdate, chats: ChatsOfCaller
) -> Envelope:
    """Rename, pin or unpin a conversation."""
    changes = body.sent_fields()
    return one(await chats.change(conversation_id, changes.get("title"), changes.get("pinned")))


@api.delete("/chat/{conversation_id}", scope="chat:write", response_model=Data[ConversationDeleted])
async def delete_conversation(conversation_id: ConversationId, chats: ChatsOfCaller) -> Envelope:
    """Delete a conversation and its messages."""
    await chats.delete(conversation_id)
    return one({"conversation_id": conversation_id, "deleted": True})
