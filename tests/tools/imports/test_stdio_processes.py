"""Programs that speak MCP, by themselves: limits on time, size, number and memory, and the operator's file."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.tools.execution.confinement import Confinement
from retinue.tools.imports.credentials import Credential
from retinue.tools.imports.mcp.http_transport import McpEndpoint
from retinue.tools.imports.mcp.launcher import LaunchOptions
from retinue.tools.imports.mcp.messages import Json, greeting, notification, request
from retinue.tools.imports.mcp.process import RunningProgram
from retinue.tools.imports.mcp.programs import AllowedPrograms, Program
from retinue.tools.imports.mcp.sessions import McpSessions
from retinue.tools.imports.mcp.stdio import StdioTransport
from tests.support.waiting import eventually
from tests.tools.imports.programs import ROOT, command, is_running

HOWS = ("well", "stays", "exits", "floods", "writes without end", "leaves", "says nothing")


def programs(**limits: Any) -> StdioTransport:
    """Programs by the names of what they do."""
    environment = {"PYTHONPATH": str(ROOT)}
    made = {
        how: Program(command=command(how), environment=environment, memory_mb=512, files=[str(ROOT)]) for how in HOWS
    }
    return StdioTransport(AllowedPrograms(made), Path(tempfile.mkdtemp(prefix="programs-")), Confinement(), **limits)


class Users:
    """Sources 1, 2 and so on of a program."""

    def __init__(self, stdio: StdioTransport) -> None:
        self.stdio = stdio
        self.sessions = McpSessions(stdio)

    async def call(self, tool: str, source: int = 1, within: float = 20.0, program: str = "well", **args: Any) -> str:
        """What a tool says."""
        params = {"name": tool, "arguments": args}
        answer: Any = await self.sessions.call(source, McpEndpoint(f"stdio:{program}", None), params, {}, within)
        return str(answer["content"][0]["text"])

    async def pid(self, source: int = 1, program: str = "well") -> int:
        """The process that answers."""
        return int(await self.call("pid", source, program=program))


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    """What is to be ended."""
    async with AsyncExitStack() as kept:
        yield kept


async def users(stack: AsyncExitStack, **limits: Any) -> Users:
    made = Users(programs(**limits))
    stack.push_async_callback(made.stdio.stop)
    stack.push_async_callback(made.sessions.stop)
    return made


def children() -> set[str]:
    """The processes that this one has started."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, rest = status.read_text().rpartition(")")
            if int(rest.split()[1]) == os.getpid():
                found.add(name)
    return found


