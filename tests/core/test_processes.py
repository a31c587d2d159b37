"""Child processes: how they start and what they inherit. Nothing else in the server starts processes."""

import ast
import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvloop

from retinue.core.children import processes
from retinue.tools.authoring.libraries import PACKAGE

NEW_LOOP: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}
STARTS = int(os.environ.get("RETINUE_TEST_STARTS", "200"))
_SOURCES = PACKAGE.parents[1] / "retinue"
_ALLOWED = _SOURCES / "core/children/processes.py"

_FORBIDDEN = {
    "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell", "fork", "forkpty",
    "posix_spawn", "posix_spawnp", "preexec_fn", "ProcessPoolExecutor",
}  # fmt: skip
_FORBIDDEN_MODULES = {"subprocess", "multiprocessing", "pty"}


@pytest.fixture(params=NEW_LOOP)
def runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner]:
    """A runner for each event loop."""
    with asyncio.Runner(loop_factory=NEW_LOOP[request.param]) as made:
        yield made


def test_a_child_is_spoken_with(runner: asyncio.Runner) -> None:
    async def speak() -> tuple[bytes, bytes, int]:
        command = ["/bin/sh", "-c", "read line; echo $line; echo oh >&2; exit 3"]
        child = await processes.start(command, stdin=processes.PIPE, stdout=processes.PIPE, stderr=processes.PIPE)
        assert child.stdin
        assert child.stdout
        assert child.stderr
        child.stdin.write(b"hello\n")
        await child.stdin.drain()
        outcome = await child.stdout.read(), await child.stderr.read(), await child.wait()
        child.close()
        return outcome

    assert runner.run(speak()) == (b"hello\n", b"oh\n", 3)


def test_much_goes_through_in_both_directions(runner: asyncio.Runner) -> None:
    async def echo(block: bytes) -> bytes:
        child = await processes.start(["/bin/cat"], stdin=processes.PIPE, stdout=processes.PIPE)
        assert child.stdin
        assert child.stdout
        reading = asyncio.create_task(child.stdout.read())
        child.stdin.write(block)
        await child.stdin.drain()
        child.stdin.close()
        assert await child.wait() == 0
        return await reading

    block = os.urandom(1 << 20)
    assert runner.run(echo(block)) == block


def test_a_program_ended_by_a_signal_and_one_that_cannot_start(runner: asyncio.Runner) -> None:
    async def end() -> None:
        child = await processes.start(["/bin/sleep", "1000"])
        assert os.getpgid(child.pid) == os.getsid(child.pid) == child.pid
        child.kill()
        assert await child.wait() == -signal.SIGKILL
        child.kill()
        with pytest.raises(FileNotFoundError):
            await processes.start(["/nowhere/to/be/found"])

    runner.run(end())


def test_a_group_is_ended_after_its_leader(runner: asyncio.Runner) -> None:
    async def end() -> bytes:
        child = await processes.start(["/bin/sh", "-c", "sleep 1000 & echo $!"], stdout=processes.PIPE)
        assert child.stdout
        assert (await child.stdout.readline()).strip().isdigit()
        assert await child.wait() == 0
        child.kill_group()
        return await child.stdout.read()  # End of file: no process has the pipe open any more.

    assert runner.run(end()) == b""


def test_one_that_reads_no_more_is_noticed(runner: asyncio.Runner) -> None:
    async def write() -> None:
        child = await processes.start(["/bin/true"], stdin=processes.PIPE)
        await child.wait()
        assert child.stdin
        while True:
            child.stdin.write(b"x")
            await child.stdin.drain()

    with pytest.raises(ConnectionError):
        runner.run(write())


def count_open() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def test_nothing_stays_open(runner: asyncio.Runner) -> None:
    async def start_some() -> tuple[int, int]:
        before = count_open()
        for _ in range(20):
            child = await processes.start(
                ["/bin/cat"], stdin=processes.PIPE, stdout=processes.PIPE, stderr=processes.PIPE
            )
            child.kill()
            await child.wait()
            child.close()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return before, count_open()

    before, after = runner.run(start_some())
    assert after <= before + 1


