"""The table of bookmarks."""

from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table
from retinue.core.database.statements import Record

TITLE_CHARACTERS, URL_CHARACTERS = 200, 2000
"""Maximum lengths."""

bookmarks = table(
    "bookmarks",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("title", sa.String(TITLE_CHARACTERS), nullable=False),
    sa.Column("url", sa.String(URL_CHARACTERS), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)

OWNED = (Owned(bookmarks.c.account_id),)


class BookmarkRow(Record, Protocol):
    """A bookmark."""

    id: int
    title: str
    url: str
    created_at: datetime
    updated_at: datetime