async def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process."""
    assert await asyncio.to_thread(eventually, lambda: not is_running(pid))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("exits", "status 3"),
        ("floods", "4 MiB without a response"),
        ("writes without end", "4 MiB without a response"),
        ("leaves", "was ended by signal 9|exited with status 1|closed its input"),
        ("grows", "exited with status 4"),
    ],
)
async def test_calls_that_end_a_program(stack: AsyncExitStack, how: str, words: str) -> None:
    ours = await users(stack)
    first = await ours.pid()
    with pytest.raises(Unavailable, match=words):
        await ours.call("misbehave", how=how)
    await wait_until_gone(first)
    assert await ours.pid() != first


async def test_a_program_that_says_nothing_is_ended(stack: AsyncExitStack) -> None:
    ours = await users(stack)
    first = await ours.pid()
    with pytest.raises(Unavailable, match=r"did not respond within 0\.2 seconds"):
        await ours.call("misbehave", within=0.2, how="says nothing")
    await wait_until_gone(first)
    assert await ours.pid() != first


async def test_one_that_is_only_slow_is_not(stack: AsyncExitStack) -> None:
    ours = await users(stack)
    first = await ours.pid()
    slow = asyncio.create_task(ours.call("nap", seconds=1))
    with pytest.raises(Unavailable, match=r"within 0\.2 seconds"):
        await ours.call("nap", within=0.2, seconds=600)
    assert await slow == '{"seconds": 1}'
    assert await ours.pid() == first


async def test_a_program_that_is_never_ready_is_ended(stack: AsyncExitStack) -> None:
    ours = await users(stack)
    before = children()
    asked = request(1, "initialize", greeting())
    with pytest.raises(Unavailable, match=r"within 1 seconds"):
        await ours.stdio.exchange(McpEndpoint("stdio:says nothing", None), asked, {}, 1)
    assert await asyncio.to_thread(eventually, lambda: children() <= before)


async def test_a_program_that_stays_when_its_input_ends_is_killed(stack: AsyncExitStack) -> None:
    ours = await users(stack)
    first = await ours.pid(program="stays")
    ours.sessions.forget(1)
    await wait_until_gone(first)


async def test_an_idle_program_is_ended_and_started_when_it_is_needed(stack: AsyncExitStack) -> None:
    ours = await users(stack, idle_s=0.2)
    looking = asyncio.create_task(ours.stdio.run())
    first = await ours.pid()
    await wait_until_gone(first)
    answer = None
    while answer is None:
        # A busy machine may take longer than the idle period between the start and the call. A nap is longer, too.
        with suppress(Unavailable):
            answer = await ours.call("nap", seconds=0.5)
    assert answer == '{"seconds": 0.5}'
    looking.cancel()


async def test_the_one_that_was_idle_for_longest_gives_way(stack: AsyncExitStack) -> None:
    ours = await users(stack, most=2)
    first, second = await ours.pid(1), await ours.pid(2)
    assert await ours.pid(1) == first
    third = await ours.pid(3)
    await wait_until_gone(second)
    assert (await ours.pid(1), await ours.pid(3)) == (first, third)


async def test_no_more_programs_than_may_be(stack: AsyncExitStack) -> None:
    ours = await users(stack, most=1)
    await ours.pid(1)
    busy = asyncio.create_task(ours.call("nap", seconds=2))
    await asyncio.sleep(0)
    with pytest.raises(Unavailable, match="limit of 1 concurrent programs"):
        await ours.pid(2)
    assert await busy == '{"seconds": 2}'


async def test_a_program_that_does_not_read(stack: AsyncExitStack) -> None:
    home = Path(tempfile.mkdtemp())
    lifeline, _ = ends = os.pipe()
    program = Program(command=command("says nothing"), environment={"PYTHONPATH": str(ROOT)}, files=[str(ROOT)])
    start = LaunchOptions(
        command=program.command,
        environment=program.variables(None, home),
        memory_mb=512,
        parent=os.getpid(),
        lifeline=lifeline,
        home=str(home),
        files=program.files,
        network=False,
        user=1_800_000_000,
        required=False,
    )
    running = await RunningProgram.start("deaf", program, start, "")
    much: Json = notification("notifications/message", {"data": "x" * (1 << 20)})
    for _ in range(5):
        running.send(much)
    with pytest.raises(Unavailable, match="does not read"):
        running.send(much)
    await running.close(0)
    assert running.is_over
    for end in ends:
        os.close(end)


GOOD = """
[files]
command = ["mcp-files", "--root", "/srv/files"]
environment = { LOG_LEVEL = "warning" }
credential = "FILES_TOKEN"
"""


def test_the_file_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    monkeypatch.setenv("RETINUE_MASTER_KEY", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    program = AllowedPrograms.load(tmp_path / "a.toml").find_program("files")
    assert program.command == ["mcp-files", "--root", "/srv/files"]
    variables = program.variables(Credential("bearer", "", "sesame"), tmp_path)
    assert (variables["LOG_LEVEL"], variables["FILES_TOKEN"], variables["LANG"]) == ("warning", "sesame", "C.UTF-8")
    assert "RETINUE_MASTER_KEY" not in variables
    assert (variables["HOME"], program.files, program.network) == (str(tmp_path), [], False)
    assert all(program.is_open_to(user, "free") for user in (1, 2))


@pytest.mark.parametrize(
    ("fields", "open_to"),
    [
        ({"plans": ["pro"]}, {(1, "pro"), (2, "pro")}),
        ({"users": [2]}, {(2, "free"), (2, "pro")}),
        ({"plans": ["pro"], "users": [2]}, {(1, "pro"), (2, "free"), (2, "pro")}),
        ({"plans": []}, set()),
    ],
)
def test_who_may_import_a_program(fields: dict[str, Any], open_to: set[tuple[int, str]]) -> None:
    program = Program(command=["a"], **fields)
    callers = [(user, plan) for user in (1, 2) for plan in ("free", "pro")]
    assert {caller for caller in callers if program.is_open_to(*caller)} == open_to


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[files]\n", "command"),
        ("[files]\ncommand = []\n", "command"),
        ("[files]\ncommand = 'mcp-files --root /'\n", "command"),
        ("[Files]\ncommand = ['a']\n", "Files"),
        ("[files]\ncommand = ['a']\nshell = true\n", "shell"),
        ("[files]\ncommand = ['a']\nenvironment = { 'A=B' = '' }\n", "A=B"),
        ("[files\n", "is invalid"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(Unavailable, match=words):
        AllowedPrograms.load(tmp_path / "a.toml")
    with pytest.raises(Unavailable, match=r"b\.toml"):
        AllowedPrograms.load(tmp_path / "b.toml")


def test_without_a_file_there_are_none() -> None:
    with pytest.raises(ValidationFailed, match="RETINUE_MCP_PROGRAMS_FILE"):
        AllowedPrograms.load(None).check("files", 1, "free")
