"""What rights a worker has left, and which system calls."""

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.tools.execution.parent_death_pipe import open_lifeline
from retinue.tools.execution.pool import ToolPool
from retinue.tools.execution.process import Launch, WorkerProcess, try_out
from tests.conftest import StartServer
from tests.support.client import Client, data
from tests.tools.made_up import HERE, make_tool

_PERMITTED, _EPERM, _ENOSYS = 0, 1, 38
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_DAC_READ_SEARCH = 4

REFUSED: dict[str, tuple[tuple[int, int], list[int]]] = {
    "unshare, of users": ((272, 97), [_NEW_USER]),
    "unshare, of networks": ((272, 97), [_NEW_NET]),
    "clone, of users": ((56, 220), [_NEW_USER | 17, 0, 0, 0, 0]),
    "setns": ((308, 268), [0, 0]),
    "keyctl": ((250, 219), [0, -2, 0]),
    "add_key": ((248, 217), [0, 0, 0, 0, 0]),
    "request_key": ((249, 218), [0, 0, 0, 0]),
    "bpf": ((321, 280), [0, 0, 0]),
    "perf_event_open": ((298, 241), [0, 0, 0, 0, 0]),
    "userfaultfd": ((323, 282), [1]),
    "io_uring_setup": ((425, 425), [1, 0]),
    "ptrace, of itself": ((101, 117), [0, 0, 0, 0]),
    "process_vm_readv": ((310, 270), [1, 0, 0, 0, 0, 0]),
    "process_vm_writev": ((311, 271), [1, 0, 0, 0, 0, 0]),
    "pidfd_getfd": ((438, 438), [0, 0, 0]),
    "kcmp": ((312, 272), [1, 1, 0, 0, 0]),
    "reboot, with a wrong word": ((169, 142), [0, 0, 0, 0]),
    "kexec_load": ((246, 104), [0, 0, 0, 0]),
    "kexec_file_load": ((320, 294), [0, 0, 0, 0, 0]),
    "init_module": ((175, 105), [0, 0, 0]),
    "finit_module": ((313, 273), [0, 0, 0]),
    "delete_module": ((176, 106), [0, 0]),
    "clock_settime": ((227, 112), [0, 0]),
    "settimeofday": ((164, 170), [0, 0]),
    "adjtimex": ((159, 171), [0]),
    "swapon": ((167, 224), [0, 0]),
    "swapoff": ((168, 225), [0]),
    "sethostname": ((170, 161), [0, 0]),
    "setdomainname": ((171, 162), [0, 0]),
    "mount": ((165, 40), [0, 0, 0, 0, 0]),
    "umount2": ((166, 39), [0, 0]),
    "fsopen": ((430, 430), [0, 0]),
    "open_tree": ((428, 428), [0, 0, 0]),
    "chroot": ((161, 51), [0]),
    "acct": ((163, 89), [0]),
    "open_by_handle_at": ((304, 265), [0, 0, 0]),
    "fanotify_init": ((300, 262), [0, 0]),
    "symlinkat": ((266, 36), [0, 0, 0]),
}
"""Their numbers on x86-64 and on aarch64, from the kernel's tables, and arguments for which nobody needs a right, or
which the kernel would answer with another error.
"""

_PRLIMIT, _SETPRIORITY, _SETAFFINITY, _CLONE3 = (302, 261), (141, 140), (203, 122), (435, 435)
_NPROC = 6


def number(numbers: tuple[int, int]) -> int:
    return numbers[["x86_64", "aarch64"].index(platform.machine())]


async def answers(pool: ToolPool, calls: list[list[int]]) -> list[int]:
    """What the kernel says to a worker."""
    result = await pool.execute(make_tool("call_kernel"), {"calls": calls})
    return list(result["answers"])


async def test_calls_that_reach_out_or_deep_into_the_kernel(pool: ToolPool) -> None:
    calls = [[number(numbers), *arguments] for numbers, arguments in REFUSED.values()]
    told = dict(zip(REFUSED, await answers(pool, calls), strict=True))
    assert told == dict.fromkeys(REFUSED, _EPERM)
    assert await answers(pool, [[number(_CLONE3), 0, 0]]) == [_ENOSYS]


@pytest.mark.parametrize("what", ["the server", "the worker"])
async def test_bounds_and_priorities_of_others_stay(pool: ToolPool, what: str) -> None:
    other = os.getpid() if what == "the server" else 0
    expected = _EPERM if other else _PERMITTED
    calls = [
        [number(_PRLIMIT), other, _NPROC, 0, 0],
        [number(_SETPRIORITY), 0, other, 19],
    ]
    assert await answers(pool, calls) == [expected, expected]
    affinity = await answers(pool, [[number(_SETAFFINITY), other, 0, 0]])
    assert (affinity == [_EPERM]) == bool(other)


