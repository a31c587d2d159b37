"""The environment of the tools' libraries, apart from the server's own: installed while the server answers already."""

import asyncio
import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

import structlog
from uv import find_uv_bin

from retinue.core.executors import run_on_disk_thread
from retinue.core.packages import NotInstalled, install, run
from retinue.tools.sources import PACKAGE

REQUIREMENTS = PACKAGE / "requirements.txt"
_log = structlog.get_logger()
_POLL_S = 0.5
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 10.0, 600.0


class ToolEnvironment:
    """A virtual environment at `folder`. It is whole once its mark names the pins that it was made from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        self.reason = ""
        """Why the last attempt to install failed."""
        self._mark = folder / "installed"

    @classmethod
    def beside(cls, fallback: Path) -> Self:
        """Within the server's own environment where that can be written, else in the folder `fallback`."""
        parent = Path(sys.prefix) if os.access(sys.prefix, os.W_OK) else fallback
        return cls(parent / f"tools-{_wanted()[:8]}")

    @property
    def status(self) -> str:
        """For people: ready, installing, or why it is not."""
        return "ready" if self.ready else f"not installed: {self.reason}" if self.reason else "installing"

    @property
    def ready(self) -> bool:
        """Whether everything is there, and is what this version wants."""
        try:
            return self._mark.read_text() == _wanted()
        except OSError:
            return False

    async def install(self) -> None:
        """Make the environment if it is not there. Several processes may ask at once. Raises `NotInstalled`."""
        async with _lock(self.folder.with_name(f"{self.folder.name}.lock")):
            if self.ready:
                return
            await run_on_disk_thread(shutil.rmtree, self.folder, ignore_errors=True)
            # --clear, and the mark last: an environment that an end by force left half made is never believed whole.
            create = [find_uv_bin(), "venv", "--quiet", "--clear", "--no-managed-python", "--python", sys.executable]
            await run([*create, str(self.folder)], self.folder.parent, _nothing)
            wanted = ["--quiet", "--compile-bytecode", "-r", str(REQUIREMENTS)]
            await install(wanted, python=str(self.python), scratch=self.folder, told=_nothing)
            self._mark.write_text(_wanted())

    async def keep_trying(self) -> None:
        """Install; where that fails, again and again, with growing pauses."""
        pause = _FIRST_PAUSE_S
        while not self.ready:
            try:
                await self.install()
            except (NotInstalled, OSError) as error:
                self.reason = str(error)
                _log.warning("tool_libraries_not_installed", reason=self.reason)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)
        self.reason = ""


def _wanted() -> str:
    """The mark of an environment for these pins and this Python."""
    digest = hashlib.blake2b(REQUIREMENTS.read_bytes(), digest_size=16).hexdigest()
    return f"{digest} {sys.version_info.major}.{sys.version_info.minor}"


def _nothing() -> None:
    """Nobody waits for this installation."""


@asynccontextmanager
async def _lock(path: Path) -> AsyncIterator[None]:
    """Held by one process at a time; it falls with its process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while True:
            if _taken(handle):
                break
            await asyncio.sleep(_POLL_S)
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
