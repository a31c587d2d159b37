"""Runs tools in a bounded number of worker processes, so that no tool can harm the server or another call."""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from retinue.core.errors import Unavailable
from retinue.core.http_client import Guard
from retinue.tools import outcomes
from retinue.tools.base import Tool
from retinue.tools.broker import Broker
from retinue.tools.confinement import Confinement
from retinue.tools.keeping import Keep, kept
from retinue.tools.lifeline import open_lifeline
from retinue.tools.process import Launch, WorkerDied, WorkerProcess

_log = structlog.get_logger()
_CLOSED = "The server is shutting down. Try again shortly."


class ToolPool:
    """`size` calls run at once, the others wait in the order of their arrival.

    Workers start when they are needed, and one always stands ready. A worker is replaced after `recycle_calls` calls,
    when it holds more than `recycle_rss_mb` MiB after one, and after any call that did not end by itself.
    `python` may name the interpreter of another environment that has the tools' libraries and orjson; `paths` are
    further folders to import tools from. `scratch` is a folder of the pool's own, emptied at start. Tools of the open
    world reach what `guard` permits, by default public addresses.
    """

    def __init__(
        self,
        size: int = 2,
        *,
        python: str = sys.executable,
        paths: Sequence[str] = (),
        guard: Guard | None = None,
        scratch: Path | None = None,
        recycle_calls: int = 1000,
        recycle_rss_mb: int = 512,
        max_waiting: int = 1000,
    ) -> None:
        self._size = size
        self._scratch = scratch
        self._python, self._paths = python, tuple(paths)
        self.confinement = Confinement()
        self._broker = Broker(guard or Guard())
        self._lifeline: tuple[int, ...] = ()
        self._launch: Launch | None = None
        self._recycle_calls = recycle_calls
        self._recycle_rss_mb = recycle_rss_mb
        self._max_waiting = max_waiting
        self._waiting = 0
        self._slots = asyncio.Semaphore(size)
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Open the pool and begin to start its first worker. Waits for nothing."""
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch.mkdir(parents=True, mode=0o700)
        folder = self._scratch or Path(tempfile.mkdtemp(prefix="retinue-tools-"))
        self._lifeline = open_lifeline()
        self._launch = Launch(self._python, self._paths, folder, self._lifeline[0], self.confinement)
        self._in_background(self._warm())

    async def stop(self) -> None:
        """Kill all workers, calls in progress with them, and wait until they are gone."""
        if (launch := self._launch) is None:
            return
        self._launch = None
        for worker in [*self._idle, *self._busy]:
            self._retire(worker)
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._broker.close()
        for end in self._lifeline:
            os.close(end)
        shutil.rmtree(launch.scratch, ignore_errors=True)

    def use(self, python: str) -> None:
        """From now on, start workers with another interpreter; those that run end after the call they are at."""
        if self._launch:
            self._launch = replace(self._launch, python=python)
        self._python = python
        for worker in list(self._idle):
            self._retire(worker)

    async def execute(
        self,
        tool: Tool,
        args: Mapping[str, Any],
        files: Mapping[str, Path] | None = None,
        keep: Keep | None = None,
    ) -> dict[str, Any]:
        """Call a tool with arguments that were checked, and return its result, a JSON object.

        The tool finds copies of `files` in its working folder, under the names that are their keys. Files that it
        made are handed to `keep` with their names, and what that returns takes the place of the name in the result.
        Raises `ValidationFailed` when the tool refuses them or they need too much memory, `Unavailable` when it ran
        past its time-out or what it leans on is away, `InternalError` when the tool is at fault. Cancelling stops it.
        """
        if self._waiting >= self._max_waiting:
            raise Unavailable("Too many tool calls are waiting. Try again in a few seconds.")
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            return outcomes.result(tool, await self._run(tool, args, files or {}, keep))
        finally:
            self._slots.release()

    async def _run(
        self, tool: Tool, args: Mapping[str, Any], files: Mapping[str, Path], keep: Keep | None
    ) -> dict[str, Any]:
        """The worker's reply. A worker that did not come to an ordinary reply is not used again."""
        worker = await self._take(tool)
        try:
            reply = await worker.prepare(tool)
            if reply["kind"] == "imported":
                await worker.lend(files)
                reply = await worker.call(tool, args)
            if keep and reply["kind"] == "result":
                reply["result"] = await kept(tool.result_schema, reply["result"], worker.made, keep)
        except TimeoutError:
            self._retire(worker)
            raise outcomes.overrun(tool, loaded=tool.module in worker.modules) from None
        except WorkerDied as death:
            self._retire(worker)
            raise outcomes.death(tool, death.status) if self._launch else Unavailable(_CLOSED) from death
        except BaseException:
            self._retire(worker)
            raise
        self._give_back(worker, reply)
        return reply

    async def _take(self, tool: Tool) -> WorkerProcess:
        """The best idle worker, one that has the tool's module if there is one; else a new one."""
        if not self._launch:
            raise Unavailable(_CLOSED)
        for worker in [worker for worker in self._idle if not worker.alive]:
            self._retire(worker)
        if self._idle:
            worker = next((idle for idle in reversed(self._idle) if tool.module in idle.modules), self._idle[-1])
            self._idle.remove(worker)
        else:
            worker = await self._start(self._launch)
        self._busy.add(worker)
        return worker

    async def _start(self, launch: Launch) -> WorkerProcess:
        try:
            worker = await WorkerProcess.start(launch)
        except (OSError, WorkerDied) as error:
            _log.error("tool_worker_not_started", error=str(error))
            raise Unavailable("No worker process for tools could be started. Try again shortly.") from error
        self._in_background(self._broker.serve(worker.channel, worker.admit))
        if not self._launch:
            self._retire(worker)
            raise Unavailable(_CLOSED)
        return worker

    def _give_back(self, worker: WorkerProcess, reply: Mapping[str, Any]) -> None:
        worn = worker.calls >= self._recycle_calls or worker.rss_mb > self._recycle_rss_mb
        if worn or reply["kind"] == "memory" or worker.launch is not self._launch:
            self._retire(worker)
        else:
            self._busy.discard(worker)
            self._idle.append(worker)

    def _retire(self, worker: WorkerProcess) -> None:
        self._busy.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        worker.kill()
        self._in_background(worker.gone())
        if self._launch and not self._idle:
            self._in_background(self._warm())

    async def _warm(self) -> None:
        """Start a worker for the next call if none stands ready."""
        async with self._slots:
            if self._launch and not self._idle:
                with suppress(Unavailable):
                    self._idle.append(await self._start(self._launch))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
