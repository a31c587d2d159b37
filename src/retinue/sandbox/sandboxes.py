"""Manage all sandboxes of a server: a few run at once, each with its own temporary folders."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import structlog

from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import acting_for, run_on_disk_thread
from retinue.core.runtime.fair_semaphore import FairSemaphore
from retinue.core.runtime.ids import ulid
from retinue.sandbox import folders, system_requirements
from retinue.sandbox.bwrap_args import BwrapArgs, SandboxFolders
from retinue.sandbox.launch import SandboxFailed
from retinue.sandbox.limits import ResourceLimits
from retinue.sandbox.sandbox import Sandbox

_log = structlog.get_logger()
_QUEUE_EACH = 8
"""How many programs of one account may wait."""
_TRIAL = ("/bin/sh", "-c", "true & wait && cd /folder && : > made")
"""Exercises what any program may need: starting another process and writing to its folder."""


class Sandboxes:
    """Runs up to `size` programs at once (0 disables them); others wait up to `patience_s` seconds.

    Accounts take turns, and one account runs at most `size - 1` at a time, so that one is left for the next account.
    `acting_for` names the account. `scratch` is a folder for this object alone, emptied at start. `libraries` returns
    the environment with the tools' Python libraries once it is installed.
    """

    def __init__(
        self, size: int, scratch: Path, libraries: Callable[[], Path | None], *, patience_s: float = 15.0
    ) -> None:
        self.size = size
        self.status = "not tried yet"
        """Human-readable: ready, or why no program can run."""
        self._scratch = scratch
        self._libraries = libraries
        self._slots = FairSemaphore(
            size, "a sandbox for a program", share=max(size - 1, 1), queue_each=_QUEUE_EACH, patience_s=patience_s
        )
        self._numbers = list(range(size))
        """The numbers of the free sandboxes."""
        self._tried = False

    async def start(self) -> None:
        """Delete the folders that a killed server left behind, then accept programs."""
        await run_on_disk_thread(self._empty)

    @property
    def libraries(self) -> Path | None:
        """The environment with the tools' Python libraries, or None until it is installed."""
        return self._libraries()

    async def missing(self, needs: Sequence[str]) -> str:
        """Return why programs that need these other programs cannot run here; empty if they can.

        The first call checks that the kernel permits bubblewrap; later calls repeat the check until it succeeds.
        """
        if not needs:
            return ""
        if self.size == 0:
            return "The operator has disabled running programs (RETINUE_PROGRAMS=0)."
        if reason := system_requirements.describe_missing(["bwrap", *needs]):
            return reason
        if not self._tried:
            self.status = await self._try() or "ready"
            self._tried = self.status == "ready"
        return "" if self._tried else self.status

    async def try_out(self) -> None:
        """Check whether programs can run, and log the reason if they cannot."""
        if reason := await self.missing(["bwrap"]):
            self.status = reason
            _log.warning("programs_cannot_be_run", reason=reason)

    @asynccontextmanager
    async def sandbox(self) -> AsyncIterator[Sandbox]:
        """Create a sandbox with empty folders. Raises `Unavailable` if none becomes free in time."""
        async with self._slots.slot(acting_for.get()):
            place = SandboxFolders(self._scratch / ulid(), self._numbers.pop())
            try:
                yield await self._create_sandbox(place)
            except SandboxFailed as error:
                self._tried = False
                _log.error("bubble_not_made", reason=str(error))
                raise Unavailable(system_requirements.explain_denial(str(error))) from error
            finally:
                self._numbers.append(place.number)
                await run_on_disk_thread(folders.remove, place.root)

    async def _create_sandbox(self, place: SandboxFolders) -> Sandbox:
        bwrap = system_requirements.find_program("bwrap")
        if bwrap is None:
            raise Unavailable(system_requirements.describe_missing(["bwrap"]))
        await run_on_disk_thread(place.create)
        return Sandbox(BwrapArgs(bwrap, self.libraries), place)

    async def _try(self) -> str:
        try:
            async with self.sandbox() as sandbox:
                ended = await sandbox.run(_TRIAL, limits=ResourceLimits(seconds=10.0))
        except Unavailable as error:
            return error.message
        return (
            ""
            if ended.exit_code == 0
            else system_requirements.explain_denial(ended.stderr.text.strip()[-300:] or ended.stopped)
        )

    def _empty(self) -> None:
        self._scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in self._scratch.iterdir():
            folders.remove(left)
