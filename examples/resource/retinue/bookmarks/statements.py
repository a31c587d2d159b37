"""SQL statements for bookmarks. All filter by account."""

import sqlalchemy as sa
from retinue.bookmarks.tables import BookmarkRow, bookmarks

from retinue.core.database.newest_first import newest_first
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement

_OURS = bookmarks.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (bookmarks.c.id == sa.bindparam("bookmark", type_=BigInt), _OURS)

INSERT: Statement[BookmarkRow] = Statement(
    sa.insert(bookmarks).returning(bookmarks), ["account_id", "title", "url", "created_at", "updated_at"]
)
GET: Statement[BookmarkRow] = Statement(sa.select(bookmarks).where(*_THIS))
LIST: Statement[BookmarkRow] = newest_first(sa.select(bookmarks), bookmarks.c.id, _OURS)
COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(bookmarks).where(_OURS))
CHANGE: Statement[BookmarkRow] = Statement(
    sa.update(bookmarks)
    .where(*_THIS)
    .values(
        title=sa.func.coalesce(sa.bindparam("new_title", type_=sa.String), bookmarks.c.title),
        url=sa.func.coalesce(sa.bindparam("new_url", type_=sa.String), bookmarks.c.url),
        updated_at=sa.bindparam("moment", type_=Instant),
    )
    .returning(bookmarks)
)
DELETE = Statement(sa.delete(bookmarks).where(*_THIS))
