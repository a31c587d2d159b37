"""Uploads in progress count against the account's quota until they end in any way."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.conftest import NewUser, StartServer
from tests.files.support import MIB, stored, upload_bare
from tests.files.test_files import PLANS
from tests.support.client import Client, data, refuse
from tests.support.raw import connect, head
from tests.support.server import Server
from tests.support.waiting import eventually

QUOTA = 2 * MIB
HALF = b"x" * (MIB // 2)


@pytest.fixture
def server(start_server: StartServer, tmp_path: Path) -> Server:
    """A server on which the plan `free` includes 2 MiB of storage."""
    plans = tmp_path / "plans.toml"
    plans.write_text(PLANS.read_text().replace("storage_mb = 100", "storage_mb = 2"))
    return start_server(RETINUE_PLANS_FILE=str(plans))


@pytest.fixture
def client(server: Server, new_user: NewUser) -> Client:
    """A client on that plan."""
    made: Client = new_user(server, plan="free").client()
    return made


def announce(client: Client, size: int, *headers: str) -> bytes:
    """Return the first half of an upload with a declared length."""
    return head(client, "/files", f"Content-Length: {size}", *headers) + HALF[: size // 2]


def chunk(client: Client, size: int) -> bytes:
    """Return the beginning of an upload without a declared length, with `size` bytes of its content."""
    return head(client, "/files", "Transfer-Encoding: chunked") + b"%x\r\n" % size + b"x" * size + b"\r\n"


@contextmanager
def arriving(server: Server, *beginnings: bytes) -> Iterator[None]:
    """Start uploads that stall. Their connections are closed at the end."""
    with ExitStack() as stack:
        for beginning in beginnings:
            stack.enter_context(connect(server)).sendall(beginning)
        eventually(lambda: len(stored(server)) >= len(beginnings))
        yield


def incoming(server: Server) -> list[Path]:
    """Return the temporary files of unfinished uploads."""
    return list((server.home / "files/incoming").iterdir())


@pytest.mark.parametrize(("begin", "written"), [(announce, MIB // 4), (chunk, MIB + MIB // 4)])
def test_an_upload_takes_room_until_its_client_disconnects(
    server: Server, client: Client, new_user: NewUser, begin: Callable[[Client, int], bytes], written: int
) -> None:
    other = new_user(server, plan="free").client()
    with arriving(server, begin(client, MIB + MIB // 2)):
        eventually(lambda: sum(path.stat().st_size for path in incoming(server)) >= written)
        refuse(client.request("POST", "/files", data=b"x" * MIB), 400, "storage_mb")
        upload_bare(client, b"x" * (MIB // 4))
        upload_bare(other, b"x" * QUOTA)
        assert data(other.get("/agents")) == []
    eventually(lambda: not incoming(server))
    # The file disappears an instant before the account's room is returned.
    eventually(lambda: upload_bare(client, b"x" * MIB))


def test_many_that_announce_much_are_refused_before_they_are_read(server: Server, client: Client) -> None:
    with ExitStack() as stack:
        connections = [stack.enter_context(connect(server)) for _ in range(8)]
        for connection in connections:
            connection.sendall(head(client, "/files", f"Content-Length: {QUOTA}", "Expect: 100-continue"))
        answers = [connection.recv(65_536) for connection in connections]
    assert sum(b" 400 " in answer and b"storage_mb" in answer for answer in answers) == 7, answers
    eventually(lambda: not incoming(server))


def test_uploads_at_once_are_bounded(server: Server, client: Client, new_user: NewUser) -> None:
    other = new_user(server, plan="free").client()
    with arriving(server, *[announce(client, 100)] * 128):
        refuse(client.request("POST", "/files", data=b"x"), 429, "128 uploads")
        upload_bare(other, b"x")
    eventually(lambda: not incoming(server))
    eventually(lambda: upload_bare(client, b"x"))


def test_whatever_its_end_an_upload_gives_its_room_back(server: Server, client: Client) -> None:
    form = {"Content-Type": "multipart/form-data; boundary=xyz"}
    for _ in range(3):
        refuse(client.request("POST", "/files", data=b"x" * (QUOTA - 1), headers=form), 400, "form")
        kept = upload_bare(client, b"x" * QUOTA)
        client.delete(f"/files/{kept['id']}")
    with arriving(server, announce(client, QUOTA)):
        server.kill()
    server.start()
    assert stored(server) == []
    upload_bare(client, b"x" * QUOTA)
    assert "All is well." in server.cli("check")
