"""Manage the files of one caller."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page, read_page
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.core.runtime.failpoints import crash_point
from retinue.files import statements as sql
from retinue.files.active_uploads import ActiveUploads
from retinue.files.file_metadata import FileMetadata
from retinue.files.store import FileStore, Upload
from retinue.files.upload_commit import AccountStorage, put, take_out


@dataclass(frozen=True)
class Files:
    """Stores, finds and deletes files of one account only."""

    caller: Caller
    database: Database
    store: FileStore
    max_bytes: int
    touched: set[int]
    arrivals: ActiveUploads

    @asynccontextmanager
    async def receiving(self, announced: int) -> AsyncIterator[Upload]:
        """Start an upload. Refuses it before reading it if its announced size exceeds the quota.

        The account's other uploads in progress count as well. An upload without an announced length counts as it
        grows.
        """
        account = self.caller.account_id
        stored_bytes = await counters.read(self.database, account, "stored_bytes")
        check = partial(self._check_arriving, stored_bytes)
        with self.arrivals.arrival(account, min(announced, self.max_bytes), check) as arrival:
            async with self.store.receive(self.max_bytes, arrival) as upload:
                yield upload

    def _check_arriving(self, stored_bytes: int, arriving: int) -> None:
        self._storage.check_quota(stored_bytes + arriving)

    async def add(self, upload: Upload, label: FileMetadata) -> Row:
        """Store a finished upload if the plan has enough space.

        If the outcome of the transaction is unknown, the file stays: the sweep removes files without a row.
        """
        return await put(self.database, self.store, self._storage, upload, label)

    async def add_once(self, content: bytes, label: FileMetadata) -> str:
        """Store content, unless the account has a file with this content and type. Returns the id of the file.

        The request's idempotency key does not cover the file: an orphan of a repeated request is found again here.
        """
        digest = await run_on_compute_thread(lambda: hashlib.sha256(content).hexdigest())
        found = await self.database.lookup(
            sql.SAME, account=self.caller.account_id, digest=digest, kind=label.media_type
        )
        if found:
            return str(found.id)
        async with self.receiving(len(content)) as upload:
            await upload.write(content)
            await upload.finish()
            row = await put(self.database, self.store, replace(self._storage, claim=None), upload, label)
        return str(row.id)

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """One page, newest first, and the total number of files."""
        rows = await read_page(self.database, sql.LIST, page, account=self.caller.account_id)
        return rows, await counters.read(self.database, self.caller.account_id, "files")

    async def beyond(self, after: str | None, most: int, *, newest_first: bool) -> Sequence[Row]:
        """Return at most so many files that follow the file `after` in a list, or that begin it."""
        values: dict[str, object] = {"account": self.caller.account_id, "at_most": most}
        if after is None:
            return await self.database.fetch(sql.FIRST_DOWN if newest_first else sql.FIRST_UP, **values)
        await self.get(after)
        return await self.database.fetch(sql.DOWN if newest_first else sql.UP, **values, after=after)

    async def get(self, file_id: str) -> Row:
        """One file's record, or `NotFound`."""
        return _require(await self.database.lookup(sql.GET, **self._key(file_id)))

    async def open(self, file_id: str) -> BinaryIO:
        """One file's content, or `NotFound`."""
        if (file := await self.store.open(file_id)) is None:
            raise _missing()
        return file

    async def delete(self, file_id: str) -> None:
        """Delete the record, then the file."""

        async def write(tx: Tx) -> None:
            if not await take_out(tx, self._storage, file_id):
                raise _missing()

        await self.database.transact(write)
        crash_point("files.row_deleted")
        await self.store.remove(file_id)

    @property
    def _storage(self) -> AccountStorage:
        caller = self.caller
        return AccountStorage(caller.account_id, caller.plan_name, caller.plan, self.touched, caller.claim)

    def _key(self, file_id: str) -> dict[str, object]:
        return {"public": file_id, "account": self.caller.account_id}


def _require(found: Row | None) -> Row:
    if found is None:
        raise _missing()
    return found


def _missing() -> NotFound:
    return NotFound("There is no such file in your account.")
