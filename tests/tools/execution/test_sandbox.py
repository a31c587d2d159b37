"""What a tool cannot reach, and that no worker outlives the server."""

import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from retinue.core.errors import ValidationFailed
from retinue.tools.authoring.libraries import PACKAGE
from retinue.tools.execution.pool import ToolPool
from tests.tools.made_up import HERE, make_tool

SERVER = """
import asyncio, sys
sys.path[:0] = sys.argv[1].split(":")
from pathlib import Path
from retinue.tools.execution.pool import ToolPool
from tests.tools.made_up import HERE, make_tool

async def main():
    pool = ToolPool(2, paths=[str(HERE)], scratch=Path(sys.argv[3]))
    await pool.start()
    started = await pool.execute(make_tool("start_child"), {})
    busy = asyncio.create_task(pool.execute(make_tool("hang"), {})) if sys.argv[2] == "busy" else None
    await asyncio.sleep(0)
    print(started["worker"], started["pid"], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def refusal(pool: ToolPool, name: str, **args: Any) -> str:
    with pytest.raises(ValidationFailed) as refused:
        await pool.execute(make_tool(name), args)
    return refused.value.message


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK])
@pytest.mark.parametrize("open_world", [True, False])
async def test_a_tool_makes_no_sockets(pool: ToolPool, family: int, open_world: bool) -> None:
    with pytest.raises(ValidationFailed, match="no socket"):
        await pool.execute(make_tool("open_socket", open_world=open_world), {"family": int(family)})


async def test_files_outside_cannot_be_written(pool: ToolPool, tmp_path: Path) -> None:
    target = tmp_path / "outside.txt"
    assert "not writable" in await refusal(pool, "write", path=str(target))
    assert not target.exists()
    assert "not writable" in await refusal(pool, "write", path=str(PACKAGE / "written"))


async def test_the_data_folder_and_other_processes_cannot_be_read(pool: ToolPool, tmp_path: Path) -> None:
    secret = tmp_path / "retinue.db"
    secret.write_text("secret")
    for path in (secret, Path(f"/proc/{os.getpid()}/environ"), Path("/etc/shadow")):
        assert "not readable" in await refusal(pool, "read", path=str(path))


async def test_other_processes_cannot_be_signalled(pool: ToolPool) -> None:
    assert "no signal" in await refusal(pool, "signal_process", pid=os.getpid())


async def test_the_environment_holds_nothing_of_the_servers(pool: ToolPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_SECRET", "secret")
    result = await pool.execute(make_tool("environment"), {})
    assert "secret" not in str(result)
    assert result["environment"]["HOME"] == result["folder"]


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_nothing_survives_kill_9_of_the_server(state: str, tmp_path: Path) -> None:
    paths = f"{PACKAGE.parents[1]}:{HERE.parents[1]}"
    command = [sys.executable, "-c", SERVER, paths, state, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        handles = [os.pidfd_open(int(pid)) for pid in server.stdout.readline().split()]
        server.send_signal(signal.SIGKILL)
    assert len(handles) == 2
    for handle in handles:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        assert poll.poll(10_000), "a process of the pool outlived the server"
        os.close(handle)
