"""Start a program in a sandbox: bubblewrap sets up the sandbox, then come the limits, then the program."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

import orjson

from retinue.core.children import processes
from retinue.sandbox import seccomp
from retinue.sandbox.bwrap_args import BwrapArgs, SandboxFolders
from retinue.sandbox.limits import ResourceLimits
from retinue.sandbox.outputs import OutputCollector, drain

_SETUP_S = 10.0
_INFO_BYTES = 4096


class SandboxFailed(Exception):
    """bubblewrap could not set up the sandbox; the message is bubblewrap's."""


@dataclass(frozen=True, slots=True)
class RunningProgram:
    """A running program. `leader` is process 1 of the sandbox, `handle` its pidfd; when it ends, all others end."""

    process: processes.Process
    leader: int
    handle: int

    async def end(self) -> None:
        """Kill every process in the sandbox and wait until all are gone (pid_namespaces(7))."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.handle, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self.handle)


@asynccontextmanager
async def launch(
    bwrap_args: BwrapArgs,
    place: SandboxFolders,
    command: Sequence[str],
    environment: Mapping[str, str],
    limits: ResourceLimits,
) -> AsyncIterator[RunningProgram]:
    """Start a program, and kill every process in its sandbox on exit.

    The program reads standard input from the file `stdin` of its place. Raises `SandboxFailed`.
    """
    with ExitStack() as ends:
        channel, theirs = socket.socketpair()
        ends.enter_context(channel).setblocking(False)
        reader, info = os.pipe()
        ends.callback(os.close, reader)
        try:
            process = await _spawn(bwrap_args, place, command, environment, limits, (theirs.fileno(), info))
        finally:
            theirs.close()
            os.close(info)
        try:
            await _wait_for_setup(channel, process)
        except BaseException:
            # Bubblewrap may not yet have bound its children to its own life. At first they are in its process group;
            # the first program, which has its own session, exits when the channel closes.
            process.kill_group()
            channel.close()
            await drain(process.stdout, OutputCollector(0))  # ends when every process that holds it open is gone
            raise
        try:
            leader = orjson.loads(os.read(reader, _INFO_BYTES))["child-pid"]
            running = RunningProgram(process, leader, os.pidfd_open(leader))
            ends.callback(os.close, running.handle)
            process.set_session_niceness(leader, processes.BACKGROUND)
            # Only after the sandbox is set up: from then on the program ends with this process, however that ends.
            channel.send(b"g")
            try:
                yield running
            finally:
                await running.end()
        finally:
            process.kill()
            await process.wait()


async def _spawn(
    bwrap_args: BwrapArgs,
    place: SandboxFolders,
    command: Sequence[str],
    environment: Mapping[str, str],
    limits: ResourceLimits,
    passed: tuple[int, int],
) -> processes.Process:
    """Start bubblewrap with a channel for its first program and a pipe on which bubblewrap reports that program."""
    channel, info = passed
    with ExitStack() as files:
        stdin = os.open(place.root / "stdin", os.O_RDONLY | os.O_CLOEXEC)
        files.callback(os.close, stdin)
        options, refused = _open_pipe_with(bwrap_args.options(place), files), _open_pipe_with(seccomp.program(), files)
        try:
            return await processes.start(
                [
                    *(bwrap_args.bwrap, "--args", str(options), "--seccomp", str(refused), "--info-fd", str(info)),
                    *bwrap_args.first(place, channel, limits.resources()),
                    *command,
                ],
                stdin=stdin,
                stdout=processes.PIPE,
                stderr=processes.PIPE,
                env={**bwrap_args.environment(), **environment},
                cwd="/",
                pass_fds=(options, refused, *passed),
            )
        except OSError as error:
            raise SandboxFailed(f"{bwrap_args.bwrap}: {error.strerror}") from error


def _open_pipe_with(content: bytes, files: ExitStack) -> int:
    """Return the read end of a pipe that contains these bytes, fewer than a pipe's capacity (64 KiB, pipe(7))."""
    reading, writing = os.pipe()
    files.callback(os.close, reading)
    os.write(writing, content)
    os.close(writing)
    return reading


async def _wait_for_setup(channel: socket.socket, process: processes.Process) -> None:
    """Wait until the first program reports that the sandbox is set up."""
    try:
        async with asyncio.timeout(_SETUP_S):
            if await asyncio.get_running_loop().sock_recv(channel, 1):
                return
            output = await process.stderr.read() if process.stderr else b""
    except TimeoutError as error:
        raise SandboxFailed(f"it took longer than {_SETUP_S:g} s") from error
    lines = output.decode(errors="replace").strip().splitlines()
    raise SandboxFailed(lines[-1][:300] if lines else "it gave no reason")
