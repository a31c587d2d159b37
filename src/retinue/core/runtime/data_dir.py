"""The data folder, and the lock that allows only one process to use it."""

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import structlog

from retinue.core.errors import Unavailable

_log = structlog.get_logger()
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class DataDirBusy(Unavailable):
    """Another process owns the data folder."""


class DataDir:
    """`RETINUE_HOME`: databases, models, files, the lock and the control socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.expanduser().absolute()
        self.node = secrets.token_hex(8)
        """A random name for this process. When a process is dead, others void the leases under its name."""
        self.predecessor: str | None = None
        """The node that last held the folder. It is dead once this process holds the lock."""
        self._lock: int | None = None

    @property
    def database(self) -> Path:
        """Path of the embedded database."""
        return self.folder / "retinue.db"

    @property
    def counters(self) -> Path:
        """Path of the hour and day windows. They survive a crash, but a power cut may lose them."""
        return self.folder / "counters.db"

    @property
    def models(self) -> Path:
        """Folder for the weights of local models."""
        return self.folder / "models"

    @property
    def files(self) -> Path:
        """Folder for uploaded files."""
        return self.folder / "files"

    @property
    def added_tools(self) -> Path:
        """Folder for the operator's own tool modules."""
        return self.folder / "tools.d"

    @property
    def settings_file(self) -> Path:
        """Path of the settings file, which is optional."""
        return self.folder / "retinue.toml"

    @property
    def cache(self) -> Path:
        """Folder for data that can be rebuilt."""
        return self.folder / "cache"

    def create(self) -> None:
        """Create the folder, readable only by its user. Raises `Unavailable`."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Unavailable(
                f"Cannot create {self.folder}: {error.strerror}. Set RETINUE_HOME to a folder that you can write to."
            ) from error

    def acquire(self) -> None:
        """Take the lock until `release` or the end of this process. Raises `DataDirBusy` with the owner's process
        id.
        """
        self.create()
        handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        owner = os.pread(handle, 64, 0).decode(errors="replace").split()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(handle)
            raise DataDirBusy(
                f"Another Retinue process ({owner[0] if owner else 'unknown'}) is using {self.folder}. Stop "
                "it first, or set RETINUE_HOME to another folder."
            ) from error
        self._make_private()
        self.predecessor = owner[1] if len(owner) > 1 else None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()} {self.node}".encode(), 0)
        self._lock = handle

    def _make_private(self) -> None:
        """Remove other users' permissions from the folder and its contents.

        A private folder already protects its contents, so only a folder that others could open is walked.
        """
        self._make_key_private()
        if not self.folder.stat().st_mode & _OTHERS:
            return
        try:
            for path in (self.folder, *self._contents()):
                _make_private(path)
        except PermissionError as error:
            _log.warning("home.not_private", path=error.filename, reason=error.strerror)

    def _make_key_private(self) -> None:
        """Remove other users' permissions from the master key, which may have been copied with them."""
        with suppress(FileNotFoundError, PermissionError):
            if self.key.stat().st_mode & _OTHERS:
                _make_private(self.key)
                _log.warning("master_key.made_private", path=str(self.key))

    @property
    def key(self) -> Path:
        """Path of the master key."""
        return self.folder / "master.key"

    def _contents(self) -> Iterator[Path]:
        yield from (path for path in self.folder.iterdir() if path != self.cache)
        for folder in (self.files, self.models):
            yield from folder.rglob("*")
        # Files below the cache may be hard links into a package manager's cache, so change only the folder itself.
        yield from (path for path in (self.cache,) if path.exists())

    def release(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _make_private(path: Path) -> None:
    found = path.lstat().st_mode
    if not stat.S_ISLNK(found) and found & _OTHERS:
        path.chmod(stat.S_IMODE(found) & ~_OTHERS)
