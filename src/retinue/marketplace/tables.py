"""Tables of items, signing keys, ratings and installations."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypedDict

import sqlalchemy as sa

from retinue.auth.plans import ToolTier
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record

items = table(
    "marketplace_items",
    id_column(),
    sa.Column("slug", sa.String(64), nullable=False, unique=True),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), index=True),
    sa.Column("author", sa.String(100), nullable=False),
    sa.Column("type", sa.String(20), nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("description", sa.String(500), nullable=False),
    sa.Column("version", sa.String(32), nullable=False),
    sa.Column("tier", sa.String(20), nullable=False),
    sa.Column("tags", Json, nullable=False),
    sa.Column("readme", sa.Text, nullable=False),
    sa.Column("manifest", Json, nullable=False),
    sa.Column("signature", Json),
    sa.Column("search_text", sa.Text, nullable=False),
    sa.Column("draft", Json),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("rating", sa.Float, nullable=False, server_default="0"),
    sa.Column("ratings_count", BigInt, nullable=False, server_default="0"),
    sa.Column("installs", BigInt, nullable=False, server_default="0"),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
)
"""`user_id` is the author; null for an item that ships with the server.

`status` is pending, published, rejected or withdrawn. `signature` belongs to the manifest (see `signatures`); it is
null for items that predate signatures. `search_text` is the lower-case text that searches cover, with a line each for
name, tags, description and readme. `draft` holds the changed fields of a newer version that awaits moderation, while
the published version stays available.
"""

WAITING = (items.c.status == sa.literal_column("'pending'")) | items.c.draft.is_not(None)
"""Items that await moderation, as new items or with a newer version. The partial index contains only these."""

# A list reads its page from one of these indexes, whose last columns decide who sees an item and in which lists.
_VISIBILITY = (items.c.status, items.c.type, items.c.user_id)
sa.Index("ix_marketplace_items_popular", items.c.installs.desc(), items.c.rating.desc(), items.c.id, *_VISIBILITY)
sa.Index("ix_marketplace_items_rating", items.c.rating.desc(), items.c.ratings_count.desc(), items.c.id, *_VISIBILITY)
sa.Index("ix_marketplace_items_newest", items.c.id, *_VISIBILITY)
sa.Index("ix_marketplace_items_open_id", items.c.id, sqlite_where=WAITING, postgresql_where=WAITING)

keys = table(
    "marketplace_keys",
    id_column(),
    sa.Column("key_id", sa.String(16), nullable=False, unique=True),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), unique=True),
    sa.Column("private_key", sa.Text, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
)
"""Publishers' signing keys.

`private_key` is sealed and bound to `key_id`, the first 16 hex digits of the public key's SHA-256. A key outlives its
user, whose id is then null, because the remaining items need it.
"""

ratings = table(
    "marketplace_ratings",
    sa.Column(
        "item_id",
        BigInt,
        sa.ForeignKey("marketplace_items.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False, index=True),
    sa.Column("stars", sa.Integer, nullable=False),
)

installs = table(
    "marketplace_installs",
    sa.Column(
        "item_id",
        BigInt,
        sa.ForeignKey("marketplace_items.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False, index=True),
)
"""The users that `installs` of an item counts: each one once, whether or not the installation still exists."""

installations = table(
    "marketplace_installations",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("item_id", BigInt, nullable=False, index=True),
    sa.Column("once", BigInt),
    sa.Column("type", sa.String(20), nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("version", sa.String(32), nullable=False),
    sa.Column("manifest", Json, nullable=False),
    sa.Column("installed", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("account_id", "once"),
    sa.Index(None, "account_id", "id"),
)
"""`once` is the item's id for tools and extensions, which an account installs only once; null for other types.

`manifest` is the installed version, so that an installation outlives its item.
"""


class DraftVersion(TypedDict):
    """A newer version of an item that awaits moderation."""

    description: str
    version: str
    tier: ToolTier
    tags: Sequence[str]
    readme: str
    manifest: Mapping[str, object]
    signature: Mapping[str, str | None] | None
    search_text: str


class ItemBrief(Record, Protocol):
    """An item without its content."""

    id: int
    slug: str
    user_id: int | None
    author: str
    type: str
    name: str
    description: str
    version: str
    tier: ToolTier
    tags: Sequence[str]
    draft: DraftVersion | None
    status: str
    rating: float
    ratings_count: int
    installs: int
    created_at: datetime
    updated_at: datetime


class ItemRow(ItemBrief, Protocol):
    """An item."""

    readme: str
    manifest: dict[str, object]
    signature: dict[str, str | None] | None
    search_text: str


class MadeResource(TypedDict):
    """An object that an installation created."""

    resource: str
    id: int
    name: str


class InstallationRow(Record, Protocol):
    """An installation."""

    id: int
    account_id: int
    item_id: int
    once: int | None
    type: str
    name: str
    version: str
    manifest: Mapping[str, object]
    installed: Sequence[MadeResource]
    created_at: datetime


class SigningKey(Record, Protocol):
    """A key that signs items, encrypted."""

    id: int
    key_id: str
    user_id: int | None
    private_key: str
    created_at: datetime
