"""Routes of OpenAI's API."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Annotated, Literal, cast

from fastapi import Depends, Path, Query, Request
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.http.json_body import JsonRequest
from retinue.core.http.operations import Api
from retinue.core.http.sse import EventStream
from retinue.core.idempotency.keys import RecordIds
from retinue.interop.attachments import MAX_BODY
from retinue.interop.openai.base import BASE, list_ends
from retinue.interop.openai.chat_completions import Completion, read_request
from retinue.interop.openai.conversations.service import ItemConversations
from retinue.interop.openai.response_events import ResponseStream, stored_frames
from retinue.interop.openai.responses import PREFIX, ResponseState, input_items
from retinue.interop.openai.responses import read_request as read_request_of_response
from retinue.interop.openai.schemas import CompletionRequest, ResponseRequest
from retinue.interop.stateless_chats import Conversation, ModelNotFound, Note, StatelessChats
from retinue.knowledge.embedding import included_model
from retinue.models.embedding_models import ALIAS as EMBEDDING
from retinue.runs.run_options import ClientMessage, RunOptions
from retinue.runs.watching.sse_responses import stream_frames, wait_while_connected

_UNKNOWN_TIME = "1970-01-01T00:00:00Z"

ResponseId = Annotated[str, Path(max_length=100)]
ChatsOfCaller = Annotated[StatelessChats, Depends(of_caller(StatelessChats))]
ConversationsOfCaller = Annotated[ItemConversations, Depends(of_caller(ItemConversations))]

api = Api("openai", base=BASE)


async def _recover_completion(request: Request, effect: RecordIds) -> Response:
    body = CompletionRequest.model_validate(cast("JsonRequest", request).content)
    live = await (await of_caller(StatelessChats)(request)).find_ended(effect["run"])
    return JSONResponse(await Completion(live, body.model).result())


async def _recover_response(request: Request, effect: RecordIds) -> Response:
    body = ResponseRequest.model_validate(cast("JsonRequest", request).content)
    chats = await of_caller(StatelessChats)(request)
    if not body.background:
        await chats.runs.wait_for_completion(effect["run"])
    if name := body.conversation_name:
        await (await of_caller(ItemConversations)(request)).settle(name)
    found = await chats.find(f"{PREFIX}{effect['run']}", PREFIX, "chat:write")
    return JSONResponse(ResponseState.of_row(*found).fields())


@api.post(
    "/chat/completions",
    scope="chat:write",
    max_body=MAX_BODY,
    streams=True,
    recover=_recover_completion,
    include_in_schema=False,
)
async def create_chat_completion(body: CompletionRequest, request: Request, chats: ChatsOfCaller) -> Response:
    """Answer a conversation that the client keeps, by a model or by an agent."""
    live = await chats.start(read_request(body))
    shows_usage = body.stream_options is not None and body.stream_options.include_usage
    completion = Completion(live, body.model, shows_usage)
    if body.stream:
        return await stream_frames(live, chats.dispatch.runner, completion.frames())
    await wait_while_connected(request, live, chats.dispatch.runner)
    return JSONResponse(await completion.result())


@api.post(
    "/responses",
    scope="chat:write",
    max_body=MAX_BODY,
    streams=True,
    recover=_recover_response,
    include_in_schema=False,
)
async def create_response(
    body: ResponseRequest, request: Request, chats: ChatsOfCaller, conversations: ConversationsOfCaller
) -> Response:
    """Answer a conversation, which may continue a stored response, by a model or by an agent."""
    conversation, note = await _conversation_of(body, chats, conversations)
    if body.background:
        row = await chats.start_in_background(conversation, note)
        return _follow(chats, row, ()) if body.stream else JSONResponse(ResponseState.of_row(row, ()).fields())
    live = await chats.start(conversation, note)
    answer, name = ResponseStream(live, body.model), body.conversation_name

    async def frames() -> AsyncGenerator[bytes]:
        async for frame in answer.frames():
            yield frame
        if name:
            await conversations.settle(name)

    if body.stream:
        return await stream_frames(live, chats.dispatch.runner, frames())
    await wait_while_connected(request, live, chats.dispatch.runner)
    response = await answer.wait()
    if name:
        await conversations.settle(name)
    return JSONResponse(response)


async def _conversation_of(
    body: ResponseRequest, chats: StatelessChats, conversations: ItemConversations
) -> tuple[Conversation, Note | None]:
    """Return the conversation to answer, and what records the run in it. Raises `NotFound` and `ValidationFailed`."""
    if body.conversation_name and body.previous_response_id:
        raise ValidationFailed("previous_response_id: a response continues either another or a conversation.")
    if body.conversation_name:
        opened = await conversations.open(body.conversation_name, body.model)
        read = read_request_of_response(body, opened.messages)
        system = "\n\n".join(filter(None, (read.system, opened.system)))
        return replace(read, system=system, untrusted=opened.untrusted), opened.note
    earlier, untrusted = list[ClientMessage](), None
    if body.previous_response_id:
        row, journal = await chats.find(body.previous_response_id, PREFIX)
        earlier, untrusted = chats.messages_of(row, journal), row.untrusted
    return replace(read_request_of_response(body, earlier), untrusted=untrusted), None


@api.get("/responses/{response_id}", scope="chat:read", streams=True, include_in_schema=False)
async def get_response(
    response_id: ResponseId,
    chats: ChatsOfCaller,
    stream: Annotated[bool, Query()] = False,
    starting_after: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """Retrieve a response, or stream its events after the one with the number `starting_after`."""
    row, journal = await chats.find(response_id, PREFIX)
    if stream:
        return _follow(chats, row, journal, -1 if starting_after is None else starting_after)
    return JSONResponse({**ResponseState.of_row(row, journal).fields(), **await chats.waiting_fields(row)})


@api.delete("/responses/{response_id}", scope="chat:write", include_in_schema=False)
async def delete_response(response_id: ResponseId, chats: ChatsOfCaller) -> Response:
    """Delete a response. One that is in progress is cancelled."""
    row, _ = await chats.find(response_id, PREFIX, "agents:write")
    await chats.delete(row)
    return JSONResponse({"id": f"{PREFIX}{row.id}", "object": "response", "deleted": True})


@api.get("/responses/{response_id}/input_items", scope="chat:read", include_in_schema=False)
async def list_input_items(
    response_id: ResponseId, chats: ChatsOfCaller, order: Annotated[Literal["asc", "desc"], Query()] = "desc"
) -> Response:
    """List the messages that a response answered, the last one first."""
    row, _ = await chats.find(response_id, PREFIX)
    items = list(input_items(row.id, chats.request_of(row), RunOptions.model_validate(row.options).client_tools))
    items = items if order == "asc" else items[::-1]
    return JSONResponse({"object": "list", "data": items, **list_ends(items), "has_more": False})


@api.post("/responses/{response_id}/cancel", scope="chat:write", include_in_schema=False)
async def cancel_response(response_id: ResponseId, chats: ChatsOfCaller) -> Response:
    """Cancel a response. One that has ended is unchanged."""
    row, _ = await chats.find(response_id, PREFIX, "agents:write")
    await chats.runs.cancel(row.id)
    return JSONResponse(ResponseState.of_row(*await chats.find(response_id, PREFIX)).fields())


def _follow(chats: StatelessChats, row: Row, journal: Sequence[Row], after: int = -1) -> Response:
    """Stream a stored response. It goes on if the client disconnects."""

    async def find_result() -> ResponseState:
        return ResponseState.of_row(*await chats.find(f"{PREFIX}{row.id}", PREFIX))

    chunks = chats.runs.events(row, None)
    return EventStream(stored_frames(ResponseState.of_row(row, journal), chunks, find_result, after))


@api.get("/models", scope="chat:read", include_in_schema=False)
async def list_openai_models(request: Request, chats: ChatsOfCaller) -> Response:
    """List the models and the agents of the caller, for Anthropic's clients in their shape."""
    models = await _models(chats)
    if "anthropic-version" not in request.headers:
        return JSONResponse({"object": "list", "data": [*models, *_embedding_model()]})
    data = [
        {"type": "model", "id": one["id"], "display_name": one["name"], "created_at": _UNKNOWN_TIME} for one in models
    ]
    return JSONResponse({"data": data, "has_more": False, **list_ends(data)})


@api.get("/models/{model:path}", scope="chat:read", include_in_schema=False)
async def get_openai_model(model: Annotated[str, Path(max_length=300)], chats: ChatsOfCaller) -> Response:
    """Return one model or agent."""
    if agent := await chats.agent(model):
        return JSONResponse(_entry(*agent, "agent"))
    found = next((one for one in [*await _models(chats), *_embedding_model()] if one["id"] == model), None)
    if found is None:
        raise ModelNotFound(
            f"There is no model {model!r}. GET /v1/models lists the models and agents that you can use."
        )
    return JSONResponse(found)


async def _models(chats: StatelessChats) -> list[dict[str, object]]:
    models = await chats.models.listing(chats.caller.account_id)
    return [
        *(_entry(one["name"], one["name"], one["provider"] or "retinue") for one in models),
        *(_entry(model, name, "agent") for model, name in await chats.agents()),
    ]


def _embedding_model() -> list[dict[str, object]]:
    return [_entry(EMBEDDING, EMBEDDING, "retinue")] if included_model() else []


def _entry(model: str, name: str, owner: str) -> dict[str, object]:
    return {"id": model, "object": "model", "created": 0, "owned_by": owner, "name": name}
