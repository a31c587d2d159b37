"""Remove what a dead process left on the disk: unfinished uploads and files without a row."""

import asyncio
import time

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.errors import Unavailable
from retinue.files import statements as sql
from retinue.files.store import FileStore

_log = structlog.get_logger()
_SWEEP_S = 3600.0
_AGE_S = 3600.0
"""Unknown files older than this are leftovers: no upload takes so long."""

_FOREIGN = (
    "The database knows none of the stored files, so none were removed. Check that RETINUE_DATABASE_URL and "
    "RETINUE_FILES_DIR (or RETINUE_FILES_URL) belong together."
)


class Sweep:
    """Checks the store periodically."""

    def __init__(self, database: Database, store: FileStore) -> None:
        self._database = database
        self._store = store

    async def start(self) -> None:
        """Create the folder and sweep it. If no other process shares it, every unknown file in it is a leftover."""
        await self._store.create()
        await self._try_sweep(time.time() - (_AGE_S if self._store.shared else 0.0))

    async def run(self) -> None:
        """Sweep every hour until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            await self._try_sweep(time.time() - _AGE_S)

    async def _try_sweep(self, before: float) -> None:
        try:
            await self.sweep(before)
        except (DatabaseUnavailable, Unavailable, OSError) as error:
            _log.warning("files.not_swept", reason=str(error))

    async def sweep(self, before: float) -> int:
        """Remove unknown files last written before that time, in Unix seconds; returns their number."""
        removed = await self._store.clear(before)
        if await self._is_foreign(before):
            _log.warning("files.not_swept", reason=_FOREIGN)
            return removed
        async for names in self._store.written_before(before):
            known = await self._find_known(names)
            orphans = [name for name in names if name not in known]
            for name in orphans:
                await self._store.remove(name)
            removed += len(orphans)
        if removed:
            _log.info("files.swept", removed=removed)
        return removed

    async def _is_foreign(self, before: float) -> bool:
        """Return True if some files are old and the database knows no file at all.

        Then the server was probably started with another database than the one of these files. In an installation
        without any other file, an old leftover therefore stays: that is better than to remove every upload.
        """
        async for names in self._store.written_before(before):
            if await self._find_known(names):
                return False
        old = [names async for names in self._store.written_before(min(before, time.time() - _AGE_S)) if names]
        return bool(old)

    async def _find_known(self, names: list[str]) -> set[str]:
        return {row.public_id for row in await self._database.query(sql.KNOWN, names=names)}
