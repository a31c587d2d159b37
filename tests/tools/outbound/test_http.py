"""The tools' HTTP client, through workers: redirects, bounds, compression, charsets, TLS and time."""

import gzip
import socketserver
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import ip_network
from threading import Event, Thread
from typing import Any

import pytest
import pytest_asyncio

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.core.network.http_client import AddressGuard
from retinue.tools.execution.pool import ToolPool
from retinue.tools.verification.mock_web_server import stand_ins
from tests.tools.executors import ON_ONE_LOOP
from tests.tools.made_up import HERE, make_tool

pytestmark = ON_ONE_LOOP
GET = make_tool("get", module="network_tools", open_world=True, memory_mb=512)
POST = make_tool("post", module="network_tools", open_world=True, memory_mb=512)
ELSEWHERE = "http://127.0.0.2:9/secret"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ToolPool]:
    """A pool whose tools may reach 127.0.0.1 alone."""
    scratch = tmp_path_factory.mktemp("pool") / "scratch"
    tools = ToolPool(1, paths=[str(HERE)], guard=AddressGuard([ip_network("127.0.0.1/32")]), scratch=scratch)
    await tools.start()
    yield tools
    await tools.stop()


def page(body: str, status: int = 200, **headers: str) -> dict[str, Any]:
    return {"body": body, "status": status, "headers": {name.replace("_", "-"): text for name, text in headers.items()}}


