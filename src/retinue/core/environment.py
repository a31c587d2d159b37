"""Virtual environments apart from the server's own: each is installed from a file of hashed pins."""

import asyncio
import fcntl
import hashlib
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from uv import find_uv_bin

from retinue.core.executors import run_on_disk_thread
from retinue.core.pip_install import NotInstalled, install, run

_log = structlog.get_logger()
_POLL_S = 0.5
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 10.0, 600.0


class PackageEnvironment:
    """A virtual environment at `folder` with the packages that the file `requirements` pins.

    It is complete once its mark names those pins and this Python.
    """

    def __init__(self, folder: Path, requirements: Path) -> None:
        self.folder = folder
        self.requirements = requirements
        self.python = folder / "bin" / "python"
        self.reason = ""
        """Why the last attempt to install failed."""
        self._progress = ""
        self._mark = folder / "installed"

    @property
    def status(self) -> str:
        """For people: ready, installing, or why it is not."""
        if self.ready:
            return "ready"
        return f"not installed: {self.reason}" if self.reason else f"installing{self._progress}"

    @property
    def ready(self) -> bool:
        """Whether everything is there, and is what this version wants."""
        try:
            return self._mark.read_text() == environment_mark(self.requirements)
        except OSError:
            return False

    async def install(self, progress: "Progress | None" = None) -> None:
        """Make the environment if it is not there. Several processes may ask at once. Raises `NotInstalled`."""
        async with _lock(self.folder.with_name(f"{self.folder.name}.lock")):
            if self.ready:
                return
            await run_on_disk_thread(shutil.rmtree, self.folder, ignore_errors=True)
            # --clear, and the mark last: an environment that an end by force left half made is never believed whole.
            create = [find_uv_bin(), "venv", "--quiet", "--clear", "--no-managed-python", "--python", sys.executable]
            await run([*create, str(self.folder)], self.folder.parent, _nothing)
            watch = _Watch(self, progress or _ignore)
            wanted = ["--compile-bytecode", "-r", str(self.requirements)]
            python = str(self.python)
            await install(wanted, python=python, scratch=self.folder, told=watch.count, heard=watch.hear)
            watch.finish()
            self._mark.write_text(environment_mark(self.requirements))

    async def keep_trying(self) -> None:
        """Install; where that fails, again and again, with growing pauses."""
        pause = _FIRST_PAUSE_S
        while not self.ready:
            try:
                await self.install(self._note)
            except (NotInstalled, OSError) as error:
                self.reason = str(error)
                _log.warning("packages_not_installed", environment=self.folder.name, reason=self.reason)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)
        self.reason = ""

    def _note(self, installed: int, wanted: int, _: str) -> None:
        self._progress = f", {installed} of {wanted} packages"


Progress = Callable[[int, int, str], None]
"""Called with the packages that are installed, the packages that are wanted, and what the installer is doing."""


class _Watch:
    """Reports how far an installation is. It may be called from several threads, and reports what it knows last."""

    def __init__(self, environment: PackageEnvironment, progress: Progress) -> None:
        self._environment = environment
        self._progress = progress
        self._wanted = len(re.findall(r"^[\w.-]+==", environment.requirements.read_text(), re.M))
        self._installed, self._doing = 0, ""

    def hear(self, line: str) -> None:
        """Note a line of the installer."""
        self._doing = line
        self._progress(self._installed, self._wanted, self._doing)

    def count(self) -> None:
        """Count the packages that are there."""
        self._installed = sum(1 for _ in self._environment.folder.glob("lib/python*/site-packages/*.dist-info"))
        self._progress(self._installed, self._wanted, self._doing)

    def finish(self) -> None:
        """Report that everything is there, which may be less than was wanted: some pins are for other machines."""
        self.count()
        self._progress(self._installed, self._installed, "")


def _ignore(_installed: int, _wanted: int, _doing: str) -> None:
    """Nobody waits for this installation."""


def environment_folder(name: str, requirements: Path, fallback: Path) -> Path:
    """Where an environment belongs: within the server's own where that can be written, else below `fallback`."""
    parent = Path(sys.prefix) if os.access(sys.prefix, os.W_OK) else fallback
    return parent / f"{name}-{environment_mark(requirements)[:8]}"


def environment_mark(requirements: Path) -> str:
    """The mark of an environment for these pins and this Python."""
    digest = hashlib.blake2b(requirements.read_bytes(), digest_size=16).hexdigest()
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
            if _try_lock(handle):
                break
            await asyncio.sleep(_POLL_S)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
