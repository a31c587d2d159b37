"""An account's export contains all of the user's records, no secrets, and nothing of other users."""

import io
import json
import secrets
import zipfile
from typing import Any

import pytest

from tests.account_data.full_account import fill, settle
from tests.conftest import DATABASES, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually


def finish(client: Client, export_id: int) -> dict[str, Any]:
    """Wait until the export has ended, and return it."""

    def over() -> dict[str, Any] | None:
        export: dict[str, Any] = data(client.get(f"/account/export/{export_id}"))
        return export if export["ended_at"] else None

    return eventually(over, within=30)


def exported(client: Client) -> zipfile.ZipFile:
    """Create an export and return its archive."""
    export = finish(client, data(client.post("/account/export"), 202)["id"])
    assert (export["status"], export["error"]) == ("completed", None)
    content = client.get(f"/files/{export['file_id']}/content").content
    return zipfile.ZipFile(io.BytesIO(content))


def records(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    """Return the records in a member of the archive."""
    return [json.loads(line) for line in archive.read(f"{name}.jsonl").splitlines()]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("database", DATABASES)
def test_an_export_holds_the_account_and_no_secret(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_ALLOWED_NETWORKS="127.0.0.1/32")
    marker = f"zq{secrets.token_hex(6)}"
    full = fill(User(server, server.new_user()), marker, "http://127.0.0.1:9")
    settle(full)
    archive = exported(full.live)
    assert archive.testzip() is None
    assert "JSON object per line" in archive.read("README.txt").decode()
    (user,) = records(archive, "users")
    assert (user["email"], "password_hash" in user) == (full.user.email, False)
    listed = {one["id"] for one in data(full.live.get("/agents"))}
    assert {one["id"] for one in records(archive, "agents")} == listed
    assert marker in {one["name"].split()[-1] for one in records(archive, "fleets")}
    runs = {one["id"] for one in records(archive, "runs")}
    assert {one["run_id"] for one in records(archive, "messages")} <= runs
    files = {one["public_id"]: one for one in records(archive, "files")}
    stored = {name.split("/")[1]: archive.read(name) for name in archive.namelist() if name.startswith("files/")}
    assert stored.keys() == files.keys()
    assert all(len(content) == files[name]["size"] for name, content in stored.items())
    connection = records(archive, "connections")[0]
    assert connection["name"] == f"to-{marker}"
    assert "secret" not in connection
    everything = b"".join(archive.read(name) for name in archive.namelist())
    key = (full.live.key or "").rpartition("_")[2]
    assert key.encode() not in everything
    sandbox = exported(full.sandbox)
    assert not {"users.jsonl", "sessions.jsonl"} & {*sandbox.namelist()}
    assert not {one["id"] for one in records(sandbox, "agents")} & listed
    full.close()


def test_a_new_export_takes_the_place_of_the_last(client: Client, stranger: Client) -> None:
    first = finish(client, data(client.post("/account/export"), 202)["id"])
    archive = exported(client)
    assert not [name for name in archive.namelist() if first["file_id"] in name]
    refuse(client.get(f"/account/export/{first['id']}"), 404, "replaces the previous one")
    refuse(client.get(f"/files/{first['file_id']}"), 404)
    (kept,) = data(client.get("/files"))
    assert kept["name"].startswith("retinue-export-")
    refuse(stranger.get(f"/account/export/{first['id']}"), 404)


def test_an_export_needs_no_room_in_the_plan(user: User) -> None:
    client = user.client()
    user.server.ask("users.plan", email=user.email, plan="free")
    limit = eventually(lambda: data(client.get("/usage"))["storage_mb"]["limit"])
    half = bytes((limit << 19) - 10)
    for _ in range(2):
        data(client.request("POST", "/files?name=a", data=half), 201)
    refuse(client.request("POST", "/files?name=a", data=bytes(100)), 400, "storage_mb")
    assert finish(client, data(client.post("/account/export"), 202)["id"])["status"] == "completed"


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
def test_an_export_begins_anew_after_a_kill(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_CRASH_AT="export.kept")
    client = Client(server, server.new_key(server.new_user()))
    data(client.get("/account"))
    export = data(client.post("/account/export"), 202)
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    ended = finish(client, export["id"])
    assert ended["status"] == "completed"
    assert [file["id"] for file in data(client.get("/files"))] == [ended["file_id"]]
    assert server.ask("check") == []
    client.close()
