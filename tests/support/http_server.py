"""Parts of the HTTP servers that stand in for others."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, TypeVar

S = TypeVar("S", bound=HTTPServer)


class QuietHandler(BaseHTTPRequestHandler):
    """Handles requests and logs nothing."""

    def read_body(self) -> bytes:
        """Return the body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def respond(self, content: bytes, headers: Mapping[str, str], status: int = 200) -> None:
        """Send a whole response. Its length is added to `headers`."""
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def respond_json(self, value: Any, status: int = 200) -> None:
        """Send a JSON response."""
        self.respond(json.dumps(value).encode(), {"Content-Type": "application/json"}, status)

    def log_message(self, *_: object) -> None:
        """Write nothing to standard error."""


@contextmanager
def running(server: S) -> Iterator[S]:
    """Serve in a thread, and close the server at the end."""
    with server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
