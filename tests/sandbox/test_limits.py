"""The resource limits of a sandboxed program, and the clean-up after it."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.sandbox.limits import ResourceLimits
from retinue.sandbox.sandboxes import Sandboxes
from retinue.tools.authoring.libraries import PACKAGE
from tests.sandbox.support import PYTHON, outcome, processes_with
from tests.support.waiting import eventually

pytestmark = pytest.mark.needs_program("bwrap")

SERVER = """
import asyncio, sys
from pathlib import Path
from retinue.sandbox.sandboxes import Sandboxes

async def main():
    sandboxes = Sandboxes(1, Path(sys.argv[1]), lambda: None)
    await sandboxes.start()
    async with sandboxes.sandbox() as sandbox:
        await sandbox.run(["/bin/sh", "-c", sys.argv[2]])

asyncio.run(main())
"""

FORKS = """
import os, signal
made = []
try:
    while True:
        child = os.fork()
        if child == 0:
            signal.pause()
        made.append(child)
except BlockingIOError:
    print(len(made))
"""

HOG = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        break
block = bytearray(os.urandom(1)) * (200 << 20)
time.sleep(60)
"""


def mark(seconds: int) -> tuple[str, str]:
    """Return a shell command that starts long-running processes, and the marker in their command lines."""
    marker = f"1000.{uuid4().int % 10**12:012d}"
    return f"(setsid sleep {marker} &) ; (setsid nohup sleep {marker} >/dev/null 2>&1 &) ; sleep {seconds}", marker


async def test_processes_are_few(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, [PYTHON, "-c", FORKS], limits=ResourceLimits(processes=20))
    assert 10 <= int(ended.stdout.text) < 20


async def test_a_fork_bomb_ends_with_its_time_and_leaves_nothing(sandboxes: Sandboxes) -> None:
    marker = uuid4().hex
    bomb = f"b() {{ b {marker} | b {marker} & }}; b {marker}; sleep 60"
    ended = await outcome(sandboxes, bomb, limits=ResourceLimits(seconds=2.0))
    assert ended.duration_s < 10
    assert processes_with(marker) == []


async def test_one_process_gets_no_more_memory_than_allowed(sandboxes: Sandboxes) -> None:
    script = "x = bytearray(2 << 30)"
    ended = await outcome(sandboxes, [PYTHON, "-c", script], limits=ResourceLimits(address_mb=1024))
    assert ended.exit_code == 1
    assert "MemoryError" in ended.stderr.text


async def test_all_processes_together_are_ended_past_the_memory_allowed(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, [PYTHON, "-c", HOG], limits=ResourceLimits(memory_mb=512))
    assert ended.stopped == "memory"


async def test_a_file_has_a_longest_size(sandboxes: Sandboxes) -> None:
    ended = await outcome(
        sandboxes, "head -c 3000000 /dev/zero > big; stat -c %s big", limits=ResourceLimits(file_mb=1)
    )
    assert ended.stdout.text == f"{1 << 20}\n"


@pytest.mark.parametrize(
    "script",
    [
        "for i in $(seq 100); do head -c 4000000 /dev/urandom > /tmp/$i; done; sleep 60",
        "exec 3> gone; rm gone; head -c 60000000 /dev/urandom >&3; sync /folder; sleep 60",
        "mkdir a; chmod 000 .; for i in $(seq 100); do head -c 4000000 /dev/urandom > /dev/shm/$i; done; sleep 60",
        "for i in $(seq 20000); do : > /tmp/$i; done; sleep 60",
        "for i in $(seq 200); do mkdir d; cd d; done; sleep 60",
    ],
)
async def test_the_disk_is_not_filled(sandboxes: Sandboxes, script: str) -> None:
    ended = await outcome(sandboxes, script, limits=ResourceLimits(seconds=30.0, disk_mb=32))
    assert ended.stopped == "disk"


async def test_output_without_end_is_cut_in_its_middle(sandboxes: Sandboxes) -> None:
    limits = ResourceLimits(seconds=2.0, output_bytes=1000)
    ended = await outcome(sandboxes, "echo first; yes; echo last", limits=limits)
    assert ended.stopped == "time"
    assert ended.stdout.text.startswith("first\ny\n")
    assert len(ended.stdout.text) < 1100
    assert ended.stdout.cut_bytes > 100_000


async def test_both_streams_keep_their_ends(sandboxes: Sandboxes) -> None:
    script = "seq 100000; seq 100000 >&2; echo end; echo end >&2"
    ended = await outcome(sandboxes, script, limits=ResourceLimits(output_bytes=2000))
    for printed in (ended.stdout, ended.stderr):
        assert printed.text.startswith("1\n2\n")
        assert printed.text.endswith("100000\nend\n")
        assert len(printed.text.encode()) <= 2000 + 60


