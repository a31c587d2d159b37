"""Store files on the disk: each is written under a temporary name, synced, and then moved into place.

All disk access runs on a thread: a slow disk must not block the event loop.
"""

import hashlib
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import structlog

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.active_uploads import ActiveUpload
from retinue.files.media_types import HEAD

MIB = 1 << 20

_log = structlog.get_logger()
_BLOCK = 1 << 18
"""Bytes buffered before a write."""

_INCOMING = "incoming"


@contextmanager
def _disk() -> Iterator[None]:
    """Raise `Unavailable` when the disk is full or fails: the caller is not at fault, and an operator can fix it."""
    try:
        yield
    except OSError as error:
        _log.error("files.not_stored", reason=error.strerror)
        raise Unavailable(f"The file could not be stored ({error.strerror}). Nothing was saved. Try again.") from error


class Upload:
    """An incoming file, hashed and counted as it arrives. `sha256` is complete after `finish`.

    `head` is its beginning, at most `HEAD` bytes.
    """

    def __init__(self, path: Path, at_most: int, arrival: ActiveUpload | None = None) -> None:
        """`at_most` is in bytes. `arrival` counts the upload as it arrives, and may refuse more."""
        self.path = path
        self.size = 0
        self.head = b""
        self._at_most = at_most
        self._arrival = arrival
        self._hash = hashlib.sha256()
        self._waiting = bytearray()
        with _disk():
            self._file = path.open("xb")

    @property
    def sha256(self) -> str:
        """Hexadecimal digest."""
        return self._hash.hexdigest()

    async def write(self, data: bytes) -> None:
        """Append data. Raises `ValidationFailed` past the size limit, `Unavailable` if the disk fails."""
        self.size += len(data)
        if self.size > self._at_most:
            raise ValidationFailed(f"Files can have at most {self._at_most // MIB} MiB on this server.")
        if self._arrival:
            self._arrival.grow(self.size)
        self.head += data[: HEAD - len(self.head)]
        self._waiting += data
        if len(self._waiting) >= _BLOCK:
            block, self._waiting = self._waiting, bytearray()
            await run_on_disk_thread(self._append, block)

    async def finish(self) -> None:
        """Write the buffered bytes and wait until the whole file is on the disk."""
        await run_on_disk_thread(self._complete)
        if self._arrival:
            self._arrival.finish()

    def _append(self, block: bytearray) -> None:
        with _disk():
            self._file.write(block)
            self._file.flush()
        self._hash.update(block)

    def _complete(self) -> None:
        self._append(self._waiting)
        with _disk():
            os.fsync(self._file.fileno())
            self._file.close()

    def discard(self) -> None:
        """Delete the temporary file if it was not moved into place."""
        with suppress(OSError):
            self._file.close()
        self.path.unlink(missing_ok=True)


class FileStore:
    """A folder of files named by their ids, in subfolders named by the last two characters, which are random."""

    def __init__(self, folder: Path, *, shared: bool = False) -> None:
        """`shared`: other processes store files here as well."""
        self.shared = shared
        self._folder = folder
        self._incoming = folder / _INCOMING
        self._keeping = 0
        self._to_remove: list[str] = []

    is_remote = False
    """True if the files are not on this machine's disks."""

    async def create(self) -> None:
        """Create the folder, accessible to its user only. Raises `Unavailable`."""
        await run_on_disk_thread(self._create)

    def _create(self) -> None:
        try:
            self._incoming.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Unavailable(
                f"Cannot create {self._folder}: {error.strerror}. Set RETINUE_FILES_DIR to a folder that you "
                "can write to."
            ) from error

    async def locate(self, file_id: str) -> Path:
        """Return the path of a file on this machine. The file does not exist if it was deleted."""
        return self._path(file_id)

    def _path(self, file_id: str) -> Path:
        return self._folder / file_id[-2:] / file_id

    @asynccontextmanager
    async def receive(self, at_most: int, arrival: ActiveUpload | None = None) -> AsyncIterator[Upload]:
        """Receive an upload of at most `at_most` bytes. It is deleted on exit unless it was stored. See `Upload`."""
        upload = await run_on_disk_thread(Upload, self._incoming / secrets.token_hex(16), at_most, arrival)
        try:
            yield upload
        finally:
            await run_on_disk_thread(upload.discard)

    async def keep(self, upload: Upload, file_id: str) -> None:
        """Move a finished upload permanently into place."""
        await run_on_disk_thread(self._keep, upload, self._path(file_id))

    def _keep(self, upload: Upload, place: Path) -> None:
        with _disk():
            with suppress(FileExistsError):
                place.parent.mkdir(mode=0o700)
                _sync_folder(self._folder)
            upload.path.rename(place)
            _sync_folder(place.parent)

    async def open(self, file_id: str) -> BinaryIO | None:
        """Open a file for reading; None if it does not exist."""
        return await run_on_disk_thread(_open, await self.locate(file_id))

    async def head(self, file_id: str, at_most: int) -> bytes | None:
        """Return the first bytes of a file; None if it does not exist."""
        return await run_on_disk_thread(_head, await self.locate(file_id), at_most)

    async def remove(self, file_id: str) -> None:
        """Delete a file whose row is gone. If this fails, the sweep deletes it later."""
        if self._keeping:
            self._to_remove.append(file_id)
            return
        with suppress(OSError):
            await run_on_disk_thread(self._path(file_id).unlink, missing_ok=True)

    @asynccontextmanager
    async def keep_all(self) -> AsyncIterator[None]:
        """Postpone the removal of files until the end of the context."""
        self._keeping += 1
        try:
            yield
        finally:
            self._keeping -= 1
            if not self._keeping:
                removed, self._to_remove = self._to_remove, []
                for file_id in removed:
                    await self.remove(file_id)

    async def folders(self) -> list[Path]:
        """Return the folders on this machine that hold stored files, and nothing else."""
        return await run_on_disk_thread(self._shards)

    async def size(self, file_id: str) -> int | None:
        """Return the size of a file in bytes; None if it does not exist."""
        return await run_on_disk_thread(_size, self._path(file_id))

    async def written_before(self, moment: float) -> AsyncIterator[list[str]]:
        """Yield batches of the ids of files last written before that time, in Unix seconds."""
        for shard in await run_on_disk_thread(self._shards):
            if names := await run_on_disk_thread(_written_before, shard, moment):
                yield names

    async def clear(self, before: float) -> int:
        """Delete uploads last written before that time, in Unix seconds; returns their number."""
        return await run_on_disk_thread(_clear, self._incoming, before)

    def _shards(self) -> list[Path]:
        """Return the subfolders that hold stored files."""
        return [Path(entry.path) for entry in os.scandir(self._folder) if entry.is_dir() and entry.name != _INCOMING]


def _clear(folder: Path, before: float) -> int:
    old = _written_before(folder, before)
    for name in old:
        (folder / name).unlink(missing_ok=True)
    return len(old)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _written_before(folder: Path, moment: float) -> list[str]:
    """Return the names of files in a folder last written before that time, in Unix seconds."""
    names = []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            if entry.stat().st_mtime < moment:
                names.append(entry.name)
    return names


def _open(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def _head(path: Path, at_most: int) -> bytes | None:
    file = _open(path)
    if file is None:
        return None
    with file:
        return file.read(at_most)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
