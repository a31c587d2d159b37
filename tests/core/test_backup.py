"""A backup of a busy server is complete: its database names no file that the copy lacks."""

import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pytest

from tests.conftest import NewServer, StartServer
from tests.files.support import upload
from tests.support.client import Client, data
from tests.support.server import Server


@contextmanager
def churn(client: Client) -> Iterator[list[str]]:
    """Upload and delete files until the end of the context. Yields the ids of the files uploaded so far."""
    stop, ids = threading.Event(), list[str]()

    def work() -> None:
        while not stop.is_set():
            ids.append(upload(client, b"short-lived")["id"])
            if len(ids) > 3:
                client.delete(f"/files/{ids[-4]}")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield ids
    finally:
        stop.set()
        thread.join()


def modes(folder: Path) -> set[int]:
    """Return the permissions of everything in a folder for other users."""
    return {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in [folder, *folder.rglob("*")]}


def open_copy(new_server: NewServer, database: str, copy: Path) -> Server:
    """Return a server on the copy, not started."""
    server: Server = new_server(database, empty=True)
    server.home, server.env["RETINUE_HOME"] = copy, str(copy)
    return server


def test_a_backup_under_load_is_complete(start_server: StartServer, new_server: NewServer, tmp_path: Path) -> None:
    server = start_server()
    client = Client(server, server.new_key(server.new_user()))
    kept = upload(client, b"kept")["id"]
    data(client.post("/webhooks", {"url": "https://example.com/hook", "events": ["agent.deployed"]}), 201)
    with churn(client):
        copies = [tmp_path / str(number) for number in range(2)]
        printed = [server.cli("backup", str(copy)) for copy in copies]
    for copy, text in zip(copies, printed, strict=True):
        assert "The database was copied." in text
        assert (copy / "files" / kept[-2:] / kept).read_bytes() == b"kept"
        assert (copy / "master.key").read_bytes() == (server.home / "master.key").read_bytes()
        assert modes(copy) == {0}
        assert open_copy(new_server, "sqlite", copy).cli("check") == "All is well.\n"
    assert "Choose another folder" in server.cli("backup", str(copies[0]), status=1)
    deleted = upload(client, b"short-lived")["id"]
    data(client.delete(f"/files/{deleted}"))
    assert not list(server.home.rglob(deleted)), "files are removed again after a backup"
    client.close()


def test_a_backup_without_a_server_and_on_postgresql(start_server: StartServer, tmp_path: Path) -> None:
    server = start_server("postgresql")
    client = Client(server, server.new_key(server.new_user()))
    first = upload(client, b"1")["id"]
    assert "pg_dump" in server.cli("backup", str(tmp_path / "copy"))
    second = upload(client, b"2")["id"]
    client.close()
    server.stop()
    assert server.cli("backup", str(tmp_path / "copy")).startswith("1 files")
    assert {path.name for path in (tmp_path / "copy/files").rglob("file_*")} == {first, second}


def test_a_backup_has_the_settings_file_and_the_added_tools(start_server: StartServer, tmp_path: Path) -> None:
    plans, trunks = tmp_path / "plans.toml", tmp_path / "trunks.toml"
    plans.write_bytes(files("retinue.auth").joinpath("plans.toml").read_bytes())
    trunks.touch()
    server = start_server(RETINUE_PLANS_FILE=str(plans), RETINUE_SIP_TRUNKS_FILE=str(trunks))
    (server.home / "retinue.toml").write_text("audit_days = 90")
    tools = server.home / "tools.d"
    (tools / "data").mkdir(parents=True)
    (tools / "__pycache__").mkdir()
    for name in ("greet.py", "data/words.txt", "__pycache__/greet.pyc"):
        (tools / name).write_text("# kept")
        (tools / name).chmod(0o644)
    copy = tmp_path / "copy"
    printed = server.cli("backup", str(copy))
    assert (copy / "retinue.toml").read_text() == "audit_days = 90"
    assert {str(path.relative_to(copy / "tools.d")) for path in (copy / "tools.d").rglob("*.*")} == {
        "greet.py",
        "data/words.txt",
    }
    assert modes(copy) == {0}
    assert f"{plans} of RETINUE_PLANS_FILE is not in the copy." in printed
    assert f"{trunks} of RETINUE_SIP_TRUNKS_FILE is not in the copy." in printed
    assert "RETINUE_CONFIG" not in printed


@pytest.mark.parametrize("running", [True, False])
def test_a_folder_that_cannot_take_a_backup_is_named(start_server: StartServer, tmp_path: Path, running: bool) -> None:
    server = start_server()
    if not running:
        server.stop()
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below"):
        refused = server.cli("backup", str(folder), status=1)
        assert refused.startswith(f"retinue: Cannot create {folder}: ")
        assert "Choose another folder for the backup." in refused
        assert "RETINUE_HOME" not in refused
    for folder in (server.home, server.home / "files/x"):
        refused = server.cli("backup", str(folder), status=1)
        assert refused == f"retinue: {folder} is in the data folder. Choose a folder outside of the data folder.\n"
    assert not (server.home / "files/x").exists()


def test_a_backup_that_fails_names_the_file(start_server: StartServer, tmp_path: Path) -> None:
    server, copy = start_server(), tmp_path / "copy"
    (copy / "retinue.toml.unfinished").mkdir(parents=True)
    (server.home / "retinue.toml").touch()
    refused = server.cli("backup", str(copy), status=1)
    assert refused.startswith("retinue: The backup is not complete: Is a directory")
    assert f"{copy}/retinue.toml.unfinished" in refused
