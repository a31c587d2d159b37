"""Commit a finished upload to the files of an account, within the quota of its plan."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from retinue.auth.plans import Plan
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.idempotency.keys import Claim, note_effect
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.runtime.ids import new_id
from retinue.files import statements as sql
from retinue.files.file_metadata import FileMetadata
from retinue.files.store import MIB, FileStore, Upload


@dataclass(frozen=True)
class AccountStorage:
    """The storage of one account. `claim` is the idempotency key of the request that changes it."""

    account_id: int
    plan_name: str
    plan: Plan
    touched: set[int]
    claim: Claim | None = None

    async def count(self, tx: Tx, files: int, size: int) -> int:
        """Change the counters of files and of stored bytes; return the bytes now stored."""
        await counters.bump(tx, self.account_id, "files", files)
        return await self.hold(tx, size)

    async def hold(self, tx: Tx, size: int) -> int:
        """Change the counter of stored bytes; return the bytes now stored."""
        tx.after_commit(lambda: self.touched.add(self.account_id))
        return await counters.bump(tx, self.account_id, "stored_bytes", size)

    def check_quota(self, stored_bytes: int) -> None:
        """Raise `ValidationFailed` if the plan does not allow this many stored bytes."""
        limit = self.plan.quotas.get("storage_mb")
        if limit is not None and stored_bytes > limit * MIB:
            raise ValidationFailed(
                f"The quota storage_mb of the plan {self.plan_name} is full ({limit:,} MiB). Delete files first."
            )


async def put(
    database: Database, store: FileStore, storage: AccountStorage, upload: Upload, label: FileMetadata
) -> Row:
    """Store a finished upload. Raises `ValidationFailed` if it exceeds the quota.

    If the outcome of the transaction is unknown, the file stays: the sweep removes files without a row.
    """
    file_id = new_id("file")
    await store.keep(upload, file_id)
    crash_point("files.kept")
    try:
        return await database.transact(_insertion(storage, file_id, upload, label))
    except ValidationFailed:
        await store.remove(file_id)
        raise


def _insertion(
    storage: AccountStorage, file_id: str, upload: Upload, label: FileMetadata
) -> Callable[[Tx], Awaitable[Row]]:
    async def insert(tx: Tx) -> Row:
        row = await enter(tx, storage, file_id, upload, label)
        await note_effect(tx, storage.claim, {"file": file_id})
        return row

    return insert


async def enter(tx: Tx, storage: AccountStorage, file_id: str, upload: Upload, label: FileMetadata) -> Row:
    """Write the record of a file that is in place. Raises `ValidationFailed` if it exceeds the quota."""
    row, stored_bytes = await add_record(tx, storage, file_id, upload, label)
    storage.check_quota(stored_bytes)
    return row


async def add_record(
    tx: Tx, storage: AccountStorage, file_id: str, upload: Upload, label: FileMetadata
) -> tuple[Row, int]:
    """Write the record of a file without checking the quota; return it and the bytes now stored."""
    row = await tx.one(
        sql.INSERT,
        account_id=storage.account_id,
        public_id=file_id,
        name=label.name,
        media_type=label.media_type,
        size=upload.size,
        sha256=upload.sha256,
        created_at=now(),
    )
    return row, await storage.count(tx, 1, upload.size)


async def take_out(tx: Tx, storage: AccountStorage, file_id: str) -> bool:
    """Delete the record of a file; return False if there is none. The caller deletes the content after the commit."""
    row = await tx.one(sql.DELETE, public=file_id, account=storage.account_id)
    if row:
        await storage.count(tx, -1, -row.size)
    return row is not None
