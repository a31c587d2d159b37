"""A server's children inherit nothing from the process that started the server."""

import asyncio
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

import psutil
import pytest
import requests
import uvloop

from retinue.core.children.pip_install import run
from retinue.core.children.processes import BACKGROUND
from retinue.models import llama_process as local_model
from tests.conftest import NewUser, StartServer
from tests.support import server as servers
from tests.support.client import Client, data
from tests.support.waiting import eventually
from tests.tools.imports.pets import execute
from tests.tools.imports.programs import import_source, write_programs


@pytest.fixture
def launchers(tmp_path: Path) -> Iterator[list[int]]:
    """Inheritable descriptors that a launcher may leave open: both ends of a pipe, and a file."""
    ends = [*os.pipe(), os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)]
    for end in ends:
        os.set_inheritable(end, True)
    yield ends
    for end in ends:
        os.close(end)


def open_files(pid: int) -> set[str]:
    """Return the targets of the process's open file descriptors."""
    found = set()
    with suppress(FileNotFoundError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                found.add(str(link.readlink()))
    return found


def has_background_session(pid: int) -> bool:
    """Return whether the session of a process has the nice value of background work, if the kernel has such values."""
    group = Path(f"/proc/{pid}/autogroup")
    return not group.exists() or group.read_text().endswith(f" nice {BACKGROUND}\n")


def has_priority(process: psutil.Process, niceness: int) -> bool:
    """Return whether a process runs with a nice value."""
    return process.nice() == niceness


def tried_programs(url: str) -> str | None:
    """Return whether programs can run here, or None before the server has tried."""
    status = str(requests.get(f"{url}/readyz", timeout=120).json()["programs"])
    return None if status.startswith("not tried") else status


@pytest.mark.long
@pytest.mark.timeout(120)
def test_children_of_a_server(
    start_server: StartServer,
    new_user: NewUser,
    launchers: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def begin(words: Sequence[str], env: Mapping[str, str], stdout: int, stderr: IO[str]) -> "subprocess.Popen[str]":
        command = [servers.COMMAND, *words]
        return subprocess.Popen(command, env=env, stdout=stdout, stderr=stderr, text=True, pass_fds=launchers)

    monkeypatch.setattr(servers, "begin", begin)
    server = start_server(RETINUE_MCP_PROGRAMS_FILE=str(write_programs(tmp_path)))
    assert server.process
    ours = {str(Path(f"/proc/self/fd/{end}").readlink()) for end in launchers}
    assert ours <= open_files(server.process.pid)
    client: Client = new_user(server).client()
    import_source(client)
    execute(client, "near_pid")
    data(client.post("/tools/math_evaluate_expression/execute", {"args": {"expression": "1 + 1"}}))
    programs = eventually(lambda: tried_programs(server.url))
    with ThreadPoolExecutor(1) as threads:
        command = {"args": {"command": "sleep 1000"}}
        running = threads.submit(client.post, "/tools/shell_run_command/execute", command)
        kinds = ["retinue.tools.execution.worker", "stand_in_program", *(["sleep 1000"] if programs == "ready" else [])]
        family = psutil.Process(server.process.pid)

        def words() -> str:
            return "\n".join(" ".join(one.cmdline()) for one in family.children(recursive=True) if one.is_running())

        eventually(lambda: all(kind in words() for kind in kinds), within=60)
        for one in family.children(recursive=True):
            assert not ours & open_files(one.pid), one.cmdline()
            if any(kind in " ".join(one.cmdline()) for kind in kinds) and one.name() != "bwrap":
                # Their computations must not delay the sound of calls. A sandbox lowers its own priority as it starts.
                eventually(partial(has_priority, one, family.nice() + BACKGROUND))
                eventually(partial(has_background_session, one.pid))
            if one.cmdline() == ["sleep", "1000"]:
                one.kill()
        running.result()


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_the_local_model_and_the_installer(
    launchers: list[int], tmp_path: Path, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    ours = {str(Path(f"/proc/self/fd/{end}").readlink()) for end in launchers}

    async def look() -> None:
        model = await local_model._start()
        assert open_files(model.pid)
        assert not ours & open_files(model.pid)
        model.kill()
        await model.wait()
        model.close()
        await run(["/bin/sh", "-c", "ls -l /proc/self/fd > listed"], tmp_path, lambda: None)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(look())
    listed = (tmp_path / "listed").read_text()
    assert "listed" in listed
    assert not [name for name in ours if name in listed]
