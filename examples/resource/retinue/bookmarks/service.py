"""Lists, adds, changes and deletes the bookmarks of the caller's account."""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.bookmarks import statements as sql
from retinue.bookmarks.events import BookmarkAdded
from retinue.bookmarks.schemas import BookmarkCreate, BookmarkUpdate
from retinue.bookmarks.tables import BookmarkRow

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit


@dataclass(frozen=True)
class Bookmarks:
    """The bookmarks of one account."""

    caller: Caller
    database: Database

    async def page(self, wanted: Page) -> tuple[Sequence[BookmarkRow], int]:
        """Return one page, newest first, and the total number."""
        account = self.caller.account_id
        count = await self.database.lookup(sql.COUNT, account=account)
        return await read_page(self.database, sql.LIST, wanted, account=account), count.held if count else 0

    async def get(self, bookmark_id: int) -> BookmarkRow:
        """Return one bookmark. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, **self._key(bookmark_id)), bookmark_id)

    async def add(self, new: BookmarkCreate) -> BookmarkRow:
        """Add a bookmark."""

        async def write(tx: Tx) -> BookmarkRow:
            moment, account = now(), self.caller.account_id
            (row,) = await tx.all(
                sql.INSERT, **new.model_dump(), account_id=account, created_at=moment, updated_at=moment
            )
            await emit(tx, account, BookmarkAdded(bookmark_id=row.id, title=row.title, url=row.url))
            await note_effect(tx, self.caller.claim, {"bookmark": row.id})
            return row

        return await self.database.transact(write)

    async def update(self, bookmark_id: int, changes: BookmarkUpdate) -> BookmarkRow:
        """Change the fields that were sent. Raises `NotFound`."""
        sent = changes.sent_fields()

        async def write(tx: Tx) -> BookmarkRow:
            new = {"new_title": sent.get("title"), "new_url": sent.get("url")}
            return _require(await tx.one(sql.CHANGE, **self._key(bookmark_id), **new, moment=now()), bookmark_id)

        return await self.database.transact(write)

    async def delete(self, bookmark_id: int) -> None:
        """Delete a bookmark. Raises `NotFound`."""

        async def write(tx: Tx) -> None:
            if not await tx.run(sql.DELETE, **self._key(bookmark_id)):
                raise _unknown(bookmark_id)

        await self.database.transact(write)

    def _key(self, bookmark_id: int) -> dict[str, int]:
        return {"bookmark": bookmark_id, "account": self.caller.account_id}


def _require(row: BookmarkRow | None, bookmark_id: int) -> BookmarkRow:
    if row is None:
        raise _unknown(bookmark_id)
    return row


def _unknown(bookmark_id: int) -> NotFound:
    return NotFound(f"There is no bookmark {bookmark_id}. GET /api/v1/bookmarks lists yours.")