@contextmanager
def raw_server(*parts: bytes, pause_s: float = 0.0) -> Iterator[str]:
    """Sends these bytes to whoever asks, with pauses between them, and ends; gives its address."""
    over = Event()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            for part in parts:
                self.wfile.write(part)
                over.wait(pause_s)

        def finish(self) -> None:
            self.connection.close()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hangs up is what these tests are about."""

    with Server(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            over.set()
            server.shutdown()


def answer(body: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


async def fails(pool: ToolPool, kind: type[RetinueError], url: str, **wishes: Any) -> str:
    with pytest.raises(kind) as failure:
        await pool.execute(GET, {"url": url, **wishes})
    return failure.value.message


async def test_redirects_are_followed_and_told(pool: ToolPool) -> None:
    site = {"/a": page("", 301, Location="/b"), "/b": page("", 307, Location="c"), "/c": page("here")}
    with stand_ins({"site": site}) as marks:
        address = marks["{site}"]
        got = await pool.execute(GET, {"url": f"{address}/a"})
        assert got["redirects"] == [[301, f"{address}/a"], [307, f"{address}/b"]]
        assert (got["status"], got["text"], got["url"]) == (200, "here", f"{address}/c")
        unfollowed = await pool.execute(GET, {"url": f"{address}/a", "follow": 0})
        assert (unfollowed["status"], unfollowed["redirects"]) == (301, [])
        assert "redirects more than 1" in await fails(pool, ValidationFailed, f"{address}/a", follow=1)


@pytest.mark.parametrize("target", [ELSEWHERE, "http://2130706434/", "http://169.254.169.254/latest", "//127.0.0.2:9/"])
async def test_a_redirect_meets_the_guard(pool: ToolPool, target: str) -> None:
    with stand_ins({"site": {"/": page("", 302, Location=target)}}) as marks:
        assert "not a public address" in await fails(pool, ValidationFailed, marks["{site}"])


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/", "//["])
async def test_a_redirect_leaves_http_for_nothing(pool: ToolPool, target: str) -> None:
    with stand_ins({"site": {"/": page("", 302, Location=target)}}) as marks:
        assert "not a web address" in await fails(pool, ValidationFailed, marks["{site}"])


@pytest.mark.parametrize(("status", "sent"), [(307, "POST hello"), (308, "POST hello"), (302, "GET "), (303, "GET ")])
async def test_the_method_after_a_redirect_of_a_post(pool: ToolPool, status: int, sent: str) -> None:
    site = {"/": page("", status, Location="/to"), "/to": page("{method} {sent}")}
    with stand_ins({"site": site}) as marks:
        got = await pool.execute(POST, {"url": marks["{site}"], "text": "hello", "headers": {}})
    assert got["text"] == sent


async def test_credentials_stay_with_their_origin(pool: ToolPool) -> None:
    seen = page("{authorization}|{cookie}|{x-other}")
    headers = {"Authorization": "Bearer mine", "Cookie": "a=1", "X-Other": "kept"}
    with stand_ins({"site": {"/seen": seen, "/same": page("", 307, Location="/seen")}}) as target:
        location = f"{target['{site}']}/seen"
        with stand_ins({"site": {"/": page("", 307, Location=location)}}) as marks:
            away = await pool.execute(POST, {"url": marks["{site}"], "text": "", "headers": headers})
        here = await pool.execute(POST, {"url": f"{target['{site}']}/same", "text": "", "headers": headers})
    assert away["text"] == "{authorization}|{cookie}|kept"
    assert here["text"] == "Bearer mine|a=1|kept"


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_bodies_are_decompressed(pool: ToolPool, name: str, pack: Any) -> None:
    packed = pack(b"tea " * 1000)
    with raw_server(answer(packed, f"Content-Encoding: {name}")) as url:
        got = await pool.execute(GET, {"url": url})
    assert (got["length"], got["transferred"]) == (4000, len(packed))


async def test_a_bomb_is_cut_before_it_unfolds(pool: ToolPool) -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 2**27))
    with raw_server(answer(bomb, "Content-Encoding: gzip, gzip")) as url:
        with pytest.raises(ValidationFailed, match="larger than 1 MiB"):
            await pool.execute(replace(GET, memory_mb=96), {"url": url, "max_bytes": 2**20})
        got = await pool.execute(GET, {"url": url, "max_bytes": 1000, "whole": False})
    assert (got["length"], got["cut"]) == (1000, True)


async def test_a_body_as_long_as_allowed_is_taken(pool: ToolPool) -> None:
    with raw_server(answer(b"x" * 1000)) as url:
        assert (await pool.execute(GET, {"url": url, "max_bytes": 1000}))["length"] == 1000
        assert "larger than" in await fails(pool, ValidationFailed, url, max_bytes=999)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("Grüße".encode(), "text/plain; charset=utf-8"),
        ("Grüße".encode("iso-8859-1"), 'text/plain; charset="ISO-8859-1"'),
        ("Grüße".encode("windows-1252"), "text/plain"),
        ("Grüße".encode("utf-16"), "text/plain"),
        ("<meta charset=iso-8859-15>Grüße".encode("iso-8859-15"), "text/html"),
        ("Grüße".encode(), "text/plain; charset=hex"),
        ("Grüße".encode(), "text/plain; charset=nonsense"),
    ],
)
async def test_text_is_decoded_by_its_charset(pool: ToolPool, body: bytes, content_type: str) -> None:
    with raw_server(answer(body, f"Content-Type: {content_type}")) as url:
        assert (await pool.execute(GET, {"url": url}))["text"].endswith("Grüße")


@pytest.mark.parametrize(
    "parts",
    [
        [b"HTTP/1.1 200 OK\r\n"] + [b"X: y\r\n"] * 100,
        [b"HTTP/1.1 200 OK\r\n\r\n"] + [b"x"] * 100,
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"] + [b"1\r\nx\r\n"] * 100,
        [b"", b""] * 50,
    ],
)
async def test_a_dripping_server_is_left_when_time_is_up(pool: ToolPool, parts: list[bytes]) -> None:
    with raw_server(*parts, pause_s=0.6) as url:
        start = time.monotonic()
        assert "within 1 s" in await fails(pool, Unavailable, url, timeout_s=1.0)
        assert time.monotonic() - start < 45  # the server takes 60 s


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\n" + b"a" * 70_000,
    ],
)
async def test_a_broken_answer_is_unavailable(pool: ToolPool, reply: bytes) -> None:
    with raw_server(reply) as url:
        assert "sent an invalid response" in await fails(pool, Unavailable, url)


async def test_a_host_that_cannot_be_reached_is_named(pool: ToolPool) -> None:
    message = await fails(pool, Unavailable, "http://no-such-name.invalid/")
    assert message == "no-such-name.invalid cannot be reached: no address is known for this name; check its spelling."


async def test_a_body_that_contradicts_its_headers_is_unavailable(pool: ToolPool) -> None:
    with raw_server(answer(b"not gzip at all", "Content-Encoding: gzip")) as url:
        assert "sent an invalid response" in await fails(pool, Unavailable, url)


async def test_a_certificate_that_nobody_vouches_for_is_refused(pool: ToolPool) -> None:
    servers = {"tls": {"kind": "tls", "answers": {"name": "localhost", "days": "9"}}}
    with stand_ins({"servers": servers}) as marks:
        assert "certificate of 127.0.0.1 is not valid" in await fails(
            pool, ValidationFailed, f"https://{marks['{tls}']}/"
        )


async def test_a_server_without_tls_is_refused_for_https(pool: ToolPool) -> None:
    with stand_ins({"site": {"/": page("x")}}) as marks:
        assert "no TLS version in common" in await fails(
            pool, ValidationFailed, marks["{site}"].replace("http:", "https:")
        )


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "ftp://example.com/", "http://", "http://[::1", "https://exa mple.com:x/",
     "javascript:alert(1)", "http://a.example:99999/", "http://" + "a" * 9000],
)  # fmt: skip
async def test_an_invalid_url_is_refused(pool: ToolPool, url: str) -> None:
    assert "not a web address" in await fails(pool, ValidationFailed, url)


@pytest.mark.parametrize(
    ("method", "headers"),
    [("GET\r\nX: y", {}), ("GET", {"X": "a\r\nY: b"}), ("GET", {"X\r\nY": "b"}), ("GET", {"X": "☕"})],
)
async def test_a_request_that_would_not_be_one_is_refused(pool: ToolPool, method: str, headers: dict[str, str]) -> None:
    with stand_ins({"site": {"/": page("x")}}) as marks:
        message = await fails(pool, ValidationFailed, marks["{site}"], method=method, headers=headers)
    assert "cannot be sent" in message


async def test_a_name_and_password_in_the_address_are_sent(pool: ToolPool) -> None:
    with stand_ins({"site": {"/": page("{authorization}")}}) as marks:
        url = marks["{site}"].replace("http://", "http://Aladdin:open%20sesame@")
        got = await pool.execute(GET, {"url": url})
    assert got["text"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
