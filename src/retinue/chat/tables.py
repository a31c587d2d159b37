"""The table of conversations. Their messages are those of their runs."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table

conversations = table(
    "conversations",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("public_id", sa.String(40), nullable=False, unique=True),
    sa.Column("title", sa.String(100), nullable=False),
    sa.Column("model", sa.String(100), nullable=False),
    sa.Column("message_count", BigInt, nullable=False),
    sa.Column("last_message", sa.String(200), nullable=False),
    sa.Column("person", sa.String(200)),
    sa.Column("pinned_at", Instant),
    sa.Column("publishable_key_id", BigInt),
    sa.Column("share_token", sa.String(40), unique=True, index=True),
    sa.Column("shared_at", Instant),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Index(None, "account_id", "updated_at", "id"),
)
"""`person` is the user of the app who talks; null for the owner of the account, or if nobody knows."""

"""`publishable_key_id` is the key by which a visitor opened the conversation; null for the user's own."""

"""Everyone with the link that ends with `share_token` can read the messages up to `shared_at`."""

PINNED = conversations.c.pinned_at.is_not(None)

sa.Index("ix_conversations_pinned", conversations.c.account_id, sqlite_where=PINNED, postgresql_where=PINNED)

OWNED = (Owned(conversations.c.account_id),)
