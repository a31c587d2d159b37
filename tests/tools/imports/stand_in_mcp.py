"""A made-up MCP server on a free port of this machine that keeps what came, and answers as told, however badly."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any, Literal

import orjson

from tests.support.http_server import QuietHandler, running

Json = dict[str, Any]
EVENTS = {"Content-Type": "text/event-stream"}


@dataclass(frozen=True)
class Said:
    """An answer: what it begins with, and what becomes of it then."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    then: Literal["ends", "hangs", "goes on"] = "ends"


def result(message: Json, value: Any) -> Json:
    """The response to a request."""
    return {"jsonrpc": "2.0", "id": message.get("id"), "result": value}


def error(message: Json, code: int, words: str) -> Json:
    """The response to a request that failed."""
    return {"jsonrpc": "2.0", "id": message.get("id"), "error": {"code": code, "message": words}}


def phrase(message: Json, status: int = 200, session: str | None = None) -> Said:
    """A message as JSON, which may begin a session."""
    headers = {"Content-Type": "application/json"} | ({"Mcp-Session-Id": session} if session else {})
    return Said(orjson.dumps(message), status, headers)


def stream(*messages: Json, then: Literal["ends", "hangs", "goes on"] = "ends") -> Said:
    """Messages as events."""
    return Said(b"".join(b"data: " + orjson.dumps(one) + b"\n\n" for one in messages), headers=EVENTS, then=then)


@dataclass(frozen=True)
class Heard:
    """One request."""

    method: str
    headers: dict[str, str]
    message: Json
    target: str


class StandInMcp(ThreadingHTTPServer):
    """Answers `answers[method]` of JSON-RPC or of HTTP, else as a server with `tools` does whose calls echo."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, Callable[[Json], Said]] = {}
        self.tools: list[Any] = [{"name": "echo", "inputSchema": {"type": "object"}}]
        self.heard: list[Heard] = []
        self.ending = threading.Event()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def methods(self) -> list[str]:
        """What was asked of it, in order: the methods of messages, or of HTTP where there was no message."""
        return [one.message.get("method") or one.method for one in self.heard]

    def last(self, method: str) -> Heard:
        """The latest message of a method."""
        return next(one for one in reversed(self.heard) if one.message.get("method") == method)

    def answer(self, http_method: str, message: Json) -> Said:
        """What is said to a message."""
        method = message.get("method") or http_method
        if method in self.answers:
            return self.answers[method](message)
        match method:
            case "initialize":
                version = message["params"]["protocolVersion"]
                hello = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "stand-in"}}
                return phrase(result(message, hello), session=f"s-{len(self.heard)}")
            case "tools/list":
                return phrase(result(message, {"tools": self.tools}))
            case "tools/call":
                words = orjson.dumps(message["params"]["arguments"]).decode()
                return phrase(result(message, {"content": [{"type": "text", "text": words}]}))
            case _:
                return Said(status=405 if http_method == "GET" else 202)


class _Handler(QuietHandler):
    server: StandInMcp

    def _answer(self) -> None:
        body = self.read_body()
        message = orjson.loads(body) if body else {}
        self.server.heard.append(
            Heard(self.command, {k.lower(): v for k, v in self.headers.items()}, message, self.path)
        )
        told = self.server.answer(self.command, message)
        self.send_response(told.status)
        for name, value in told.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(told.body)
        self.wfile.flush()
        if told.then == "hangs":
            self.server.ending.wait(90)
        while told.then == "goes on" and not self.server.ending.is_set():
            self.wfile.write(b'data: {"jsonrpc": "2.0", "method": "notifications/message"}\n\n' * 1000)

    do_GET = do_POST = do_DELETE = _answer

    def handle(self) -> None:
        """Bear with clients that go away."""
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


@contextmanager
def running_stand_in() -> Iterator[StandInMcp]:
    """Run one on a thread of its own."""
    with running(StandInMcp()) as server:
        try:
            yield server
        finally:
            server.ending.set()
