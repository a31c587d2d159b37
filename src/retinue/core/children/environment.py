"""Creates virtual environments beside the server's own, each from a requirements file with hashes."""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import structlog
from uv import find_uv_bin

from retinue.core.children.pip_install import NotInstalled, install, run
from retinue.core.runtime.executors import run_on_disk_thread

_log = structlog.get_logger()
_POLL_S = 0.5
_LOOK_S = 2.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 10.0, 600.0


class PackageEnvironment:
    """A virtual environment at `folder` with the packages pinned in the file `requirements`.

    It is complete once its mark file matches those pins and this Python version.
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
        """A readable status: ready, installing, or the reason of the last failure."""
        if self.ready:
            return "ready"
        return f"not installed: {self.reason}" if self.reason else f"installing{self._progress}"

    @property
    def ready(self) -> bool:
        """True if the environment is complete and matches the current pins and Python version."""
        try:
            return self._mark.read_text() == environment_mark(self.requirements)
        except OSError:
            return False

    async def install(self, progress: "Progress | None" = None) -> None:
        """Create the environment if it is not ready. Several processes may do so at once. Raises `NotInstalled`."""
        async with _lock(self.folder.with_name(f"{self.folder.name}.lock")):
            if self.ready:
                return
            await run_on_disk_thread(shutil.rmtree, self.folder, ignore_errors=True)
            # Use --clear and write the mark last, so that an installation killed halfway never counts as complete.
            create = [find_uv_bin(), "venv", "--quiet", "--clear", "--no-managed-python", "--python", sys.executable]
            await run([*create, str(self.folder)], self.folder.parent, _ignore_progress)
            watch = _Watch(self, progress or _ignore)
            arguments = ["--compile-bytecode", "-r", str(self.requirements)]
            python = str(self.python)
            await install(arguments, python=python, scratch=self.folder, on_progress=watch.count, on_line=watch.on_line)
            watch.finish()
            self._mark.write_text(environment_mark(self.requirements))

    async def keep_trying(self) -> None:
        """Install, and retry with growing pauses until it succeeds."""
        pause = _FIRST_PAUSE_S
        while not self.ready:
            try:
                await self.install(self._note)
            except (NotInstalled, OSError) as error:
                self.reason = str(error)
                _log.warning("packages_not_installed", environment=self.folder.name, reason=self.reason)
                await self._wait(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)
        self.reason = ""

    async def _wait(self, seconds: float) -> None:
        """Wait, but not after another process, such as `retinue tools install`, has completed the environment."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait_until_ready()

    async def wait_until_ready(self) -> None:
        """Wait until the environment is complete."""
        while not self.ready:  # noqa: ASYNC110 - another process may complete it
            await asyncio.sleep(_LOOK_S)

    def _note(self, installed: int, total: int, _: str) -> None:
        self._progress = f", {installed} of {total} packages"


Progress = Callable[[int, int, str], None]
"""Called with the number of installed packages, their total number, and the installer's last line."""


class _Watch:
    """Reports the progress of an installation. Several threads may call it; it reports the latest values."""

    def __init__(self, environment: PackageEnvironment, progress: Progress) -> None:
        self._environment = environment
        self._progress = progress
        self._total = len(re.findall(r"^[\w.-]+==", environment.requirements.read_text(), re.M))
        self._installed, self._doing = 0, ""

    def on_line(self, line: str) -> None:
        """Record a line of the installer's output."""
        self._doing = line
        self._progress(self._installed, self._total, self._doing)

    def count(self) -> None:
        """Count the installed packages."""
        self._installed = sum(1 for _ in self._environment.folder.glob("lib/python*/site-packages/*.dist-info"))
        self._progress(self._installed, self._total, self._doing)

    def finish(self) -> None:
        """Report completion. Fewer packages than pins may be installed: some pins are for other platforms."""
        self.count()
        self._progress(self._installed, self._installed, "")


def _ignore(_installed: int, _total: int, _doing: str) -> None:
    """Ignore the progress."""


def environment_folder(name: str, requirements: Path, fallback: Path) -> Path:
    """Return the folder of an environment: inside the server's own environment if writable, else below `fallback`."""
    parent = Path(sys.prefix) if os.access(sys.prefix, os.W_OK) else fallback
    return parent / f"{name}-{environment_mark(requirements)[:8]}"


def environment_mark(requirements: Path) -> str:
    """Return the mark of an environment: a hash of the pins, and the Python version."""
    digest = hashlib.blake2b(requirements.read_bytes(), digest_size=16).hexdigest()
    return f"{digest} {sys.version_info.major}.{sys.version_info.minor}"


def _ignore_progress() -> None:
    """Ignore the progress."""


@contextlib.asynccontextmanager
async def _lock(path: Path) -> AsyncIterator[None]:
    """Hold a lock file that one process at a time can own. The kernel releases it when the process ends."""
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
