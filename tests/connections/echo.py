"""A server that responds with everything it received."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

import orjson

from tests.support.http_server import QuietHandler, running


class Echo(ThreadingHTTPServer):
    """Responds with a JSON object of the method, path, headers and body.

    `next_answers` are used first: a status with headers each.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[dict[str, Any]] = []
        self.next_answers: list[tuple[int, dict[str, str]]] = []

    def url(self, path: str = "") -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self.server_port}{path}"

    def last(self) -> dict[str, Any]:
        """Return the latest request."""
        return self.received[-1]


class _Handler(QuietHandler):
    server: Echo
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.read_body().decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = {"method": self.command, "path": self.path, "headers": headers, "body": body}
        self.server.received.append(sent)
        status, more = self.server.next_answers.pop(0) if self.server.next_answers else (200, {})
        echoed = {"Content-Type": "application/json", "X-Path": self.path, "X-Sent": headers.get("authorization", "")}
        self.respond(orjson.dumps(sent), {**echoed, **more}, status)

    do_GET = do_POST = do_PUT = do_DELETE = _answer


@contextmanager
def running_echo() -> Iterator[Echo]:
    """Run a server in its own thread."""
    with running(Echo()) as echo:
        yield echo
