"""The data folder is private, and one process at a time owns it."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from retinue.core.errors import Unavailable
from retinue.core.runtime.data_dir import DataDir, DataDirBusy
from tests.conftest import NewServer, NewUser, StartServer
from tests.files.support import upload
from tests.support.client import data

_HOLDER = """
import sys, time, pathlib
from retinue.core.runtime.data_dir import DataDir
home = DataDir(pathlib.Path(sys.argv[1]))
home.acquire()
print(home.node, flush=True)
time.sleep(600)
"""


def test_the_folder_is_private(tmp_path: Path) -> None:
    home = DataDir(tmp_path / "deep" / "home")
    home.create()
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700


def open_to_others(folder: Path) -> list[str]:
    """Return the paths in a folder whose mode grants access to other users.

    `cache/sandboxes` is private itself, but contains a root file system for programs with the usual modes.
    """
    paths = [folder, *folder.rglob("*")]
    looked_at = [path for path in paths if folder / "cache/bubbles" not in path.parents and not path.is_symlink()]
    return [str(path) for path in looked_at if path.lstat().st_mode & 0o077]


def test_files_of_a_server_are_private_even_in_a_public_folder(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client = new_user(server).client()
    kept = upload(client, b"private")
    server.stop()
    for path in (server.home, server.home / "files", *server.home.glob("*.db"), *server.home.rglob("file_*")):
        path.chmod(0o755)
    server.start()
    assert open_to_others(server.home) == []
    assert client.get(f"/files/{kept['id']}/content").content == b"private"
    upload(client, b"new")
    data(client.post("/tools/file_write/execute", {"args": {"path": "/a.txt", "text": "a"}}))
    data(client.post("/tools/math_evaluate_expression/execute", {"args": {"expression": "1+1"}}))
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)
    client.post(f"/agents/{agent['id']}/execute", {"message": "Hello"})
    server.cli("check")
    assert open_to_others(server.home) == []


def test_commands_leave_private_files_too(new_server: NewServer) -> None:
    server = new_server(empty=True)
    server.home.mkdir(mode=0o755)
    server.home.chmod(0o755)
    server.cli("users", "create", "ada@example.com")
    assert (server.home / "retinue.db").is_file()
    assert open_to_others(server.home) == []


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.touch(mode=0o644)
    home = DataDir(tmp_path / "home")
    home.create()
    home.folder.chmod(0o755)
    (home.folder / "link").symlink_to(outside)
    before = outside.stat().st_mode
    home.acquire()
    assert outside.stat().st_mode == before
    home.release()


def test_a_folder_that_cannot_be_created_is_reported_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="RETINUE_HOME"):
        DataDir(tmp_path / "file" / "home").create()


def test_one_owner_at_a_time(tmp_path: Path) -> None:
    first, second = DataDir(tmp_path), DataDir(tmp_path)
    first.acquire()
    with pytest.raises(DataDirBusy, match=rf"process \({os.getpid()}\)"):
        second.acquire()
    first.release()
    second.acquire()
    assert second.predecessor == first.node
    second.release()


def test_a_killed_owner_leaves_the_folder_free_and_its_name_behind(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    node = holder.stdout.readline().strip()
    home = DataDir(tmp_path)
    with pytest.raises(DataDirBusy, match=str(holder.pid)):
        home.acquire()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    home.acquire()
    assert home.predecessor == node
    home.release()


def test_a_second_server_on_the_same_folder_refuses_in_a_sentence(start_server: StartServer) -> None:
    server = start_server()
    assert server.process is not None
    told = server.cli("serve", status=1)
    assert f"process ({server.process.pid})" in told
    assert "RETINUE_HOME" in told
    assert "Traceback" not in told
    assert "All is well." in server.cli("check")


def test_a_master_key_that_others_may_read_is_made_private(tmp_path: Path) -> None:
    home = DataDir(tmp_path / "home")
    home.create()
    home.key.write_text("secret")
    home.key.chmod(0o644)
    home.acquire()
    home.release()
    assert stat.S_IMODE(home.key.stat().st_mode) == 0o600


def test_files_without_their_database_are_no_new_installation(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    upload(new_user(server).client(), b"kept")
    server.stop()
    lost = [server.home / f"retinue.db{end}" for end in ("", "-wal", "-shm")]
    for path in lost:
        path.unlink(missing_ok=True)
    assert "Restore retinue.db from a backup" in server.cli("serve", status=1)
    (file,) = (server.home / "files").rglob("file_*")
    assert file.read_bytes() == b"kept"
