"""Start, call and end one worker process from the pool."""

import asyncio
import os
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Self

import orjson

from retinue.core.children import frames, processes
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.executors import acting_for, run_on_disk_thread
from retinue.tools.authoring.libraries import PACKAGE, import_paths
from retinue.tools.authoring.output_file_api import OUTPUT_FOLDER
from retinue.tools.authoring.plugin_module import PluginModule
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.confinement import Confinement
from retinue.tools.execution.parent_death_pipe import open_lifeline
from retinue.tools.execution.replies import Reply

START_TIMEOUT_S = 30.0
IMPORT_TIMEOUT_S = 60.0
_NONE = -(1 << 30)
_BLOCK = 1 << 20
_BOOT = (
    "import sys, json; sys.path += json.loads(sys.argv[1])['paths']; "
    "from retinue.tools.execution.worker import main; main()"
)


class WorkerDied(Exception):
    """The process ended or sent invalid data. `status` is its exit status, negative for a signal, None if it still
    ran.
    """

    def __init__(self, status: int | None) -> None:
        super().__init__(f"the worker ended with {status}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start workers: the Python interpreter, the folders to import from besides those of tool packages, and
    the folder for scratch folders.

    `lifeline` is the read end of a pipe whose write end only the server has. `time_factor` multiplies the time limits
    of calls, starts and imports.
    """

    python: str
    paths: Sequence[str]
    scratch: Path
    lifeline: int
    confinement: Confinement = field(default_factory=Confinement)
    time_factor: float = 1.0

    def command(self, scratch: str, channel: int) -> list[str]:
        """Return the command line of one worker. It requests connections over `channel`."""
        options = {
            "parent": os.getpid(),
            "lifeline": self.lifeline,
            "scratch": scratch,
            "channel": channel,
            "paths": [*self.paths, *import_paths(), str(PACKAGE.parents[1])],
        }
        return [self.python, "-I", "-c", _BOOT, orjson.dumps(options).decode()]

    def environment(self, scratch: str) -> Mapping[str, str]:
        """Return the environment variables, none from the server. Numeric libraries get one thread: the pool provides
        the parallelism.
        """
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")}
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": scratch,
            "TMPDIR": scratch,
            **threads,
        }


@dataclass(slots=True, eq=False)
class WorkerProcess:
    """A running worker. It takes one request at a time; after a failed or cancelled one it must be killed."""

    process: processes.Process
    scratch: str
    launch: Launch
    channel: socket.socket
    """The socket over which the worker requests connections."""
    connections: int = 0
    """How many connections the current call has requested; negative if it may have none."""
    account: int = 0
    """The account that the current call works for."""
    modules: set[str] = field(default_factory=set)
    calls: int = 0
    rss_mb: int = 0

    @classmethod
    async def start(cls, launch: Launch) -> Self:
        """Start a worker and wait until it is confined and ready.

        Raises `OSError` and `WorkerDied` if it does not start, `Unavailable` if confinement is required and
        incomplete.
        """
        scratch = tempfile.mkdtemp(prefix="worker-", dir=launch.scratch)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        try:
            with theirs:
                process = await processes.start(
                    launch.command(scratch, theirs.fileno()),
                    stdin=processes.PIPE,
                    stdout=processes.PIPE,
                    env=launch.environment(scratch),
                    cwd=scratch,
                    pass_fds=(launch.lifeline, theirs.fileno()),
                    niceness=processes.BACKGROUND,
                )
        except BaseException:
            ours.close()
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        worker = cls(process, scratch, launch, ours)
        try:
            launch.confinement.note((await worker._exchange(None, START_TIMEOUT_S * launch.time_factor))["unconfined"])
        except BaseException:
            worker.kill()
            process.close()
            ours.close()
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        return worker

    @property
    def alive(self) -> bool:
        """True if the process is running now."""
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except ChildProcessError:
            return False

    async def prepare(self, tool: Tool) -> Reply:
        """Import the tool's module. Raises `TimeoutError` if that takes longer than a minute, and `WorkerDied`."""
        if tool.module in self.modules:
            return {"kind": "imported"}
        request = {"module": tool.module, "source": tool.source}
        reply = await self._exchange(request, IMPORT_TIMEOUT_S * self.launch.time_factor)
        if reply["kind"] == "imported":
            self.modules.add(tool.module)
        return reply

    async def compile(self, modules: Sequence[PluginModule], timeout_s: float) -> Reply:
        """Compile modules by other authors. Raises `TimeoutError` and `WorkerDied`."""
        return await self._exchange({"compile": modules}, timeout_s)

    async def lend(self, files: Mapping[str, Path]) -> None:
        """Copy files into the scratch folder, where they stay until the next call ends.

        They are not links: a tool may write to its scratch folder, but must not modify the original files. Raises
        `ValidationFailed` for a missing file, `Unavailable` if the disk is full.
        """
        for name, path in files.items():
            try:
                await run_on_disk_thread(self._copy, path, name)
            except FileNotFoundError as error:
                raise ValidationFailed(f"The file {name} has been deleted.") from error
            except OSError as error:
                raise Unavailable(
                    f"The file {name} cannot be passed to a tool ({error.strerror}). Try again."
                ) from error

    def _copy(self, path: Path, name: str) -> None:
        """Create a file owned by the worker's user, directly in the scratch folder: no existing link is followed."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        folder = os.open(self.scratch, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            with path.open("rb") as source, os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as copy:
                owner = os.fstat(folder)
                os.fchown(copy.fileno(), owner.st_uid, owner.st_gid)
                shutil.copyfileobj(source, copy, _BLOCK)
        finally:
            os.close(folder)

    async def call(self, tool: Tool, args: Mapping[str, object]) -> Reply:
        """Call the tool. Raises `TimeoutError` if it exceeds its time-out, and `WorkerDied`.

        The time-out limits its processor time too, which the time factor does not lengthen: a busy machine makes a
        tool wait, not compute.
        """
        limits = {"timeout_s": tool.timeout_s, "memory_mb": tool.memory_mb}
        self.calls += 1
        self.connections = 0 if tool.open_world else _NONE
        self.account = acting_for.get()
        request = {"module": tool.module, "name": tool.function, "args": tool.function_arguments(args), **limits}
        return await self._exchange(request, tool.timeout_s * self.launch.time_factor)

    def admit(self) -> int:
        """Count a requested connection; return 0 if the current call may have none."""
        self.connections += 1
        return max(self.connections, 0)

    def open_made_file(self, name: str) -> BinaryIO:
        """Open a file that the last call created, so that no link leads out of the folder. Raises `OSError`."""
        if Path(name).name != name:
            raise FileNotFoundError(name)
        folder = os.open(Path(self.scratch, OUTPUT_FOLDER), os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            file = os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder), "rb")
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise FileNotFoundError(name)
        return file

    async def _exchange(self, request: Mapping[str, object] | None, timeout_s: float) -> Reply:
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise WorkerDied(None)
        try:
            async with asyncio.timeout(timeout_s):
                if request is not None:
                    stdin.write(frames.pack(orjson.dumps(request)))
                    await stdin.drain()
                reply: Reply = orjson.loads(await frames.receive(stdout))
        except TimeoutError:
            raise
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            raise WorkerDied(await self._status()) from error
        self.rss_mb = reply.get("rss_mb", self.rss_mb)
        return reply

    async def _status(self) -> int | None:
        """Return the exit status of a process that has just closed its pipe, after waiting up to a second for its
        end.
        """
        try:
            async with asyncio.timeout(1):
                return await self.process.wait()
        except TimeoutError:
            return None

    def kill(self) -> None:
        """Kill the process and all processes it has started."""
        if self.process.returncode is None:
            self.process.kill_group()

    async def wait_until_gone(self) -> None:
        """Wait for the end of a killed process and remove its scratch folder."""
        await self.process.wait()
        self.process.close()
        self.channel.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


@asynccontextmanager
async def temporary_worker(scratch: Path, confinement: Confinement) -> AsyncIterator[WorkerProcess]:
    """A worker of this Python, which ends with the context. Raises `Unavailable`."""
    lifeline = open_lifeline()
    try:
        try:
            worker = await WorkerProcess.start(Launch(sys.executable, (), scratch, lifeline[0], confinement))
        except (OSError, WorkerDied) as error:
            raise Unavailable(f"No tool worker process can be started: {error}") from error
        try:
            yield worker
        finally:
            worker.kill()
            await worker.wait_until_gone()
    finally:
        for end in lifeline:
            os.close(end)


async def try_out(scratch: Path) -> Confinement:
    """Start a worker of this Python, end it, and report how well it was confined. Raises `Unavailable`."""
    confinement = Confinement()
    async with temporary_worker(scratch, confinement):
        return confinement
