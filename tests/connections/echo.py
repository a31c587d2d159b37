"""A server that responds with everything it received."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson


class Echo(ThreadingHTTPServer):
    """Responds with a JSON object of the method, path, headers and body.

    `next_answers` are used first: a status with headers each.
    """

    daemon_threads = True

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


class _Handler(BaseHTTPRequestHandler):
    server: Echo
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = {"method": self.command, "path": self.path, "headers": headers, "body": body}
        self.server.received.append(sent)
        status, more = self.server.next_answers.pop(0) if self.server.next_answers else (200, {})
        content = orjson.dumps(sent)
        self.send_response(status)
        echoed = {"Content-Type": "application/json", "X-Path": self.path, "X-Sent": headers.get("authorization", "")}
        for name, value in {**echoed, **more, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  the names that the base class looks for

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  as in the base class
        """Log nothing."""


@contextmanager
def running_echo() -> Iterator[Echo]:
    """Run a server in its own thread."""
    with Echo() as echo:
        thread = threading.Thread(target=echo.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield echo
        finally:
            echo.shutdown()
