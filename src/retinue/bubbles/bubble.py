"""Run programs in one sandbox, one after another, each from its start to the end of its last process."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from retinue.bubbles.bwrap_args import Place, Walls
from retinue.bubbles.folders import hand_over
from retinue.bubbles.launch import Running, launch
from retinue.bubbles.limits import Limits
from retinue.bubbles.outputs import Output, Printed, drain
from retinue.bubbles.resource_monitor import check_exceeded
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread

Stopped = Literal["", "time", "memory", "disk"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    `stopped` names the limit that ended it; without one, the program exited with `exit_code`.
    """

    exit_code: int
    stopped: Stopped
    stdout: Printed
    stderr: Printed
    duration_s: float


@dataclass(frozen=True, slots=True)
class Bubble:
    """Runs programs that share the same folders."""

    walls: Walls
    place: Place

    @property
    def folder(self) -> Path:
        """The programs' working folder. Nothing writes to it while no program runs."""
        return self.place.folder

    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: str = "",
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Ended:
        """Run a program and wait until all its processes are gone. Raises `NotWalledIn`. Cancelling kills the
        program.
        """
        if any("\0" in word for word in command):
            raise ValidationFailed("A command line cannot hold the NUL character.")
        bounds = limits or Limits()
        await run_on_disk_thread(self._prepare, stdin)
        outputs = Output(bounds.output_bytes), Output(bounds.output_bytes)
        async with launch(self.walls, self.place, command, environment or {}, bounds) as running:
            process, began = running.process, time.monotonic()
            streams = zip((process.stdout, process.stderr), outputs, strict=True)
            drains = [asyncio.create_task(drain(stream, output)) for stream, output in streams]
            stopped = await self._wait(running, bounds)
            duration = time.monotonic() - began
        await asyncio.gather(*drains)
        printed = [output.output() for output in outputs]
        return Ended(await process.wait(), stopped, printed[0], printed[1], duration)

    def _prepare(self, stdin: str) -> None:
        (self.place.root / "stdin").write_text(stdin, errors="replace")
        if self.place.user:
            for folder in self.place.writable.values():
                hand_over(str(folder), self.place.user)

    async def _wait(self, running: Running, limits: Limits) -> Stopped:
        """Wait until the program ends or exceeds a limit."""
        ended = asyncio.create_task(running.process.wait())
        excess = asyncio.create_task(check_exceeded(running.leader, self.place.root, limits))
        try:
            done, _ = await asyncio.wait({ended, excess}, timeout=limits.seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            excess.cancel()
        if ended in done:
            return ""
        return excess.result() if excess in done else "time"
