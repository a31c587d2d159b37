"""Starts all child processes.

No Python code may run in a child before exec. With uvloop and `os.fork` some does: the child may wait forever for an
interpreter lock that another thread held at the fork, and the server waits for the child. `subprocess` does
everything in C with vfork(2), as long as there is no `preexec_fn`. It also closes every descriptor that the caller
does not pass on.

A start takes about a millisecond and runs on the event loop's thread. Another thread would not help: vfork(2) holds
the interpreter lock until exec. Also, a child that requests a signal at its parent's death (prctl(2),
PR_SET_PDEATHSIG) receives it when the thread that started it ends.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import IO

__all__ = [
    "BACKGROUND", "DEVNULL", "PIPE", "REAL_TIME", "Popen", "Process", "capture", "complete", "popen", "popen_pipes",
    "set_close_on_exec", "start",
]  # fmt: skip

REAL_TIME, BACKGROUND = -10, 5
"""Nice values, relative to the server's own: of the media worker, and of what computes, such as tools and models."""

_LINE_BYTES = 1 << 16
_STANDARD = 2
_RETRY_S = 0.15


class Process:
    """A running child process with its streams. Created by `start`.

    It leads its own session and process group, so that no terminal signal reaches it.
    """

    def __init__(self, child: Popen[bytes]) -> None:
        self.pid = child.pid
        self.returncode: int | None = None
        """The exit status, negative for a signal; None while the process runs."""
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
        """Wait for the process to end and return its exit status. Its output can be read before or after."""
        await self._ended.wait()
        return self._child.wait()

    def kill(self) -> None:
        """Kill the process with SIGKILL, but not its children."""
        if self.returncode is None:
            self._child.kill()

    def kill_group(self) -> None:
        """Kill its whole process group with SIGKILL, even after its own end."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def set_niceness(self, value: int) -> None:
        """Set the nice value of the process, relative to this one, and of its session.

        A negative value has no effect without CAP_SYS_NICE. Call it before the process has threads or children.
        """
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.pid, os.getpriority(os.PRIO_PROCESS, 0) + value)
        self.set_session_niceness(self.pid, value)

    def set_session_niceness(self, member: int, value: int) -> None:
        """Set the nice value of the session that `member` leads, this process or one below it.

        With `sched_autogroup_enabled`, the kernel first shares the processors between sessions, and the nice value of
        a process only counts inside its session (sched(7)). Without root, the kernel accepts ten changes a second.
        """
        if self.returncode is not None:
            return
        try:
            Path(f"/proc/{member}/autogroup").write_text(str(value))
        except BlockingIOError:
            self._loop.call_later(_RETRY_S, self.set_session_niceness, member, value)
        except OSError:  # the kernel has no such groups, or does not permit the value
            return

    def close(self) -> None:
        """Close the pipes. Unread output is lost."""
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
            transport, _ = await self._loop.connect_write_pipe(lambda: protocol, self._without_second_close(pipe))
            self.stdin = asyncio.StreamWriter(transport, protocol, None, self._loop)
        self.stdout = await self._reader(self._child.stdout, line_bytes)
        self.stderr = await self._reader(self._child.stderr, line_bytes)

    async def _reader(self, pipe: IO[bytes] | None, line_bytes: int) -> asyncio.StreamReader | None:
        if pipe is None:
            return None
        reader = asyncio.StreamReader(line_bytes)
        transport, _ = await self._loop.connect_read_pipe(lambda: _ReadPipe(reader), self._without_second_close(pipe))
        self._reading.append(transport)
        return reader

    def _without_second_close(self, pipe: IO[bytes]) -> IO[bytes]:
        """Return the pipe as a file whose descriptor its transport closes exactly once.

        asyncio's transports close the file. Those of uvloop close the descriptor, and then the file too
        (MagicStack/uvloop#763). By then another thread may have opened a file with the same number.
        """
        with pipe:
            handle = os.dup(pipe.fileno())
        return open(handle, pipe.mode, buffering=0, closefd=isinstance(self._loop, asyncio.SelectorEventLoop))


class _ReadPipe(asyncio.StreamReaderProtocol):
    """Closes a pipe at EOF. uvloop would keep it open, as for a socket that can still write."""

    def eof_received(self) -> bool:
        super().eof_received()
        return False


async def start(  # noqa: PLR0913 - each is an option of the process
    command: Sequence[str],
    *,
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
    stderr: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    pass_fds: Sequence[int] = (),
    line_bytes: int = _LINE_BYTES,
    niceness: int = 0,
) -> Process:
    """Start a child process. It inherits only the descriptors in `pass_fds`. Raises `OSError`.

    By default it shares this process's standard error. `line_bytes` limits the length of a line that is read.
    `niceness` is `REAL_TIME`, 0 or `BACKGROUND`.
    """
    child = Popen(  # noqa: ASYNC220  see above; the commands are this project's or the operator's
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
    if niceness:
        process.set_niceness(niceness)
    try:
        await process.attach(line_bytes)
    except BaseException:
        process.kill_group()
        process.close()
        raise
    return process


def complete(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command, block until it ends, and capture its output."""
    return subprocess.run([*command], capture_output=True, text=True, stdin=DEVNULL, check=False)


def capture(command: Sequence[str], env: Mapping[str, str], cwd: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command with this environment in this folder, block until it ends, and capture its output as bytes."""
    return subprocess.run([*command], capture_output=True, stdin=DEVNULL, check=False, env=env, cwd=cwd)


def popen(command: Sequence[str], env: Mapping[str, str], stderr: int) -> Popen[str]:
    """Start a child for callers without an event loop. It stays in this process's session."""
    return Popen([*command], env=env, stdout=PIPE, stderr=stderr, text=True)


def popen_pipes(command: Sequence[str]) -> Popen[bytes]:
    """Start a child for callers without an event loop, with pipes for its input and output."""
    return Popen([*command], stdin=PIPE, stdout=PIPE)


def set_close_on_exec() -> None:
    """Set close-on-exec for all inherited descriptors except the standard streams."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names are all that is wanted
        if int(name) > _STANDARD:
            with suppress(OSError):  # the descriptor of this listing is closed by now
                os.set_inheritable(int(name), False)
