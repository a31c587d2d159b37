"""A zip archive that is written to an upload as it grows: no more of it than a block is ever in memory."""

import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

from retinue.core.executors import run_on_disk_thread
from retinue.files.store import Upload


class _Outbox:
    """What the archive wrote and the upload has not taken yet. It cannot seek, so sizes follow their members."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        """Append."""
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: `take` empties it."""

    def take(self) -> bytes:
        """What was written since the last call."""
        taken, self._waiting = bytes(self._waiting), bytearray()
        return taken


class Member:
    """A file of the archive that is being written."""

    def __init__(self, archive: "Archive", file: IO[bytes]) -> None:
        self._archive = archive
        self._file = file

    async def write(self, data: bytes) -> None:
        """Compress and append."""
        await run_on_disk_thread(self._file.write, data)
        await self._archive.drain()


class Archive:
    """Writes members one after the other; see `Upload` for its errors."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._outbox = _Outbox()
        self._zip = zipfile.ZipFile(self._outbox, "w", zipfile.ZIP_DEFLATED)  # type: ignore[call-overload]

    @asynccontextmanager
    async def member(self, name: str) -> AsyncIterator[Member]:
        """A new file of the archive."""
        with self._zip.open(name, "w", force_zip64=True) as file:
            yield Member(self, file)
        await self.drain()

    async def finish(self) -> None:
        """Write the directory, and wait until all is on the disk."""
        self._zip.close()
        await self.drain()
        await self._upload.finish()

    async def drain(self) -> None:
        """Hand what is compressed to the upload."""
        if data := self._outbox.take():
            await self._upload.write(data)
