"""Routes of Anthropic's API."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller
from retinue.core.http.operations import Api
from retinue.interop.anthropic.messages import AnthropicMessage, count_tokens, read_request
from retinue.interop.anthropic.schemas import CountRequest, MessagesRequest
from retinue.interop.attachments import MAX_BODY
from retinue.interop.stateless_chats import StatelessChats
from retinue.runs.watching.sse_responses import stream_frames

BASE = "/v1/messages"

ChatsOfCaller = Annotated[StatelessChats, Depends(of_caller(StatelessChats))]

api = Api("anthropic", base=BASE)


@api.post("", scope="chat:write", max_body=MAX_BODY, streams=True, include_in_schema=False)
async def create_message(body: MessagesRequest, chats: ChatsOfCaller) -> Response:
    """Answer a conversation that the client keeps, by a model or by an agent."""
    answer = AnthropicMessage(await chats.start(read_request(body)), body.model)
    if body.stream:
        return await stream_frames(answer.live, chats.dispatch.runner, answer.frames())
    return JSONResponse(await answer.result())


@api.post("/count_tokens", scope="chat:write", max_body=MAX_BODY, include_in_schema=False)
async def count_message_tokens(body: CountRequest) -> Response:
    """Estimate the tokens of a request."""
    return JSONResponse({"input_tokens": count_tokens(body)})
