"""Bodies that never end, from senders without a credential, hold little memory."""

from contextlib import ExitStack
from pathlib import Path

import psutil

from tests.conftest import ONE_DATABASE, StartServer
from tests.support.raw import connect
from tests.support.server import Server
from tests.support.waiting import eventually

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
PUBLIC = [("/sign-in", FORM), ("/oauth/token", FORM), ("/oauth/authorize", FORM), ("/api/auth.php", JSON)]
EACH = 40
"""Connections to each address."""

SENT = 1_000_000
"""Bytes that each connection sends of a body that is a little longer."""


def public_head(path: str, kind: str, length: int) -> bytes:
    """Return the head of a request of the server's own page."""
    headers = [f"POST {path} HTTP/1.1", "Host: a", f"Content-Type: {kind}", f"Content-Length: {length}"]
    return "\r\n".join([*headers, "Sec-Fetch-Site: same-origin", "", ""]).encode()


def unread(server: Server) -> int:
    """Return how many bytes wait in the kernel for the server to read them (proc(5), /proc/net/tcp)."""
    port = f":{int(server.url.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(int(row[4].partition(":")[2], 16) for row in rows if row[1].endswith(port))


def test_unfinished_forms_hold_little_memory(start_server: StartServer) -> None:
    server = start_server()
    assert server.process
    process = psutil.Process(server.process.pid)
    with ExitStack() as stack:
        for path, kind in PUBLIC:  # What the first requests load does not count.
            connection = stack.enter_context(connect(server))
            connection.sendall(public_head(path, kind, SENT) + bytes(1))
        before = process.memory_info().rss
        for path, kind in PUBLIC:
            for _ in range(EACH):
                connection = stack.enter_context(connect(server))
                connection.sendall(public_head(path, kind, SENT + 10) + bytes(SENT))
        eventually(lambda: unread(server) == 0)
        grown = process.memory_info().rss - before
        assert grown < len(PUBLIC) * EACH * SENT / 2, f"{grown:,} bytes"


@ONE_DATABASE
def test_a_public_form_is_at_most_16_kib(server: Server) -> None:
    for path, kind in PUBLIC:
        with connect(server) as connection:
            size = (16 << 10) + 1
            connection.sendall(public_head(path, kind, size) + b"a" * size)
            answer = connection.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 400 "), (path, answer)
        assert b"16 KiB" in answer
