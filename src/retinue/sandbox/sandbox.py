"""Run programs in one sandbox, one after another, each from its start to the end of its last process."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from retinue.core.errors import ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.sandbox.bwrap_args import BwrapArgs, SandboxFolders
from retinue.sandbox.folders import hand_over
from retinue.sandbox.launch import RunningProgram, launch
from retinue.sandbox.limits import ResourceLimits
from retinue.sandbox.outputs import CapturedOutput, OutputCollector, drain
from retinue.sandbox.resource_monitor import check_exceeded

StopReason = Literal["", "time", "memory", "disk"]


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """How a program ended.

    `stopped` names the limit that ended it; without one, the program exited with `exit_code`.
    """

    exit_code: int
    stopped: StopReason
    stdout: CapturedOutput
    stderr: CapturedOutput
    duration_s: float


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Runs programs that share the same folders."""

    bwrap_args: BwrapArgs
    place: SandboxFolders

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
        limits: ResourceLimits | None = None,
    ) -> ProgramResult:
        """Run a program and wait until all its processes are gone. Raises `SandboxFailed`. Cancelling kills the
        program.
        """
        if any("\0" in word for word in command):
            raise ValidationFailed("A command line cannot hold the NUL character.")
        bounds = limits or ResourceLimits()
        await run_on_disk_thread(self._prepare, stdin)
        outputs = OutputCollector(bounds.output_bytes), OutputCollector(bounds.output_bytes)
        async with launch(self.bwrap_args, self.place, command, environment or {}, bounds) as running:
            process, began = running.process, time.monotonic()
            streams = zip((process.stdout, process.stderr), outputs, strict=True)
            drains = [asyncio.create_task(drain(stream, output)) for stream, output in streams]
            stopped = await self._wait(running, bounds)
            duration = time.monotonic() - began
        await asyncio.gather(*drains)
        printed = [output.output() for output in outputs]
        return ProgramResult(await process.wait(), stopped, printed[0], printed[1], duration)

    def _prepare(self, stdin: str) -> None:
        (self.place.root / "stdin").write_text(stdin, errors="replace")
        if self.place.user:
            for folder in self.place.writable.values():
                hand_over(str(folder), self.place.user)

    async def _wait(self, running: RunningProgram, limits: ResourceLimits) -> StopReason:
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
