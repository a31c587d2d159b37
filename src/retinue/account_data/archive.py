"""Writes a zip archive to an upload as a stream, with at most one block in memory."""

import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.store import Upload


class _Outbox:
    """Buffers the archive's output for the upload. It cannot seek, so sizes follow their members in the archive.

    These methods are all that `zipfile` calls for writing, though its types want more.
    """

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        """Append data to the buffer."""
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: `take` empties the buffer."""

    def take(self) -> bytes:
        """Return the data written since the last call."""
        data, self._waiting = bytes(self._waiting), bytearray()
        return data


class ArchiveMember:
    """A file of the archive that is open for writing."""

    def __init__(self, archive: "Archive", file: IO[bytes]) -> None:
        self._archive = archive
        self._file = file

    async def write(self, data: bytes) -> None:
        """Compress and append data."""
        await run_on_disk_thread(self._file.write, data)
        await self._archive.drain()


class Archive:
    """Writes members one after the other. Raises the errors of `Upload`."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._outbox = _Outbox()
        self._zip = zipfile.ZipFile(self._outbox, "w", zipfile.ZIP_DEFLATED)  # type: ignore[call-overload] # see above

    @asynccontextmanager
    async def member(self, name: str) -> AsyncIterator[ArchiveMember]:
        """Open a new file of the archive."""
        with self._zip.open(name, "w", force_zip64=True) as file:
            yield ArchiveMember(self, file)
        await self.drain()

    async def finish(self) -> None:
        """Write the central directory, and wait until everything is on the disk."""
        self._zip.close()
        await self.drain()
        await self._upload.finish()

    async def drain(self) -> None:
        """Write the compressed data to the upload."""
        if data := self._outbox.take():
            await self._upload.write(data)
