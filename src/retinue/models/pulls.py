"""Downloads listed weights in the background, one at a time. A download continues after a restart of the server."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import structlog

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.models.download import check_room, pull
from retinue.models.known_weights import HUB, WEIGHTS

log = structlog.get_logger()

_MARKER = "pulling"
"""The file in the weights folder that names the weights to download."""


@dataclass(slots=True)
class DownloadProgress:
    """A running download: the weights, the bytes so far and the total bytes. `total` is 0 until the hub reports it."""

    name: str
    done: int = 0
    total: int = 0


class Pulls:
    """The downloads into `folder`."""

    def __init__(self, folder: Path, hub: str = HUB) -> None:
        self.current: DownloadProgress | None = None
        self.errors: dict[str, str] = {}
        """Why the last download of some weights failed, by their name."""
        self._folder, self._hub = folder, hub
        self._task: asyncio.Task[None] | None = None

    async def resume(self) -> None:
        """Continue the download that the end of the server interrupted."""
        name = await run_on_disk_thread(self._read_marker)
        if name in WEIGHTS and not self.current:
            self._begin(name)

    async def start(self, name: str) -> None:
        """Begin a download, unless it is running. Raises `ValidationFailed` and `Unavailable` (no space)."""
        if self.current:
            if self.current.name == name:
                return
            raise ValidationFailed(f"{self.current.name} is being downloaded. Wait until it is complete, or cancel it.")
        progress = self.current = DownloadProgress(name)
        try:
            await run_on_disk_thread(check_room, WEIGHTS[name], self._folder)
            await run_on_disk_thread(self._write_marker, name)
        except BaseException:
            self.current = None
            raise
        self._begin(name, progress)

    async def cancel(self, name: str) -> None:
        """Stop a download and delete what it has. Raises `ValidationFailed` if it is not running."""
        if not self._task or not self.current or self.current.name != name:
            raise ValidationFailed(f"{name} is not being downloaded.")
        self._task.cancel()
        await asyncio.wait([self._task])
        await run_on_disk_thread(self._clear, name)
        self.current = None

    async def stop(self) -> None:
        """Interrupt the download. `resume` continues it."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _begin(self, name: str, progress: DownloadProgress | None = None) -> None:
        self.errors.pop(name, None)
        self.current = progress or DownloadProgress(name)
        self._task = asyncio.create_task(self._pull(self.current))

    async def _pull(self, progress: DownloadProgress) -> None:
        def report(done: int, total: int) -> None:
            progress.done, progress.total = done, total

        try:
            await pull(progress.name, self._folder, None, report, self._hub)
        except RetinueError as error:
            log.warning("the download failed", weights=progress.name, reason=error.message)
            self.errors[progress.name] = error.message
            await run_on_disk_thread(self._remove_marker)
        else:
            await run_on_disk_thread(self._remove_marker)
        finally:
            if not ((task := asyncio.current_task()) and task.cancelling()):
                self.current = None

    def _read_marker(self) -> str:
        try:
            return (self._folder / _MARKER).read_text().strip()
        except OSError:
            return ""

    def _write_marker(self, name: str) -> None:
        (self._folder / _MARKER).write_text(f"{name}\n")

    def _remove_marker(self) -> None:
        (self._folder / _MARKER).unlink(missing_ok=True)

    def _clear(self, name: str) -> None:
        self._remove_marker()
        (self._folder / WEIGHTS[name].file_name).with_suffix(".part").unlink(missing_ok=True)
