"""A small website on this machine that tests change while it runs."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import ThreadingHTTPServer

from tests.support.http_server import QuietHandler, running


@dataclass
class Answer:
    """What a path answers. An HTML page without a status has an ETag, and answers 304 to it."""

    body: str | bytes
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    location: str = ""


@dataclass
class Site:
    """The pages by path, and the requests that came in order, as path and status, with their headers."""

    url: str
    pages: dict[str, Answer] = field(default_factory=dict)
    requests: list[tuple[str, int]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def page(self, path: str, title: str, text: str, *links: str) -> None:
        """Set a page with a title, a text and links."""
        anchors = " ".join(f'<a href="{link}">{link}</a>' for link in links)
        head = f"<!doctype html><html><head><title>{title}</title></head>"
        self.pages[path] = Answer(f"{head}<body><h1>{title}</h1><p>{text}</p><nav>{anchors}</nav></body></html>")

    def statuses_of(self, path: str) -> list[int]:
        """Return the statuses of all answers of a path."""
        return [status for requested, status in self.requests if requested == path]


@contextmanager
def running_site() -> Iterator[Site]:
    """Serve a website on a free port."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer = site.pages.get(self.path) or Answer("not here", 404)
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            body = gzip.compress(body) if self.path.endswith(".gz") else body
            tag = f'"{sha256(body).hexdigest()[:16]}"'
            status = 304 if answer.status == 200 and self.headers.get("If-None-Match") == tag else answer.status
            site.requests.append((self.path, status))
            site.headers.append(dict(self.headers))
            body = b"" if status == 304 else body
            location = {"Location": answer.location} if answer.location else {}
            self.respond(body, {"ETag": tag, "Content-Type": answer.kind, **location}, status)

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        site = Site(f"http://127.0.0.1:{server.server_port}")
        yield site
