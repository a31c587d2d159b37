"""The table of conversations. Their messages are those of their runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table
from retinue.core.database.statements import Record

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

OF_PERSON, OF_AGENT = conversations.c.person.is_not(None), conversations.c.agent_id.is_not(None)
for _name, _is_set in (("person", OF_PERSON), ("agent_id", OF_AGENT)):
    sa.Index(
        f"ix_conversations_{_name}",
        conversations.c.account_id,
        conversations.c[_name],
        conversations.c.updated_at,
        conversations.c.id,
        sqlite_where=_is_set,
        postgresql_where=_is_set,
    )

OWNED = (Owned(conversations.c.account_id),)


class ConversationRow(Record, Protocol):
    """A conversation."""

    id: int
    account_id: int
    agent_id: int | None
    public_id: str
    title: str
    model: str
    message_count: int
    last_message: str
    person: str | None
    pinned_at: datetime | None
    publishable_key_id: int | None
    share_token: str | None
    shared_at: datetime | None
    created_at: datetime
    updated_at: datetime


class ShownConversation(ConversationRow, Protocol):
    """A conversation with the fields that the API derives."""

    conversation_id: str
    user: str | None
    pinned: bool


class ConversationRun(Record, Protocol):
    """What a conversation shows of a run."""

    id: int
    status: str
    error: str | None
    citations: Sequence[Mapping[str, object]] | None
    tokens_used: int
    cost_usd: str | None
    finish_reason: str | None
    execution_time_ms: int | None
    ended_at: datetime | None
