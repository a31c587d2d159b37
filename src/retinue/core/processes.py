"""The one place where child processes start.

No Python runs in a child before it has become its program. uvloop and `os.fork` run some: the child takes a lock of the
interpreter that another thread may have held at the fork, waits for it without end, and the server waits for the child.
`subprocess` does all of it in C, with vfork(2), as long as no `preexec_fn` is given. It also closes every descriptor of
this process but those that are passed on.

A start takes about a millisecond. It happens on the event loop's thread: vfork(2) holds the interpreter's lock until
the child has become its program, so another thread would spare the loop nothing. And a child that asked for a signal at
its parent's death (prctl(2), PR_SET_PDEATHSIG) gets it when the thread that started it ends.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

__all__ = ["DEVNULL", "PIPE", "Popen", "Process", "complete", "popen", "popen_pipes", "set_close_on_exec", "start"]

_LINE_BYTES = 1 << 16
_STANDARD = 2


class Process:
    """A child process: its streams, and its end. Made by `start`.

    It leads a session and a process group of its own, so that no signal of a terminal reaches it.
    """

    def __init__(self, child: Popen[bytes]) -> None:
        self.pid = child.pid
        self.returncode: int | None = None
        """The exit status, negative for a signal; None while it runs."""
        self.stdin: asyncio.StreamWriter | None = None
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None
        self._child = child
        self._ended = asyncio.Event()
        self._reading: list[asyncio.BaseTransport] = []
        self._handle = os.pidfd_open(child.pid)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._handle, self._reap)

    async def wait(self) -> int:
        """Wait for its end; the exit status. What it wrote may be read before or after."""
        await self._ended.wait()
        return self._child.wait()

    def kill(self) -> None:
        """End it at once, and leave alone what it has started."""
        if self.returncode is None:
            self._child.kill()

    def kill_group(self) -> None:
        """End at once whatever is in its process group, also after its own end."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Close the pipes; what was not read is lost."""
        for transport in self._reading:
            transport.close()
        if self.stdin:
            self.stdin.close()

    def _reap(self) -> None:
        self._loop.remove_reader(self._handle)
        os.close(self._handle)
        self.returncode = self._child.wait()
        self._ended.set()

    async def attach(self, line_bytes: int) -> None:
        """Connect the pipes to the event loop."""
        if pipe := self._child.stdin:
            protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader())
            transport, _ = await self._loop.connect_write_pipe(lambda: protocol, pipe)
            self.stdin = asyncio.StreamWriter(transport, protocol, None, self._loop)
        self.stdout = await self._reader(self._child.stdout, line_bytes)
        self.stderr = await self._reader(self._child.stderr, line_bytes)

    async def _reader(self, pipe: object, line_bytes: int) -> asyncio.StreamReader | None:
        if pipe is None:
            return None
        reader = asyncio.StreamReader(line_bytes)
        transport, _ = await self._loop.connect_read_pipe(lambda: _ReadPipe(reader), pipe)
        self._reading.append(transport)
        return reader


class _ReadPipe(asyncio.StreamReaderProtocol):
    """Lets go of a pipe at its end: uvloop keeps it open where the protocol of a socket would still write."""

    def eof_received(self) -> bool:
        super().eof_received()
        return False


async def start(
    command: Sequence[str],
    *,
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
    stderr: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    pass_fds: Sequence[int] = (),
    line_bytes: int = _LINE_BYTES,
) -> Process:
    """Start a child. It gets `pass_fds` and no other descriptor. Raises `OSError`.

    Without `stderr` it writes there where this process does. Lines that are read may have `line_bytes`.
    """
    child = Popen(  # noqa: ASYNC220, S603  see above; the commands are this project's or the operator's
        [*command],
        bufsize=0,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=env,
        cwd=cwd,
        pass_fds=pass_fds,
        close_fds=True,
        start_new_session=True,
    )
    try:
        process = Process(child)
    except BaseException:
        child.kill()
        child.wait()
        raise
    try:
        await process.attach(line_bytes)
    except BaseException:
        process.kill_group()
        process.close()
        raise
    return process


def complete(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end while the caller waits. Its output is kept."""
    return subprocess.run([*command], capture_output=True, text=True, stdin=DEVNULL, check=False)  # noqa: S603  as above


def popen(command: Sequence[str], env: Mapping[str, str], stderr: int) -> Popen[str]:
    """Start a child for callers without an event loop. It stays in this process' session."""
    return Popen([*command], env=env, stdout=PIPE, stderr=stderr, text=True)  # noqa: S603  as above


def popen_pipes(command: Sequence[str]) -> Popen[bytes]:
    """Start a child for callers without an event loop that write to it and read what it answers."""
    return Popen([*command], stdin=PIPE, stdout=PIPE)  # noqa: S603  as above


def set_close_on_exec() -> None:
    """Mark all that this process was started with, but the standard streams, as no business of children."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names are all that is wanted
        if int(name) > _STANDARD:
            with suppress(OSError):  # the descriptor of this listing is closed by now
                os.set_inheritable(int(name), False)
