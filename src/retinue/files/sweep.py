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
        async for names in self._store.written_before(before):
            known = {row.public_id for row in await self._database.query(sql.KNOWN, names=names)}
            orphans = [name for name in names if name not in known]
            for name in orphans:
                await self._store.remove(name)
            removed += len(orphans)
        if removed:
            _log.info("files.swept", removed=removed)
        return removed
