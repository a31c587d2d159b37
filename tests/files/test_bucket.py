"""Files in a bucket instead of a folder."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from retinue.core.errors import Unavailable
from retinue.core.runtime.data_dir import DataDir
from retinue.files.bucket_store import BucketStore
from retinue.files.sweep import Sweep
from retinue.migrations.database import open_database
from tests.conftest import NewDatabase, NewServer, NewUser, StartServer
from tests.faults.nodes import MASTER_KEY
from tests.files.support import MIB, upload
from tests.support.bucket import PREFIX, Bucket, credentials, running_bucket
from tests.support.client import Client, data, refuse
from tests.support.server import Server

PARTS = b"0123456789abcdef" * (MIB * 12 // 16)
"""A content that is uploaded in several parts."""


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    """An empty bucket."""
    with running_bucket() as running:
        yield running


@pytest.fixture
async def store(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BucketStore:
    """A store of its files in this process."""
    for name, value in credentials(bucket.url).items():
        monkeypatch.setenv(name, value)
    made = BucketStore(bucket.env["RETINUE_FILES_URL"], tmp_path / "copies")
    await made.create()
    return made


def delete_copies(server: Server) -> None:
    """Delete the copies that a server keeps of the files in its bucket."""
    for folder in (server.home / "cache" / "files").iterdir():
        if folder.name != "incoming":
            shutil.rmtree(folder)


async def keep(store: BucketStore, file_id: str, content: bytes) -> None:
    """Store a file without a row."""
    async with store.receive(MIB) as arriving:
        await arriving.write(content)
        await arriving.finish()
        await store.keep(arriving, file_id)


def test_files_are_in_the_bucket(start_server: StartServer, new_user: NewUser, bucket: Bucket) -> None:
    server = start_server(**bucket.env)
    client = new_user(server).client()
    small, large = upload(client, b"a,b\n1,2\n", "a.csv", "text/csv"), upload(client, PARTS)
    assert sorted(bucket.names()) == sorted([small["id"], large["id"]])
    delete_copies(server)
    assert client.get(f"/files/{large['id']}/content").content == PARTS
    call = {"args": {"file": small["id"]}}
    assert data(client.post("/tools/file_detect_type/execute", call))["result"]["size"] == small["size"]
    assert "All is well." in server.cli("check")
    for record in (small, large):
        assert client.delete(f"/files/{record['id']}").status_code == 200
    assert bucket.names() == []


def test_the_workspace_is_in_the_bucket(start_server: StartServer, new_user: NewUser, bucket: Bucket) -> None:
    server = start_server(**bucket.env)
    client = new_user(server).client()
    write = {"args": {"path": "a/b.txt", "text": "two words"}}
    data(client.post("/tools/file_write/execute", write))
    delete_copies(server)
    assert len(bucket.names()) == 1
    read = data(client.post("/tools/file_read/execute", {"args": {"path": "a/b.txt"}}))
    assert read["result"]["text"] == "two words"


def test_servers_with_one_database_share_a_bucket(
    start_server: StartServer, new_user: NewUser, new_database: NewDatabase, bucket: Bucket, tmp_path: Path
) -> None:
    shared = {**bucket.env, "RETINUE_DATABASE_URL": str(new_database("postgresql", tmp_path))}
    shared["RETINUE_MASTER_KEY"] = MASTER_KEY
    first, second = start_server("postgresql", **shared), start_server("postgresql", **shared)
    here = new_user(first).client()
    record = upload(here, b"shared")
    there = Client(second, here.key)
    assert there.get(f"/files/{record['id']}/content").content == b"shared"
    assert there.delete(f"/files/{record['id']}").status_code == 200
    refuse(here.get(f"/files/{record['id']}/content"), 404)
    there.close()


def test_without_the_service_nothing_is_stored(start_server: StartServer, new_user: NewUser, bucket: Bucket) -> None:
    server = start_server(**bucket.env)
    client = new_user(server).client()
    record = upload(client, b"before")
    delete_copies(server)
    bucket.service.stop()
    form = {"files": {"file": ("a.txt", b"while", "text/plain")}}
    refuse(client.request("POST", "/files", **form), 503, "file storage")
    refuse(client.get(f"/files/{record['id']}/content"), 503, "file storage")
    assert client.get("/files").json()["meta"]["total"] == 1
    bucket.service.start()
    assert client.get(f"/files/{record['id']}/content").content == b"before"
    assert upload(client, b"after")["size"] == 5


async def test_files_without_a_row_and_unused_copies_are_swept(
    store: BucketStore, bucket: Bucket, new_database: NewDatabase, tmp_path: Path
) -> None:
    await keep(store, "file_orphan", b"x")
    for other in ("notes.txt", "photos/file_1"):
        bucket.client.put_object(Bucket=bucket.name, Key=f"{PREFIX}/{other}", Body=b"of others")
    database = await open_database(new_database("sqlite", tmp_path), DataDir(tmp_path))
    sweep = Sweep(database, store)
    assert await sweep.sweep(time.time() - 60) == 0
    assert ("file_orphan" in bucket.names(), (await store.locate("file_orphan")).exists()) == (True, True)
    assert await sweep.sweep(time.time() + 60) == 1
    assert (bucket.names(), await store.size("file_orphan")) == (["notes.txt", "photos/file_1"], None)
    assert not (await store.locate("file_orphan")).exists()
    await database.close()


async def test_a_bucket_that_cannot_be_used_stops_the_start(store: BucketStore, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"s3://missing: .*RETINUE_FILES_URL"):
        await BucketStore("s3://missing", tmp_path / "others").create()


def test_a_bucket_and_a_folder_exclude_each_other(new_server: NewServer, tmp_path: Path) -> None:
    server = new_server("sqlite", RETINUE_FILES_URL="s3://uploads", RETINUE_FILES_DIR=str(tmp_path))
    assert "exclude each other" in server.cli("settings", status=1)
