"""Tables of publishable keys, and of the threads of clients."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table

publishable_keys = table(
    "publishable_keys",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False, index=True),
    sa.Column("agent_id", BigInt, sa.ForeignKey("agents.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("token", sa.String(40), nullable=False, unique=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("origins", Json, nullable=False),
    sa.Column("page_enabled", sa.Boolean, nullable=False),
    sa.Column("accepts_files", sa.Boolean, nullable=False),
    sa.Column("daily_messages", BigInt, nullable=False),
    sa.Column("visitor_daily_messages", BigInt, nullable=False),
    sa.Column("appearance", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant),
    sa.Column("revoked_at", Instant),
    sa.Column("successor_id", BigInt),
    sa.Column("last_used_at", Instant),
    sa.Column("day", sa.String(10), nullable=False, server_default=""),
    sa.Column("messages_today", BigInt, nullable=False, server_default="0"),
    sa.Column("messages", BigInt, nullable=False, server_default="0"),
    sa.Column("conversations", BigInt, nullable=False, server_default="0"),
)
"""A publishable key stands in the source of a page, so it is no secret and is stored as it is.

`messages_today` counts those of `day`, a date in UTC. `appearance` is how the widget looks.
"""

threads = table(
    "threads",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("agent_id", BigInt, nullable=False),
    sa.Column("visitor", sa.String(64), nullable=False),
    sa.Column("thread_id", sa.String(100), nullable=False),
    sa.Column(
        "conversation_id", BigInt, sa.ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    sa.Column("day", sa.String(10), nullable=False, server_default=""),
    sa.Column("messages_today", BigInt, nullable=False, server_default="0"),
    sa.UniqueConstraint("account_id", "agent_id", "visitor", "thread_id"),
)
"""The conversation of each thread, which the client named. `visitor` is the key and the hash of the visitor's token;
it is empty for the threads of the account's own credentials.
"""

OWNED = (Owned(threads.c.account_id, hidden=("visitor",)), Owned(publishable_keys.c.account_id))