def test_a_child_inherits_only_the_passed_descriptors(runner: asyncio.Runner) -> None:
    async def inherit() -> list[str]:
        reading, writing = os.pipe()
        os.set_inheritable(reading, True)
        os.set_inheritable(writing, True)
        child = await processes.start(["/bin/ls", "/proc/self/fd"], stdout=processes.PIPE, pass_fds=(reading,))
        assert child.stdout
        names = (await child.stdout.read()).decode().split()
        await child.wait()
        for end in (reading, writing):
            os.close(end)
        assert str(reading) in names
        names.remove(str(reading))
        return names

    assert len(runner.run(inherit())) == 4  # The three standard streams, and the listing itself.


def test_children_start_beside_threads_that_come_and_go(runner: asyncio.Runner) -> None:
    """A child that ran Python code after the fork hung once in some thousand starts."""
    over = threading.Event()

    def spawn_threads() -> None:
        while not over.is_set():
            threads = [threading.Thread(target=sorted, args=(range(50),)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    async def start_many() -> int:
        ended = 0
        for _ in range(STARTS):
            child = await processes.start(["/bin/true"], stdout=processes.PIPE)
            async with asyncio.timeout(60):
                ended += await child.wait() == 0
        return ended

    background = threading.Thread(target=spawn_threads)
    background.start()
    try:
        assert runner.run(start_many()) == STARTS
    finally:
        over.set()
        background.join()


def test_no_file_of_another_thread_is_closed(runner: asyncio.Runner) -> None:
    """uvloop closes a pipe's descriptor and then its file, which was another file by then: 2 to 5 of 1000 children."""
    over, lost = threading.Event(), list[OSError]()

    def open_files() -> None:
        while not over.is_set():
            try:
                os.close(os.open(os.devnull, os.O_RDONLY))
            except OSError as error:
                lost.append(error)

    async def start_many() -> None:
        for _ in range(5 * STARTS):
            pipe = processes.PIPE
            child = await processes.start(["/bin/true"], stdin=pipe, stdout=pipe, stderr=pipe)
            async with asyncio.timeout(60):
                await child.wait()
            child.close()

    threads = [threading.Thread(target=open_files) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        runner.run(start_many())
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert lost == []


def test_descriptors_of_the_launcher_are_closed_on_exec() -> None:
    code = "\n".join(
        [
            "import os, sys",
            "from retinue.core.children.processes import set_close_on_exec",
            "set_close_on_exec()",
            "print([os.get_inheritable(int(number)) for number in (0, 1, 2, sys.argv[1])])",
        ]
    )
    with Path(__file__).open() as file:
        os.set_inheritable(file.fileno(), True)
        told = subprocess.run(
            [sys.executable, "-c", code, str(file.fileno())], close_fds=False, capture_output=True, check=True
        )
    assert told.stdout.decode().strip() == "[True, True, True, False]"


def test_no_other_module_starts_processes() -> None:
    found = [
        f"{path.relative_to(_SOURCES)}:{line} {name}"
        for path in sorted(_SOURCES.rglob("*.py"))
        if path != _ALLOWED
        for line, name in starting(path)
    ]
    assert not found, "start processes with retinue.core.children.processes"


def starting(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the names in a module that can start a process, with their line numbers."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [name.name.partition(".")[0] for name in node.names]
            case ast.ImportFrom():
                names = [(node.module or "").partition(".")[0], *(name.name for name in node.names)]
            case ast.Attribute():
                names = [node.attr]
            case ast.keyword():
                names = [node.arg or ""]
        for name in names:
            imported = isinstance(node, ast.Import | ast.ImportFrom) and name in _FORBIDDEN_MODULES
            if imported or name in _FORBIDDEN:
                yield getattr(node, "lineno", 0), name
