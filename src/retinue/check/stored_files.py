"""Compares the recorded sizes of files with the stored ones."""

import asyncio
from collections.abc import Sequence

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.files.store import FileStore
from retinue.files.tables import files

_PAGE = 1000
_FILES_AT_ONCE = 32
"""Files whose size is read at the same time: a bucket takes tens of milliseconds for each."""
_STORED = Statement(
    sa.select(files.c.id, files.c.public_id, files.c.size)
    .where(files.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(files.c.id)
    .limit(_PAGE)
)
_STILL_STORED = Statement(sa.select(files.c.id).where(files.c.id == sa.bindparam("id", type_=BigInt)))


async def find_wrong_files(database: Database, store: FileStore) -> list[str]:
    """Find rows whose file is missing on disk or has another size.

    A server beside it may delete a file after its row was read, so the row of a fault is read again.
    """
    faults: list[str] = []
    after = 0
    while rows := await database.query(_STORED, after=after):
        for row, size in await _of_other_size(rows, store):
            if await database.query(_STILL_STORED, id=row.id):
                faults.append(f"the file {row.public_id} should have {row.size} bytes and has {size}")
        after = rows[-1].id
    return faults


async def _of_other_size(rows: Sequence[Row], store: FileStore) -> list[tuple[Row, int | None]]:
    """Return the rows whose file has another size, with that size; None if it is missing."""
    limit = asyncio.Semaphore(_FILES_AT_ONCE)

    async def size(file_id: str) -> int | None:
        async with limit:
            return await store.size(file_id)

    sizes = await asyncio.gather(*(size(row.public_id) for row in rows))
    return [(row, found) for row, found in zip(rows, sizes, strict=True) if row.size != found]
