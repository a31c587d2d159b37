"""The endpoint of the Model Context Protocol (streamable HTTP)."""

import secrets
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import JSONResponse, Response

from retinue.auth.services import of_caller
from retinue.core.errors import InsufficientScope, MethodNotAllowed
from retinue.core.http.operations import Api
from retinue.core.http.request_body import BadBody, read_body
from retinue.interop.mcp.calls import CallResponse
from retinue.interop.mcp.elicitation import asks_by_form
from retinue.interop.mcp.messages import (
    INVALID_REQUEST,
    ClientResponse,
    Message,
    ProtocolError,
    check_headers,
    error_body,
    read_message,
)
from retinue.interop.mcp.selection import read_selection
from retinue.interop.mcp.server import McpServer

BASE = "/mcp"
_SESSION = "mcp-session-id"
_ASKS = ".form"
"""The end of the session IDs of clients that can show forms to their users."""

ServerOfCaller = Annotated[McpServer, Depends(of_caller(McpServer))]

api = Api("mcp", base=BASE)


@api.post("", scope="", raw_body=True, include_in_schema=False)
async def answer_mcp(request: Request, server: ServerOfCaller) -> Response:
    """Answer a message. Each method and each tool has a scope of its own, which `McpServer` checks."""
    _check_origin(request)
    try:
        message = read_message(await read_body(request))
    except BadBody as error:
        return JSONResponse(error_body(ProtocolError(INVALID_REQUEST, str(error))), 400)
    except ProtocolError as error:
        return JSONResponse(error_body(error), 400)
    if isinstance(message, ClientResponse):
        await server.take(message)
        return Response(status_code=202)
    try:
        message = check_headers(message, request.headers)
    except ProtocolError as error:
        return JSONResponse(message.error(error), 400)
    try:
        return await _answer(request, server, message)
    except ProtocolError as error:
        return JSONResponse(message.error(error), message.status_of(error))


@api.get("", scope="", include_in_schema=False)
async def open_mcp_stream() -> Response:
    """Refuse a stream of messages that no request asked for: the server sends none."""
    raise MethodNotAllowed("This server sends no messages of its own. Send requests with POST.", "POST")


@api.delete("", scope="", include_in_schema=False)
async def end_mcp_session() -> Response:
    """End a session. The server keeps none."""
    return Response(status_code=204)


async def _answer(request: Request, server: McpServer, message: Message) -> Response:
    session = request.headers.get(_SESSION, "")
    if message.id is None:
        if session and message.cancelled_id is not None:
            server.running.cancel(server.key_of(session, message.cancelled_id))
        return Response(status_code=202)
    selection = read_selection(request.query_params)
    if message.method != "tools/call":
        result = JSONResponse(message.result(await server.answer(message, selection)))
        if message.method == "initialize":
            # It is not stored: with the id of a request it names a call, which the client can then cancel.
            asks = _ASKS if asks_by_form(message.params.get("capabilities")) else ""
            result.headers[_SESSION] = secrets.token_urlsafe(18) + asks
        return result
    may_stream = "text/event-stream" in request.headers.get("accept", "")
    may_ask = asks_by_form(message.client_capabilities) if message.standalone else session.endswith(_ASKS)
    work = server.prepare(message, selection, may_ask=may_ask and (may_stream or message.standalone))
    call = CallResponse(message, work, server.key_of(session, message.id))
    if session:
        server.running.add(call)
    return await call.respond(may_stream=may_stream)


def _check_origin(request: Request) -> None:
    """Raise `InsufficientScope` for a page of another site in a browser, which might not be the user's own client."""
    origin = request.headers.get("origin", "")
    if origin and origin.partition("://")[2] != request.url.netloc:
        raise InsufficientScope("Requests from pages of other sites are not accepted.")
