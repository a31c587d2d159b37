"""Store files that tools create on behalf of an account."""

import mimetypes
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import sqlalchemy as sa

from retinue.auth.plans import Plans
from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.file_metadata import UNTYPED, FileMetadata, clean_name
from retinue.files.store import FileStore
from retinue.files.upload_commit import AccountStorage, put

_BLOCK = 1 << 18
_PLAN = Statement(
    sa.select(users.c.plan)
    .join(accounts, accounts.c.user_id == users.c.id)
    .where(accounts.c.id == sa.bindparam("account", type_=BigInt))
)


@dataclass(frozen=True)
class ToolOutputs:
    """Stores files within the quota of the account's plan, each of at most `max_bytes`."""

    database: Database
    store: FileStore
    plans: Plans
    max_bytes: int
    touched: set[int]

    def of(self, account_id: int) -> Callable[[str, BinaryIO], Awaitable[str]]:
        """Return a function that stores content under a name for that account and returns the file id."""
        return partial(self._keep, account_id)

    async def _keep(self, account_id: int, name: str, content: BinaryIO) -> str:
        async with self.store.receive(self.max_bytes) as upload:
            while block := await run_on_disk_thread(content.read, _BLOCK):
                await upload.write(block)
            await upload.finish()
            label = FileMetadata(clean_name(name), mimetypes.guess_type(name)[0] or UNTYPED)
            row = await put(self.database, self.store, await self._storage(account_id), upload, label)
        return str(row.id)

    async def _storage(self, account_id: int) -> AccountStorage:
        plan = (await self.database.query(_PLAN, account=account_id))[0].plan
        return AccountStorage(account_id, plan, self.plans[plan], self.touched)
