"""One lane of the tool pool: a bounded number of worker processes for one kind of tool, shared fairly by accounts."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from retinue.core.errors import Unavailable
from retinue.core.runtime.fair_semaphore import FairSemaphore
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution import error_mapping
from retinue.tools.execution.output_files import Keep, keep_made_files
from retinue.tools.execution.process import Launch, WorkerDied, WorkerProcess
from retinue.tools.execution.replies import Reply

_log = structlog.get_logger()
_CLOSED = "The server is shutting down. Try again shortly."


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Limits that decide when workers are replaced or ended, and how many calls wait for one, for how long.

    A worker is replaced after `recycle_calls` calls, or when it holds more than `recycle_rss_mb` MiB after one. Idle
    workers end after `idle_s` seconds, until `spare` of them are left. In each lane at most `queue` calls wait, at
    most `queue_each` of one account and none longer than `patience_s` seconds; calls of background runs do not count.
    `time_factor` multiplies the time limits of calls, imports and starts.
    """

    spare: int = 0
    idle_s: float = 180.0
    recycle_calls: int = 1000
    recycle_rss_mb: int = 512
    queue: int = 1000
    queue_each: int = 250
    patience_s: float = 60.0
    time_factor: float = 1.0


class WorkerGroup:
    """Runs as many concurrent calls as `slots` allows, each in a worker process of its own for that time.

    Workers start on demand. `start_worker` starts one; `in_background` runs tasks that no caller waits for.
    """

    def __init__(
        self,
        slots: FairSemaphore,
        limits: PoolLimits,
        start_worker: Callable[[Launch], Coroutine[object, None, WorkerProcess]],
        in_background: Callable[[Coroutine[object, None, None]], None],
    ) -> None:
        self.slots = slots
        self._limits = limits
        self._start_worker = start_worker
        self._in_background = in_background
        self._launch: Launch | None = None
        self._idle: list[tuple[float, WorkerProcess]] = []
        """Idle workers with the loop time at which each became idle, longest idle first."""
        self._busy: set[WorkerProcess] = set()
        self._shrinking: asyncio.TimerHandle | None = None

    def start(self, launch: Launch) -> None:
        """Start workers with these parameters from now on; older workers end after their current call."""
        self._launch = launch
        for _, worker in list(self._idle):
            self._retire(worker)
        self._keep_spare()

    def stop(self) -> None:
        """Kill all workers, including calls in progress."""
        self._launch = None
        if self._shrinking:
            self._shrinking.cancel()
        for worker in [*(worker for _, worker in self._idle), *self._busy]:
            self._retire(worker)

    async def run(self, tool: Tool, args: Mapping[str, object], files: Mapping[str, Path], keep: Keep | None) -> Reply:
        """Run a call whose caller holds one of the `slots`; return the worker's reply.

        A worker that does not reply normally is not reused. Raises `Unavailable` if no worker is available.
        """
        worker = await self._take(tool)
        try:
            reply = await worker.prepare(tool)
            if reply["kind"] == "imported":
                await worker.lend(files)
                reply = await worker.call(tool, args)
            if keep and reply["kind"] == "result":
                reply["result"] = await keep_made_files(
                    tool.result_schema, reply["result"], worker.open_made_file, keep
                )
        except TimeoutError:
            self._retire(worker)
            raise error_mapping.timeout_error(tool, loaded=tool.module in worker.modules) from None
        except WorkerDied as death:
            self._retire(worker)
            raise error_mapping.crash_error(tool, death.status) if self._launch else Unavailable(_CLOSED) from death
        except BaseException:
            self._retire(worker)
            raise
        self._give_back(worker, reply)
        return reply

    async def _take(self, tool: Tool) -> WorkerProcess:
        """Return an idle worker, preferably one that has imported the tool's module; else a new one."""
        if not self._launch:
            raise Unavailable(_CLOSED)
        for _, worker in list(self._idle):
            if not worker.alive:
                self._retire(worker)
        if self._idle:
            fitting = (entry for entry in reversed(self._idle) if tool.module in entry[1].modules)
            entry = next(fitting, self._idle[-1])
            self._idle.remove(entry)
            worker = entry[1]
        else:
            worker = await self._new_worker(self._launch)
        self._busy.add(worker)
        return worker

    async def _new_worker(self, launch: Launch) -> WorkerProcess:
        try:
            worker = await self._start_worker(launch)
        except (OSError, WorkerDied) as error:
            _log.error("tool_worker_not_started", error=str(error))
            raise Unavailable("No worker process for tools could be started. Try again shortly.") from error
        if not self._launch:
            self._retire(worker)
            raise Unavailable(_CLOSED)
        return worker

    def _give_back(self, worker: WorkerProcess, reply: Reply) -> None:
        limits = self._limits
        worn = worker.calls >= limits.recycle_calls or worker.rss_mb > limits.recycle_rss_mb
        if worn or reply["kind"] == "memory" or worker.launch is not self._launch:
            self._retire(worker)
        else:
            self._busy.discard(worker)
            self._add_idle(worker)

    def _add_idle(self, worker: WorkerProcess) -> None:
        loop = asyncio.get_running_loop()
        self._idle.append((loop.time(), worker))
        if len(self._idle) > self._limits.spare and not self._shrinking:
            self._shrinking = loop.call_later(self._limits.idle_s, self._shrink)

    def _shrink(self) -> None:
        """End workers that have been idle too long, and schedule the next check."""
        loop = asyncio.get_running_loop()
        self._shrinking = None
        while len(self._idle) > self._limits.spare:
            since, worker = self._idle[0]
            if since + self._limits.idle_s > loop.time():
                self._shrinking = loop.call_at(since + self._limits.idle_s, self._shrink)
                return
            self._retire(worker)

    def _retire(self, worker: WorkerProcess) -> None:
        self._busy.discard(worker)
        self._idle = [entry for entry in self._idle if entry[1] is not worker]
        worker.kill()
        self._in_background(worker.wait_until_gone())
        self._keep_spare()

    def _keep_spare(self) -> None:
        if self._launch and len(self._idle) < self._limits.spare:
            self._in_background(self._start_spare())

    async def _start_spare(self) -> None:
        """Start a worker for the next call if none is idle and a slot is free."""
        if not self.slots.free:
            return  # the holder of the slots leaves an idle worker behind, or starts another spare one
        async with self.slots.slot():
            if self._launch and len(self._idle) < self._limits.spare:
                with suppress(Unavailable):
                    self._add_idle(await self._new_worker(self._launch))
