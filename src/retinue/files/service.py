"""The files of one caller."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO

from retinue.auth.caller import Caller
from retinue.core import counters
from retinue.core.clock import now
from retinue.core.crash import crash_point
from retinue.core.database import Database, Tx
from retinue.core.envelope import Page, read_page
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.idempotency import note_effect
from retinue.core.ids import prefixed
from retinue.core.statements import Row
from retinue.files import statements as sql
from retinue.files.labels import Label
from retinue.files.store import MIB, FileStore, Upload


@dataclass(frozen=True)
class Files:
    """Takes in, finds and deletes files. Nothing of another account is ever seen."""

    caller: Caller
    database: Database
    store: FileStore
    max_bytes: int
    touched: set[int]

    @asynccontextmanager
    async def receiving(self, announced: int) -> AsyncIterator[Upload]:
        """An upload. One that by its announced bytes cannot be kept is refused before it is read."""
        held = await counters.read(self.database, self.caller.account_id, "file_bytes")
        self._check_quota(held + min(announced, self.max_bytes))
        async with self.store.receive(self.max_bytes) as upload:
            yield upload

    async def add(self, upload: Upload, label: Label) -> Row:
        """Keep a finished upload, if the plan has room for it.

        Where the outcome of the transaction is not known, the file stays: what no row tells of is swept later.
        """
        file_id = prefixed("file")
        await self.store.keep(upload, file_id)
        crash_point("files.kept")

        async def insert(tx: Tx) -> Row:
            row = await tx.one(
                sql.INSERT,
                account_id=self.caller.account_id,
                public_id=file_id,
                name=label.name,
                media_type=label.media_type,
                size=upload.size,
                sha256=upload.sha256,
                created_at=now(),
            )
            self._check_quota(await self._count(tx, 1, upload.size))
            await note_effect(tx, self.caller.claim, {"file": file_id})
            return row

        try:
            return await self.database.transact(insert)
        except ValidationFailed:
            await self.store.remove(file_id)
            raise

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """One page, newest first, and how many there are in all."""
        rows = await read_page(self.database, sql.LIST, page, account=self.caller.account_id)
        return rows, await counters.read(self.database, self.caller.account_id, "files")

    async def get(self, file_id: str) -> Row:
        """One file's record, or `NotFound`."""
        return _found(await self.database.lookup(sql.GET, **self._key(file_id)))

    async def open(self, file_id: str) -> BinaryIO:
        """One file's content, or `NotFound`."""
        if (file := await self.store.open(file_id)) is None:
            raise _missing()
        return file

    async def delete(self, file_id: str) -> None:
        """Delete the record, then the file."""

        async def write(tx: Tx) -> None:
            row = _found(await tx.one(sql.DELETE, **self._key(file_id)))
            await self._count(tx, -1, -row.size)

        await self.database.transact(write)
        crash_point("files.row_deleted")
        await self.store.remove(file_id)

    async def _count(self, tx: Tx, files: int, size: int) -> int:
        """Change both counters, and return the bytes that are held."""
        await counters.bump(tx, self.caller.account_id, "files", files)
        tx.after_commit(lambda: self.touched.add(self.caller.account_id))
        return await counters.bump(tx, self.caller.account_id, "file_bytes", size)

    def _check_quota(self, held: int) -> None:
        limit = self.caller.plan.quotas.get("storage_mb")
        if limit is not None and held > limit * MIB:
            raise ValidationFailed(
                f"The quota storage_mb of the plan {self.caller.plan_name} is full ({limit:,} MiB). Delete files first."
            )

    def _key(self, file_id: str) -> dict[str, object]:
        return {"public": file_id, "account": self.caller.account_id}


def _found(found: Row | None) -> Row:
    if found is None:
        raise _missing()
    return found


def _missing() -> NotFound:
    return NotFound("There is no such file among yours.")