async def test_a_worker_has_no_rights(pool: ToolPool) -> None:
    rights = (await pool.execute(make_tool("show_rights"), {}))["rights"]
    assert (rights["NoNewPrivs"], rights["Seccomp"]) == (["1"], ["2"])
    assert rights["CapEff"] == rights["CapPrm"] == rights["CapInh"] == rights["CapAmb"]
    assert int(rights["CapEff"][0], 16) in (0, _DAC_READ_SEARCH)
    assert len(set(rights["Uid"])) == len(set(rights["Gid"])) == 1
    assert "0" not in (*rights["Uid"], *rights["Gid"])
    if os.geteuid() == 0:
        assert rights["Groups"] == []


async def test_a_program_that_a_tool_starts_reaches_its_folder(pool: ToolPool) -> None:
    assert (await pool.execute(make_tool("list_by_program"), {}))["names"] == ["written"]


async def test_two_workers_of_root_are_two_users(pool: ToolPool) -> None:
    first = await pool.execute(make_tool("show_rights"), {})
    with pytest.raises(Unavailable):
        await pool.execute(make_tool("hang", timeout_s=0.2), {})
    second = await pool.execute(make_tool("show_rights"), {})
    assert first["pid"] != second["pid"]
    same = first["rights"]["Uid"] == second["rights"]["Uid"]
    assert same == (os.geteuid() != 0)


async def test_a_worker_makes_no_links(pool: ToolPool, tmp_path: Path) -> None:
    with pytest.raises(ValidationFailed, match="no link"):
        await pool.execute(make_tool("make_link"), {"target": str(tmp_path)})


@pytest.fixture
def lifeline() -> Iterator[int]:
    """A pipe for workers that no pool has started."""
    ends = open_lifeline()
    yield ends[0]
    for end in ends:
        os.close(end)


@pytest.mark.parametrize("there", ["link", "file", "folder"])
async def test_lending_writes_over_nothing(tmp_path: Path, lifeline: int, there: str) -> None:
    target, input_file = tmp_path / "target", tmp_path / "input_file"
    target.write_text("of the server")
    input_file.write_text("of a caller")
    worker = await WorkerProcess.start(Launch(sys.executable, [str(HERE)], tmp_path, lifeline))
    place = Place(Path(worker.scratch))
    place.put(there, target)
    try:
        with pytest.raises(Unavailable, match="cannot be passed"):
            await worker.lend({"file_1": input_file})
        assert target.read_text() == "of the server"
        assert place.holds(there)
        await worker.lend({"file_2": input_file})
        assert place.read("file_2") == "of a caller"
    finally:
        worker.kill()
        await worker.wait_until_gone()


class Place:
    """A worker's folder, in which something has the name of a file to come."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "file_1"

    def put(self, what: str, target: Path) -> None:
        match what:
            case "link":
                self.path.symlink_to(target)
            case "file":
                self.path.write_text("was there")
            case "folder":
                self.path.mkdir()

    def holds(self, what: str) -> bool:
        if what == "file":
            return self.path.read_text() == "was there"
        return self.path.is_symlink() if what == "link" else self.path.is_dir()

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()


async def test_an_input_file_is_the_workers(pool: ToolPool, tmp_path: Path) -> None:
    input_file = tmp_path / "input_file"
    input_file.write_text("of a caller")
    found = await pool.execute(make_tool("read"), {"path": "file_1"}, {"file_1": input_file})
    assert found["content"] == "of a caller"
    written = await pool.execute(make_tool("write"), {"path": "file_1"}, {"file_1": input_file})
    assert "file_1" in written["files"]
    assert input_file.read_text() == "of a caller"


async def test_the_machine_confines_workers(tmp_path: Path) -> None:
    assert (await try_out(tmp_path)).status == "confined"


@pytest.mark.parametrize("required", [True, False])
async def test_a_worker_that_is_not_confined(tmp_path: Path, old_kernel: str, required: bool) -> None:
    pool = ToolPool(1, python=old_kernel, paths=[str(HERE)], scratch=tmp_path / "scratch")
    pool.confinement.required = required
    await pool.start()
    try:
        if required:
            with pytest.raises(Unavailable, match="RETINUE_SANDBOX=require"):
                await pool.execute(make_tool("echo"), {"a": 1})
        else:
            assert await pool.execute(make_tool("echo"), {"a": 1}) == {"a": 1}
        assert pool.confinement.status == "not confined: landlock: Function not implemented"
    finally:
        await pool.stop()


def test_the_server_and_the_doctor_tell(start_server: StartServer) -> None:
    server = start_server(RETINUE_SANDBOX="require")
    client = Client(server, server.new_key(server.new_user()))
    assert requests.get(f"{server.url}/readyz", timeout=120).json()["sandbox"] in ("confined", "not tried yet")
    data(client.post("/tools/math_evaluate_expression/execute", {"args": {"expression": "1 + 1"}}))
    client.close()
    assert requests.get(f"{server.url}/readyz", timeout=120).json()["sandbox"] == "confined"
    assert "ok    sandbox of tools: confined" in server.cli("doctor")
