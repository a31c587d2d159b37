"""Writes exports: one zip archive with an account's records as JSON lines and its files, stored as a new file."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import orjson

from retinue.account_data import statements as sql
from retinue.account_data.archive import Archive, ArchiveMember
from retinue.account_data.deletion import hold
from retinue.auth.plans import Plans
from retinue.core.database.interface import Database, Tx
from retinue.core.database.owned import Owned
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import acting_for, run_on_disk_thread
from retinue.core.runtime.failpoints import crash_point
from retinue.core.runtime.ids import new_id
from retinue.core.work.leases import ABANDONED, ATTEMPTS, LeaseLost
from retinue.files.file_metadata import FileMetadata
from retinue.files.store import FileStore, Upload
from retinue.files.upload_commit import AccountStorage, add_record

_BLOCK = 1 << 18
_MOST_BYTES = 1 << 50
"""Upload limits do not apply to files that the server writes."""

_README = """\
This archive contains the data of one account of a Retinue server, exported at {moment}.

Each .jsonl file contains one JSON object per line and record, with the columns of the table it is named after.
The folder files/ contains the content of each stored file, in a subfolder named after its id; files.jsonl describes
them. Times are in UTC, sizes in bytes. Secrets, credential hashes, earlier exports, and data derived from other
records, such as search indexes, are not included. Records that changed during the export may be from before or after
the change.
"""


@dataclass(frozen=True)
class Export:
    """Executes exports of the rows that `owned` lists. If the process dies, the export restarts.

    It fails after `ATTEMPTS` attempts.
    """

    database: Database
    store: FileStore
    plans: Plans
    owned: Sequence[Owned]
    touched: set[int]

    async def work(self, job: Row) -> None:
        """Write the archive and store it as a file. Raises `LeaseLost` if another process has claimed the job."""
        if job.attempts > ATTEMPTS:
            await self.database.transact(partial(_end, job, None, ABANDONED))
            return
        acting_for.set(job.account_id)
        async with self.store.receive(_MOST_BYTES) as upload:
            await self._write(job, Archive(upload))
            file_id = new_id("file")
            await self.store.keep(upload, file_id)
            crash_point("export.kept")
            await self.database.transact(partial(self._enter, job, file_id, upload))

    async def _enter(self, job: Row, file_id: str, upload: Upload, tx: Tx) -> None:
        """Add the archive to the account's files. It counts as storage, but is accepted even if storage is full."""
        await hold(tx, job)
        user = await tx.one(sql.USER, user=job.user_id)
        if user is None:
            raise LeaseLost
        storage = AccountStorage(job.account_id, user.plan, self.plans[user.plan], self.touched)
        label = FileMetadata(f"retinue-export-{job.id}.zip", "application/zip")
        await add_record(tx, storage, file_id, upload, label)
        await _end(job, file_id, None, tx)

    async def _write(self, job: Row, archive: Archive) -> None:
        accounts = {row.id: row.sandbox for row in await self.database.fetch(sql.ACCOUNTS, user=job.user_id)}
        user = await self.database.lookup(sql.USER, user=job.user_id)
        async with archive.member("README.txt") as member:
            await member.write(_README.format(moment=now().isoformat()).encode())
        if user and not accounts.get(job.account_id):
            async with archive.member("users.jsonl") as member:
                await member.write(_lines([{name: getattr(user, name) for name in _USER_FIELDS}]))
        for owned in self.owned:
            if owned.page and not (owned.by_user and accounts.get(job.account_id)):
                async with archive.member(f"{owned.table.name}.jsonl") as member:
                    await self._write_rows(owned, job.user_id if owned.by_user else job.account_id, member)
        await self._write_files(job, archive)
        await archive.finish()

    async def _write_rows(self, owned: Owned, owner: int, member: ArchiveMember) -> None:
        """Write the rows of a table, grouped by parent row if it has parents."""
        if owned.parents is None:
            await self._write_pages(owned, owner, member)
            return
        after = 0
        while parents := await self.database.query(owned.parents, owner=owner, after_id=after):
            for parent in parents:
                await self._write_pages(owned, parent.id, member)
            after = parents[-1].id

    async def _write_pages(self, owned: Owned, owner: int, member: ArchiveMember) -> None:
        assert owned.page is not None  # noqa: S101 - narrows the type
        names = [str(column.name) for column in owned.columns]  # orjson rejects subclasses of str as keys.
        key = owned.first_key()
        while rows := await self.database.query(owned.page, owner=owner, **key):
            await member.write(_lines({name: getattr(row, name) for name in names} for row in rows))
            key = owned.next_key(rows[-1])

    async def _write_files(self, job: Row, archive: Archive) -> None:
        after = 0
        while rows := await self.database.query(sql.FILES, account=job.account_id, after=after):
            for row in rows:
                if content := await self.store.open(row.public_id):
                    async with archive.member(f"files/{row.public_id}/{row.name}") as member:
                        async for block in _blocks(content):
                            await member.write(block)
            after = rows[-1].id


_USER_FIELDS = ("id", "email", "name", "plan", "created_at")


async def _end(job: Row, file_id: str | None, error: str | None, tx: Tx) -> None:
    outcome = "failed" if error else "completed"
    await tx.run(sql.END, job=job.id, under=job.epoch, outcome=outcome, file=file_id, reason=error, moment=now())


def _lines(records: Iterable[dict[str, object]]) -> bytes:
    """Encode records as JSON lines."""
    return b"".join(orjson.dumps(record, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE) for record in records)


async def _blocks(content: BinaryIO) -> AsyncIterator[bytes]:
    """Yield the content of an open file in blocks, then close it."""
    with content:
        while block := await run_on_disk_thread(content.read, _BLOCK):
            yield block
