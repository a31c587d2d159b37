"""Somebody else's API: an HTTP server on a free port of this machine that keeps what came, and answers as told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import orjson

from tests.support.http_server import QuietHandler, running


@dataclass(frozen=True)
class Answer:
    """What a path says, its body `times` over. One that `hangs` says it when the server ends."""

    body: bytes = b'{"ok": true}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    hangs: bool = False
    times: int = 1


@dataclass(frozen=True)
class Received:
    """One request: `target` is its path with its query."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)


class StandInApi(ThreadingHTTPServer):
    """Answers `answers[path]`, else that all is well."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, Answer] = {}
        self.received: list[Received] = []
        self.sent = 0
        """The number of bytes of bodies that were sent."""
        self.ending = threading.Event()

    def url(self, path: str = "") -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self.server_port}{path}"

    def last(self) -> Received:
        """The latest request."""
        return self.received[-1]


class _Handler(QuietHandler):
    server: StandInApi
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.read_body()
        self.server.received.append(Received(self.command, self.path, dict(self.headers), body))
        answer = self.server.answers.get(urlsplit(self.path).path, Answer())
        if answer.hangs:
            self.server.ending.wait(30)
        self.send_response(answer.status)
        for name, value in {**answer.headers, "Content-Length": str(len(answer.body) * answer.times)}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # The client may have read enough.
            for _ in range(answer.times):
                self.server.sent += self.wfile.write(answer.body)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _answer


@contextmanager
def running_api() -> Iterator[StandInApi]:
    """Run one on a thread of its own."""
    with running(StandInApi()) as api:
        try:
            yield api
        finally:
            api.ending.set()
