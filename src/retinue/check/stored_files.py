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


async def find_wrong_files(database: Database, store: FileStore) -> list[str]:
    """Find rows whose file is missing on disk or has another size."""
    faults: list[str] = []
    after = 0
    while rows := await database.query(_STORED, after=after):
        faults += await _of_other_size(rows, store)
        after = rows[-1].id
    return faults


async def _of_other_size(rows: Sequence[Row], store: FileStore) -> list[str]:
    limit = asyncio.Semaphore(_FILES_AT_ONCE)

    async def size(file_id: str) -> int | None:
        async with limit:
            return await store.size(file_id)

    sizes = await asyncio.gather(*(size(row.public_id) for row in rows))
    wrong = [(row, found) for row, found in zip(rows, sizes, strict=True) if row.size != found]
    return [f"the file {row.public_id} should have {row.size} bytes and has {found}" for row, found in wrong]
