"""A crash or a full disk during an upload leaves no partial file and no garbage."""

import os
import resource
import socket
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from retinue.core.errors import Unavailable
from retinue.files.store import FileStore
from tests.conftest import DATABASES, NewServer, NewUser, StartServer
from tests.core.test_disk_full import no_file_may_grow_past
from tests.files.support import MIB, stored, upload
from tests.support.client import BASE, Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually

HALF = 2 * MIB


def begin_upload(server: Server, key: str | None) -> socket.socket:
    """Send the first half of an upload."""
    address = urlsplit(server.url)
    connection = socket.create_connection((address.hostname or "", address.port or 0), timeout=120)
    head = f"POST {BASE}/files HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nContent-Length: {2 * HALF}\r\n\r\n"
    connection.sendall(head.encode() + b"x" * HALF)
    return connection


@pytest.mark.parametrize("database", DATABASES)
def test_a_kill_during_an_upload_leaves_nothing(database: str, start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(database)
    client = new_user(server).client()
    kept = upload(client, b"kept")
    with begin_upload(server, client.key):
        eventually(lambda: any(path.stat().st_size > MIB for path in stored(server)))
        server.kill()
    assert len(stored(server)) == 2
    server.start()
    assert [path.name for path in stored(server)] == [kept["id"]]
    assert [record["id"] for record in client.get("/files").json()["data"]] == [kept["id"]]
    assert "All is well." in server.cli("check")


@pytest.mark.parametrize("database", DATABASES)
def test_a_client_that_leaves_leaves_nothing(database: str, start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(database)
    client = new_user(server).client()
    with begin_upload(server, client.key):
        eventually(lambda: any(path.stat().st_size > MIB for path in stored(server)))
    eventually(lambda: stored(server) == [])
    assert client.get("/files").json()["meta"]["total"] == 0


@pytest.mark.parametrize("database", DATABASES)
def test_a_kill_before_the_row_leaves_no_file(
    database: str, new_server: NewServer, new_user: NewUser, request: pytest.FixtureRequest
) -> None:
    server = new_server(database).start()
    request.addfinalizer(server.close)
    client = new_user(server).client()
    server.restart(RETINUE_CRASH_AT="files.kept")
    key = {"Idempotency-Key": str(uuid.uuid4())}
    with pytest.raises(requests.ConnectionError):
        client.request("POST", "/files", data=b"x", headers=key)
    assert len(stored(server)) == 1
    assert server.process
    server.process.wait(120)
    server.process = None
    server.start()
    assert stored(server) == []
    assert client.get("/files").json()["data"] == []
    record = data(client.request("POST", "/files", data=b"x", headers=key), 201)
    assert [path.name for path in stored(server)] == [record["id"]]
    assert "All is well." in server.cli("check")


@pytest.mark.parametrize("database", DATABASES)
def test_a_kill_while_deleting_leaves_no_row_without_a_file(
    database: str, new_server: NewServer, new_user: NewUser, request: pytest.FixtureRequest
) -> None:
    server = new_server(database).start()
    request.addfinalizer(server.close)
    client = new_user(server).client()
    record = upload(client, b"x")
    server.restart(RETINUE_CRASH_AT="files.row_deleted")
    with pytest.raises(requests.ConnectionError):
        client.delete(f"/files/{record['id']}")
    assert len(stored(server)) == 1
    assert server.process
    server.process.wait(120)
    server.process = None
    server.start()
    assert stored(server) == []
    refuse(client.get(f"/files/{record['id']}"), 404)
    assert "All is well." in server.cli("check")


def test_a_shared_folder_is_swept_of_old_files_alone(
    start_server: StartServer, new_user: NewUser, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    server = start_server(RETINUE_FILES_DIR=str(shared))
    kept = upload(new_user(server).client(), b"kept")
    server.stop()
    names = {"incoming/old": True, "incoming/young": False, "zz/file_old_zz": True, "zz/file_young_zz": False}
    (shared / "zz").mkdir()
    for name, old in names.items():
        (shared / name).write_bytes(b"x")
        if old:
            os.utime(shared / name, (0, 0))
    os.utime(shared / kept["id"][-2:] / kept["id"], (0, 0))
    server.start()
    left = {path.name for path in shared.rglob("*") if path.is_file()}
    assert left == {"young", "file_young_zz", kept["id"]}


def test_a_full_disk_is_unavailable_and_leaves_nothing(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client = new_user(server).client()
    assert server.process
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (8 * MIB, before[1]))
    refuse(client.request("POST", "/files", data=b"x" * (9 * MIB)), 503, "could not be stored")
    assert stored(server) == []
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
    assert upload(client, b"x" * (9 * MIB))["size"] == 9 * MIB
    assert "All is well." in server.cli("check")


async def test_the_last_block_needs_room_too(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    await store.create()
    with no_file_may_grow_past(100):
        async with store.receive(MIB) as upload:
            await upload.write(b"x" * 101)
            with pytest.raises(Unavailable, match="File too large"):
                await upload.finish()
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []


def test_uploads_survive_a_clean_restart(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client: Client = new_user(server).client()
    record = upload(client, b"Hello")
    server.restart()
    assert client.get(f"/files/{record['id']}/content").content == b"Hello"


async def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(Unavailable, match="RETINUE_FILES_DIR"):
        await FileStore(tmp_path / "taken" / "files").create()
