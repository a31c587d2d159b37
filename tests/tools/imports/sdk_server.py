"""MCP servers made with the protocol's own SDK, on a free port of this machine: one at each of several paths."""

import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import mcp_types as types
import orjson
import uvicorn
from mcp.server.lowlevel import Server as PlainServer
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel, Field
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import TypedDict

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)
"""A PNG image of one pixel."""

TOKEN = "sesame-41c8-open"
NEWEST = "2026-07-28"
READS = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
KEEPS = types.ToolAnnotations(destructive_hint=False, idempotent_hint=True)


class Weather(TypedDict):
    """What the sky does."""

    city: str
    celsius: Annotated[float, Field(description="Degrees")]


def weather(
    city: Annotated[str, Field(description="Name of a city", min_length=1)],
    days: Annotated[int, Field(ge=1, le=9)] = 3,
) -> Weather:
    """Tell the weather of the coming days."""
    return {"city": city, "celsius": days * 1.5}


def add(a: int, b: int) -> str:
    """Add two numbers."""
    return f"{a} + {b} = {a + b}"


def fail(reason: str) -> str:
    """Fail as told."""
    raise ToolError(reason)


def picture() -> list[Any]:
    """Draw."""
    return ["A pixel.", Image(data=PIXEL, format="png")]


def sources() -> list[types.EmbeddedResource | types.ResourceLink]:
    """Tell of resources."""
    blob = types.BlobResourceContents(uri="data:b", mime_type="application/pdf", blob="JVBERg==")
    return [
        types.EmbeddedResource(
            type="resource", resource=types.TextResourceContents(uri="note:a", mime_type="text/plain", text="Hello")
        ),
        types.EmbeddedResource(type="resource", resource=blob),
        types.ResourceLink(type="resource_link", uri="https://example.com/a", name="a", description="The first."),
    ]


def header(name: str, ctx: Context) -> str:
    """Tell a header of the request."""
    request = ctx.request_context.request
    return str(request.headers.get(name)) if request else ""


async def chatter(ctx: Context) -> str:
    """Say a lot before the answer."""
    for number in range(5):
        await ctx.report_progress(number, 5)
    return "done"


async def ping(ctx: Context) -> str:
    """Ask whether the client is there."""
    within = ServerMessageMetadata(related_request_id=ctx.request_id)
    await ctx.session.send_request(types.PingRequest(), types.EmptyResult, metadata=within)
    return "there"


class Seat(BaseModel):
    """A form."""

    seat: Literal["12A", "12C"]
    bags: Annotated[int, Field(ge=0, le=3)] = 1


class Confirmation(BaseModel):
    """Another form."""

    sure: bool


async def book(city: str, ctx: Context) -> str:
    """Book a flight after two questions, of which the second depends on the answer to the first."""
    chosen = await ctx.elicit(f"Which seat to {city}?", Seat)
    if chosen.action != "accept":
        return chosen.action
    confirmed = await ctx.elicit(f"Book {chosen.data.seat}?", Confirmation)
    sure = confirmed.action == "accept" and confirmed.data.sure
    return f"{city} {chosen.data.seat} {chosen.data.bags} {sure}"


async def rebook(ctx: Context) -> str:
    """Ask without a relation to the call, as some servers do, so that the question goes into another stream."""
    form = types.ElicitRequestFormParams(
        message="Sure?", requested_schema={"type": "object", "properties": {"sure": {"type": "boolean"}}}
    )
    answer = await ctx.session.send_request(types.ElicitRequest(params=form), types.ElicitResult)
    return f"{answer.action} {answer.content}"


async def sign(ctx: Context) -> str:
    """Ask a person to open a page."""
    return (await ctx.elicit_url("Sign the form.", "https://sign.example.com/form?id=7", "7")).action


def route(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})], size: int) -> str:
    """Take an argument that a header repeats."""
    return f"{region} {size}"


def everyday_server() -> MCPServer[Any]:
    """A server with a tool of each sort."""
    server: MCPServer[Any] = MCPServer("stand-in", version="1", log_level="ERROR")
    server.add_tool(weather, title="The weather", annotations=READS)
    server.add_tool(add, annotations=KEEPS)
    for function in (fail, picture, sources, header, chatter, ping, book, rebook, sign, route):
        server.add_tool(function, structured_output=False)
    return server


def _page() -> PlainServer[Any]:
    """A server of 200 tools in pages of 30."""

    async def page(_: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        start = int(params.cursor) if params and params.cursor else 0
        fields = {f"field_{number}": {"type": "string", "description": "One of many."} for number in range(10)}
        listed = [
            types.Tool(
                name=f"thing.change-{number}",
                description="Change a thing and leave every other as it was. " * 5,
                input_schema={"type": "object", "properties": fields, "required": ["field_3"]},
            )
            for number in range(start, min(start + 30, 200))
        ]
        return types.ListToolsResult(tools=listed, next_cursor=str(start + 30) if start + 30 < 200 else None)

    async def call(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])

    return PlainServer("paged", on_list_tools=page, on_call_tool=call)


@dataclass
class SdkServer:
    """The running servers: `calls` are the requests that came, with what each was answered."""

    port: int = 0
    calls: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def url(self, kind: str) -> str:
        """Where the server of that kind is: `stream`, `json`, `stateless`, `newest`, `closed` or `paged`."""
        return f"http://127.0.0.1:{self.port}/{kind}"

    def sessions(self) -> list[str]:
        """The ids of sessions that requests named, in order, each once."""
        named = (headers.get("mcp-session-id") for _, _, headers in self.calls)
        return list(dict.fromkeys(one for one in named if one))


_ONLY = {"/newest": True, "/stream": False, "/json": False, "/stateless": False}
"""The servers that speak one kind of revisions: whether that is the newest. The others speak both."""


class _Front:
    """Passes a request on to the server at its path, and notes it."""

    def __init__(self, shown: SdkServer) -> None:
        self._shown = shown
        self._apps: dict[str, ASGIApp] = {}
        self._stack = AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self._shown.calls.append((scope["method"], scope["path"], headers))
        if scope["path"] == "/closed" and headers.get("authorization") != f"Bearer {TOKEN}":
            await _say(send, 401, b"")
        elif scope["path"] in _ONLY and (headers.get("mcp-protocol-version") == NEWEST) != _ONLY[scope["path"]]:
            supported = [NEWEST] if _ONLY[scope["path"]] else ["2025-11-25"]
            error = {"code": -32022, "message": "Unsupported protocol version", "data": {"supported": supported}}
            await _say(send, 400, orjson.dumps({"jsonrpc": "2.0", "id": 1, "error": error}))
        else:
            await self._apps[scope["path"]](scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._stack:
            for kind in ("stream", "json", "stateless", "newest", "closed", "paged"):
                server = _page() if kind == "paged" else everyday_server()
                app: Starlette = server.streamable_http_app(
                    streamable_http_path=f"/{kind}", json_response=kind == "json", stateless_http=kind == "stateless"
                )
                await self._stack.enter_async_context(server.session_manager.run())
                self._apps[f"/{kind}"] = app
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


async def _say(send: Callable[[Message], Awaitable[None]], status: int, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def running_sdk_server() -> Iterator[SdkServer]:
    """Run them on a thread of its own."""
    shown = SdkServer()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        shown.port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(_Front(shown), lifespan="on", log_config=None))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield shown
        finally:
            server.should_exit = True
            thread.join(120)