async def test_when_time_is_up_all_that_was_started_ends(sandboxes: Sandboxes) -> None:
    command, marker = mark(60)
    ended = await outcome(sandboxes, command, limits=ResourceLimits(seconds=1.0))
    assert (ended.stopped, 1.0 <= ended.duration_s < 10) == ("time", True)
    assert processes_with(marker) == []


async def test_background_processes_end_with_their_program(sandboxes: Sandboxes) -> None:
    command, marker = mark(0)
    ended = await outcome(sandboxes, command)
    assert (ended.stopped, ended.exit_code) == ("", 0)
    assert processes_with(marker) == []


async def test_a_cancelled_call_ends_its_program(sandboxes: Sandboxes) -> None:
    command, marker = mark(60)
    call = asyncio.create_task(outcome(sandboxes, command))
    await asyncio.to_thread(eventually, lambda: len(processes_with(marker)) >= 3)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert processes_with(marker) == []


def test_nothing_survives_kill_9_of_the_server(tmp_path: Path) -> None:
    command, marker = mark(60)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE.parents[1]), *filter(None, sys.path)])}
    words = [sys.executable, "-c", SERVER, str(tmp_path / "bubbles"), command]
    with subprocess.Popen(words, env=environment) as server:
        eventually(lambda: len(processes_with(f"sleep\0{marker}")) == 2)  # the shells that started them have ended
        handles = [os.pidfd_open(pid) for pid in processes_with(marker) if pid != server.pid]
        server.send_signal(signal.SIGKILL)
    assert len(handles) >= 3
    for handle in handles:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        assert poll.poll(10_000), "a sandboxed process outlived the server"
        os.close(handle)


async def test_no_folder_is_left(sandboxes: Sandboxes, tmp_path: Path) -> None:
    script = "mkdir -p a/b; chmod 000 a; ln -s / link; for i in $(seq 300); do mkdir d; cd d; done; : > end"
    ended = await outcome(sandboxes, script, limits=ResourceLimits(disk_mb=4096))
    assert ended.stopped in ("", "disk")
    assert list((tmp_path / "bubbles").iterdir()) == []


async def test_one_waits_for_the_other_and_not_for_ever(sandboxes: Sandboxes) -> None:
    async with sandboxes.sandbox():
        with pytest.raises(Unavailable, match="for a sandbox"):
            await outcome(sandboxes, "true")
    ended = await outcome(sandboxes, "echo again")
    assert ended.stdout.text == "again\n"


@pytest.mark.parametrize(
    ("command", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("/nonexistent/program", 127), ("/folder", 126)]
)
async def test_the_exit_status_is_told(sandboxes: Sandboxes, command: str, code: int) -> None:
    ended = await outcome(sandboxes, command)
    assert (ended.stopped, ended.exit_code) == ("", code)


async def test_a_call_ends_whenever_it_is_cancelled_while_its_walls_go_up(sandboxes: Sandboxes) -> None:
    """Bubblewrap may die before its first program is set to die with it.

    That program then waits for a signal to continue.
    """
    for step in range(60):
        call = asyncio.create_task(outcome(sandboxes, "true"))
        await asyncio.wait([call], timeout=step / 1000)
        call.cancel()
        done, _ = await asyncio.wait([call], timeout=10)
        assert done, f"cancelled after {step} ms"


async def test_a_program_that_is_not_there_is_told(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, ["no-such-program"])
    assert (ended.exit_code, ended.stderr.text) == (127, "no-such-program: No such file or directory\n")


async def test_standard_input_is_read(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, "read -r line; echo $line; wc -c", stdin="ünï\n" * 100_000)
    assert ended.stdout.text == "ünï\n599994\n"


async def test_a_command_line_without_end_is_refused(sandboxes: Sandboxes) -> None:
    with pytest.raises(ValidationFailed, match="NUL"):
        await outcome(sandboxes, ["echo", "a\0b"])


async def test_the_number_of_files_is_bounded(sandboxes: Sandboxes) -> None:
    command = "i=0; while :; do i=$((i+1)); : > made-$i; mkdir dir-$i; done"
    ended = await outcome(sandboxes, command, limits=ResourceLimits(files=500))
    assert ended.stopped == "disk"
    ended = await outcome(sandboxes, "for i in $(seq 400); do : > made-$i; done", limits=ResourceLimits(files=500))
    assert (ended.stopped, ended.exit_code) == ("", 0)


async def test_a_program_has_the_standard_streams_and_nothing_else_open(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, "ls /proc/self/fd")
    assert ended.stdout.text.split() == ["0", "1", "2", "3"]  # The last one belongs to the listing itself.
