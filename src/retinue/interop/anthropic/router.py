"""Routes of Anthropic's API."""

from typing import Annotated, cast

from fastapi import Depends, Request
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller
from retinue.core.http.json_body import JsonRequest
from retinue.core.http.operations import Api
from retinue.core.idempotency.keys import RecordIds
from retinue.interop.anthropic.messages import AnthropicMessage, count_tokens, read_request
from retinue.interop.anthropic.schemas import CountRequest, MessagesRequest
from retinue.interop.attachments import MAX_BODY
from retinue.interop.stateless_chats import StatelessChats
from retinue.runs.watching.sse_responses import stream_frames, wait_while_connected

BASE = "/v1/messages"

ChatsOfCaller = Annotated[StatelessChats, Depends(of_caller(StatelessChats))]

api = Api("anthropic", base=BASE)


async def _recover_message(request: Request, effect: RecordIds) -> Response:
    body = MessagesRequest.model_validate(cast("JsonRequest", request).content)
    live = await (await of_caller(StatelessChats)(request)).find_ended(effect["run"])
    return JSONResponse(await AnthropicMessage(live, body.model).result())


@api.post("", scope="chat:write", max_body=MAX_BODY, streams=True, recover=_recover_message, include_in_schema=False)
async def create_message(body: MessagesRequest, request: Request, chats: ChatsOfCaller) -> Response:
    """Answer a conversation that the client keeps, by a model or by an agent."""
    answer = AnthropicMessage(await chats.start(read_request(body)), body.model)
    if body.stream:
        return await stream_frames(answer.live, chats.dispatch.runner, answer.frames())
    await wait_while_connected(request, answer.live, chats.dispatch.runner)
    return JSONResponse(await answer.result())


@api.post("/count_tokens", scope="chat:write", max_body=MAX_BODY, include_in_schema=False)
async def count_message_tokens(body: CountRequest) -> Response:
    """Estimate the tokens of a request."""
    return JSONResponse({"input_tokens": count_tokens(body)})
