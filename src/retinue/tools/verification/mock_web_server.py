"""Run loopback servers that replace the internet while the examples of tools run."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from retinue.tools.verification.mock_servers import listening


@contextmanager
def stand_ins(example: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Start the servers of an example, and yield the values of its marks. A server may refer to earlier ones."""
    with ExitStack() as stack:
        marks: dict[str, object] = {"{site}": stack.enter_context(site_of(example))}
        for name, listener in example.get("servers", {}).items():
            port = stack.enter_context(listening(listener["kind"], fill_marks(listener["answers"], marks)))
            marks |= {f"{{{name}}}": f"127.0.0.1:{port}", f"{{{name}.port}}": port}
        yield marks


@contextmanager
def site_of(example: Mapping[str, object]) -> Iterator[str]:
    """Serve the pages of an example, and yield the address; empty if it has no pages."""
    pages = example.get("site")
    if not pages:
        yield ""
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"pages": pages}))
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def fill_marks(value: Any, marks: Mapping[str, object]) -> Any:
    """Return a value, such as an example, with the marks in all its texts replaced; a text that is only a mark may
    become a number.
    """
    if isinstance(value, str):
        if value in marks:
            return marks[value]
        for mark, text in marks.items():
            value = value.replace(mark, str(text))
        return value
    if isinstance(value, Mapping):
        return {fill_marks(name, marks): fill_marks(part, marks) for name, part in value.items()}
    return [fill_marks(part, marks) for part in value] if isinstance(value, list | tuple) else value


class _Handler(BaseHTTPRequestHandler):
    """Answers every method with the page at the path.

    It replaces `{site}`, `{sent}` (the body of the request), `{method}`, and the request's headers by their
    lower-case names, as `{authorization}`.
    """

    pages: Mapping[str, Mapping[str, Any]]
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        page = self.pages.get(self.path, {"body": "Not found", "status": 404, "headers": {}})
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
        address = f"http://127.0.0.1:{self.connection.getsockname()[1]}"
        marks = {"{site}": address, "{sent}": sent, "{method}": self.command}
        marks |= {f"{{{name.lower()}}}": value for name, value in self.headers.items()}
        body = fill_marks(page["body"], marks).encode()
        self.send_response(page["status"])
        for name, value in fill_marks(page["headers"], marks).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def __getattr__(self, name: str) -> object:
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that is overridden
        """Log nothing."""
