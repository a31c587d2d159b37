"""Invalid bytes that no HTTP client sends."""

import random
from collections.abc import Callable, Sequence

Piece = bytes
_PATHS = (
    b"/api/v1/agents/%00", b"/api/v1/agents/%ff%fe", b"/api/v1/tools/%C3%28", b"/api/v1/%2e%2e/%2e%2e/etc/passwd",
    b"/\xff\xfe\x00\x01", b"/api/v1/agents?page=%FF&per_page=%00", b"/api/v1//agents", b"/api/v1/agents/" + b"9" * 5000,
    b"/api/v1/chat/" + b"%F0%9F%98%80" * 50, b"*", b"http://elsewhere.invalid/api/v1/agents",
    b"/api/v1/tools?q=%ed%a0%80",
    b"/%", b"/%zz", b"/api/v1/agents#part", b"/api/v1/agents;a=b", b"", b"/\x7f", b"/docs/%00",
)  # fmt: skip
_METHODS = (
    b"GET",
    b"POST",
    b"PUT",
    b"DELETE",
    b"PATCH",
    b"TRACE",
    b"CONNECT",
    b"OPTIONS",
    b"get",
    b"G\x00T",
    b"M" * 300,
)
_BODIES = (
    b"", b"{", b"null", b"[" * 100_000, b'{"a":' * 20_000, b"\xff\xfe", b'"\\ud800"', b'{"agent_name": "\\u0000"}',
    b'{"agent_name": 1e400}', b'{"fleet_id": 99999999999999999999999}', b"{}" * 1000, b"\x00" * 100,
)  # fmt: skip


def _line(chance: random.Random) -> bytes:
    version = chance.choice([b"HTTP/1.1", b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/9", b"", b"XTTP/1.1"])
    return b" ".join([chance.choice(_METHODS), chance.choice(_PATHS), version]) + b"\r\n"


def random_bytes(chance: random.Random, _: bytes) -> Sequence[Piece]:
    """Return random bytes that are not HTTP."""
    return [chance.randbytes(chance.randint(1, 4000))]


def strange_requests(chance: random.Random, headers: bytes) -> Sequence[Piece]:
    """Return a request with an odd method, path, version or body."""
    body = chance.choice(_BODIES)
    length = b"Content-Length: %d\r\nContent-Type: application/json\r\n" % len(body)
    return [_line(chance) + headers + length + b"\r\n" + body]


def half_requests(chance: random.Random, headers: bytes) -> Sequence[Piece]:
    """Return a request that is cut off anywhere."""
    whole = b"POST /api/v1/agents HTTP/1.1\r\n" + headers + b"Content-Length: 100\r\n\r\n" + b"{" * 50
    return [whole[: chance.randint(1, len(whole))]]


def huge_headers(chance: random.Random, headers: bytes) -> Sequence[Piece]:
    """Return a request with many headers, long ones, and invalid bytes in them."""
    many = b"".join(b"X-%d: %s\r\n" % (n, b"a" * chance.randint(0, 2000)) for n in range(chance.randint(1, 300)))
    odd = chance.choice(
        [b"X-Request-ID: \xff\xfe\r\n", b"Authorization: Bearer \x80\x81\r\n", b": empty\r\n", b"X Y: z\r\n", b""]
    )
    return [b"GET /api/v1/agents HTTP/1.1\r\n" + headers + odd + many + b"\r\n"]


def bad_chunks(chance: random.Random, headers: bytes) -> Sequence[Piece]:
    """Return a chunked body with wrong chunk sizes."""
    start = b"POST /api/v1/agents HTTP/1.1\r\n" + headers + b"Transfer-Encoding: chunked\r\n\r\n"
    return [
        start,
        chance.choice(
            [
                b"zz\r\n{}\r\n",
                b"-1\r\n",
                b"ffffffffffffffff\r\n{}",
                b"2\r\n{}{}{}\r\n0\r\n\r\n",
                b"2;x=\xff\r\n{}\r\n0\r\n",
            ]
        ),
    ]


def wrong_lengths(chance: random.Random, headers: bytes) -> Sequence[Piece]:
    """Return a request whose length does not match the body, or that has two lengths."""
    length = chance.choice([b"5", b"-1", b"99999999999999999999", b"abc", b"2\r\nContent-Length: 3", b"0x10", b"+2"])
    return [b"POST /api/v1/agents HTTP/1.1\r\n" + headers + b"Content-Length: " + length + b"\r\n\r\n{}"]


def pipelines(chance: random.Random, headers: bytes) -> Sequence[Piece]:
    """Return many pipelined requests."""
    one = b"GET /api/v1/agents HTTP/1.1\r\n" + headers + b"\r\n"
    return [one * chance.randint(2, 50) + _line(chance) + headers + b"\r\n"]


KINDS: Sequence[Callable[[random.Random, bytes], Sequence[Piece]]] = (
    random_bytes, strange_requests, half_requests, huge_headers, bad_chunks, wrong_lengths, pipelines,
)  # fmt: skip
