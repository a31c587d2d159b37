"""The data folder: private, and one process at a time owns it."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from retinue.core.errors import Unavailable
from retinue.core.home import Home, HomeBusy
from tests.conftest import StartServer

_HOLDER = """
import sys, time, pathlib
from retinue.core.home import Home
home = Home(pathlib.Path(sys.argv[1]))
home.acquire()
print(home.node, flush=True)
time.sleep(600)
"""


def test_the_folder_is_private(tmp_path: Path) -> None:
    home = Home(tmp_path / "deep" / "home")
    home.create()
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_told_with_what_mends_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="RETINUE_HOME"):
        Home(tmp_path / "file" / "home").create()


def test_one_owner_at_a_time(tmp_path: Path) -> None:
    first, second = Home(tmp_path), Home(tmp_path)
    first.acquire()
    with pytest.raises(HomeBusy, match=f"process {os.getpid()}"):
        second.acquire()
    first.release()
    second.acquire()
    assert second.predecessor == first.node
    second.release()


def test_a_killed_owner_leaves_the_folder_free_and_its_name_behind(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    node = holder.stdout.readline().strip()
    home = Home(tmp_path)
    with pytest.raises(HomeBusy, match=str(holder.pid)):
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
    assert f"process {server.process.pid}" in told
    assert "RETINUE_HOME" in told
    assert "Traceback" not in told
    assert "All is well." in server.cli("check")
