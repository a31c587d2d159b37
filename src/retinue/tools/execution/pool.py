"""Run tools in a bounded number of worker processes, so that no tool can harm the server or another call."""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from retinue.core.network.http_client import AddressGuard
from retinue.core.runtime.fair_semaphore import FairSemaphore
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution import error_mapping
from retinue.tools.execution.confinement import Confinement
from retinue.tools.execution.output_files import Keep
from retinue.tools.execution.parent_death_pipe import open_lifeline
from retinue.tools.execution.process import Launch, WorkerProcess
from retinue.tools.execution.worker_group import PoolLimits, WorkerGroup
from retinue.tools.outbound.socket_broker import SocketBroker


class ToolPool:
    """Two lanes of workers: `size` for tools that compute, `network_size` for tools that wait for other hosts.

    In each lane accounts take turns. One account uses at most all but one of the computing workers, and at most half
    of the others, so that a worker is left for the next account. Workers start on demand, and one computing worker is
    always ready. `python` is the interpreter of an environment with the tools' libraries and orjson; `paths` are
    further folders to import tools from. `scratch` is a folder for this pool alone, emptied at start. Open-world
    tools may reach the addresses that `guard` permits, by default public ones.
    """

    def __init__(
        self,
        size: int = 2,
        *,
        network_size: int = 8,
        python: str = sys.executable,
        paths: Sequence[str] = (),
        guard: AddressGuard | None = None,
        scratch: Path | None = None,
        limits: PoolLimits | None = None,
    ) -> None:
        self._scratch = scratch
        self._python, self._paths = python, tuple(paths)
        self.confinement = Confinement()
        self._broker = SocketBroker(guard or AddressGuard())
        self._lifeline: tuple[int, ...] = ()
        self._launch: Launch | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        limits = limits or PoolLimits()
        self._time_factor = limits.time_factor

        def lane(size: int, share: int, spare: int) -> WorkerGroup:
            slots = FairSemaphore(
                size,
                "a tool worker",
                share=max(share, 1),
                queue=limits.queue,
                queue_each=limits.queue_each,
                patience_s=limits.patience_s,
            )
            return WorkerGroup(slots, replace(limits, spare=spare), self._start_worker, self._in_background)

        self._computing = lane(size, size - 1, spare=1)
        self._network = lane(network_size, network_size // 2, spare=0)

    async def start(self) -> None:
        """Open the pool and begin to start its first worker, without waiting for it."""
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch.mkdir(parents=True, mode=0o700)
        folder = self._scratch or Path(tempfile.mkdtemp(prefix="retinue-tools-"))
        self._lifeline = open_lifeline()
        self._launch = Launch(self._python, self._paths, folder, self._lifeline[0], self.confinement, self._time_factor)
        for lane in self._lanes:
            lane.start(self._launch)

    async def stop(self) -> None:
        """Kill all workers, including calls in progress, and wait until they are gone."""
        if (launch := self._launch) is None:
            return
        self._launch = None
        for lane in self._lanes:
            lane.stop()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._broker.close()
        for end in self._lifeline:
            os.close(end)
        shutil.rmtree(launch.scratch, ignore_errors=True)

    def use(self, python: str) -> None:
        """Start workers with another interpreter from now on; older workers end after their current call."""
        self._python = python
        if self._launch:
            self._launch = replace(self._launch, python=python)
            for lane in self._lanes:
                lane.start(self._launch)

    async def execute(
        self,
        tool: Tool,
        args: Mapping[str, object],
        files: Mapping[str, Path] | None = None,
        keep: Keep | None = None,
        account: int = 0,
        *,
        waited_for: bool = True,
    ) -> dict[str, Any]:
        """Call a tool with validated arguments for an account, and return its result, a JSON object.

        The tool finds copies of `files` in its working folder, named by their keys. `keep` stores the files that the
        tool creates, and the ids it returns replace their names in the result. `waited_for` says whether a client
        waits: such calls go first, and are refused if they wait too long.

        Raises `ValidationFailed` if the tool refuses the arguments or needs too much memory, `Unavailable` if the
        account gets no turn, the tool exceeds its time-out or a service it needs is unavailable, `InternalError` if
        the tool is at fault. Cancelling stops the call.
        """
        lane = self._network if tool.open_world else self._computing
        async with lane.slots.slot(account, waited_for=waited_for):
            return error_mapping.result(tool, await lane.run(tool, args, files or {}, keep))

    def with_time(self, tool: Tool) -> Tool:
        """Return the tool with the time limit that it has in this process, where nothing limits its processor time."""
        return tool if self._time_factor == 1 else replace(tool, timeout_s=tool.timeout_s * self._time_factor)

    @property
    def _lanes(self) -> tuple[WorkerGroup, WorkerGroup]:
        return self._computing, self._network

    async def _start_worker(self, launch: Launch) -> WorkerProcess:
        worker = await WorkerProcess.start(launch)
        self._in_background(self._broker.serve(worker.channel, worker.admit, lambda: worker.account))
        return worker

    def _in_background(self, work: Coroutine[object, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
