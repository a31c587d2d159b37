"""Listing, owning and deleting files, and how they count as storage."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import DATABASES, NewUser, StartServer, User
from tests.files.support import MIB, stored, upload, upload_bare
from tests.support.client import Client, data, refuse
from tests.support.server import Server

PLANS = Path(__file__).parents[2] / "src/retinue/auth/plans.toml"


def storage(client: Client) -> int:
    """Return the metric `storage_mb`."""
    used: int = data(client.get("/usage"))["storage_mb"]["used"]
    return used


def test_files_are_listed_newest_first(client: Client) -> None:
    ids = [upload(client, b"x", f"{number}.txt")["id"] for number in range(5)]
    first = client.get("/files?per_page=2").json()
    assert first["meta"] == {"total": 5, "page": 1, "per_page": 2, "total_pages": 3}
    pages = [first, *(client.get(f"/files?per_page=2&page={page}").json() for page in (2, 3))]
    assert [record["id"] for page in pages for record in page["data"]] == ids[::-1]


def test_a_deleted_file_is_gone(client: Client) -> None:
    record = upload(client, b"x")
    assert data(client.delete(f"/files/{record['id']}")) == {"id": record["id"], "deleted": True}
    for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
        refuse(client.request(method, f"/files/{record['id']}{path}"), 404)
    assert client.get("/files").json()["meta"]["total"] == 0
    assert [path for path in stored(client.server) if path.name == record["id"]] == []


@pytest.mark.parametrize("file_id", ["1", "file_", "file_" + "0" * 26, "%00", "a" * 300, "ünï"])
def test_an_unknown_file_is_not_found(client: Client, file_id: str) -> None:
    refuse(client.get(f"/files/{file_id}/content"), 404)
    refuse(client.delete(f"/files/{file_id}"), 404)


def test_files_are_their_owners_alone(client: Client, stranger: Client, sandbox: Client) -> None:
    owners = {caller: upload(caller, b"secret")["id"] for caller in (sandbox, client, stranger)}
    for caller, mine in owners.items():
        for other in {*owners.values()} - {mine}:
            for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
                refuse(caller.request(method, f"/files/{other}{path}"), 404)
        body = caller.get("/files").json()
        assert ([record["id"] for record in body["data"]], body["meta"]["total"]) == ([mine], 1)
    for caller, mine in owners.items():
        assert caller.get(f"/files/{mine}/content").content == b"secret"


def test_files_are_read_and_written_within_scopes(user: User) -> None:
    reader, writer = user.client(["tools:read"]), user.client(["tools:execute"])
    record = upload(writer, b"x")
    assert reader.get(f"/files/{record['id']}/content").content == b"x"
    refuse(writer.get(f"/files/{record['id']}/content"), 403, "tools:read")
    refuse(reader.request("POST", "/files", data=b"x"), 403, "tools:execute")
    refuse(reader.delete(f"/files/{record['id']}"), 403, "tools:execute")


def test_storage_is_counted_in_mebibytes_rounded_up(client: Client) -> None:
    assert storage(client) == 0
    small = upload(client, b"x")
    assert storage(client) == 1
    large = upload(client, b"x" * MIB)
    assert storage(client) == 2
    client.delete(f"/files/{small['id']}")
    assert storage(client) == 1
    client.delete(f"/files/{large['id']}")
    assert storage(client) == 0
    upload(client, b"")
    assert storage(client) == 0


@pytest.mark.parametrize("database", DATABASES)
def test_a_full_quota_refuses_more(database: str, start_server: StartServer, new_user: NewUser, tmp_path: Path) -> None:
    plans = tmp_path / "plans.toml"
    plans.write_text(PLANS.read_text().replace("storage_mb = 100", "storage_mb = 2"))
    server = start_server(database, RETINUE_PLANS_FILE=str(plans))
    user = new_user(server, plan="free")
    for client in (user.client(), user.client(test=True)):
        kept = upload(client, b"x" * (2 * MIB - 1))
        refuse(client.request("POST", "/files", data=b"xx"), 400, "storage_mb", "2 MiB")
        refuse(client.request("POST", "/files", data=iter([b"xx"])), 400, "storage_mb")
        upload_bare(client, b"x")
        refuse(client.request("POST", "/files", data=b"x"), 400, "storage_mb")
        upload_bare(client, b"")
        client.delete(f"/files/{kept['id']}")
        upload_bare(client, b"x")
    assert len(stored(server)) == 6
    assert "All is well." in server.cli("check")


@pytest.mark.parametrize("database", DATABASES)
def test_many_at_once_are_counted_exactly(database: str, start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(database)
    user = new_user(server)
    clients = [user.client() for _ in range(8)]

    def work(client: Client) -> int:
        ids = [upload(client, b"x" * 1000 * number)["id"] for number in range(10)]
        for file_id in ids[::2]:
            data(client.delete(f"/files/{file_id}"))
        return len(ids[1::2])

    with ThreadPoolExecutor(8) as threads:
        left = sum(threads.map(work, clients))
    assert clients[0].get("/files").json()["meta"]["total"] == left == len(stored(server)) == 40
    assert "All is well." in server.cli("check")


def test_a_check_finds_a_file_that_is_missing_or_cut(start_server: StartServer, new_user: NewUser) -> None:
    server: Server = start_server()
    client = new_user(server).client()
    kept, cut, gone = (upload(client, b"12345") for _ in range(3))
    places = {path.name: path for path in stored(server)}
    places[cut["id"]].write_bytes(b"12")
    places[gone["id"]].unlink()
    told = server.cli("check", status=1)
    assert f"{cut['id']} should have 5 bytes and has 2" in told
    assert f"{gone['id']} should have 5 bytes and has None" in told
    assert kept["id"] not in told
    refuse(client.get(f"/files/{gone['id']}/content"), 404)
