"""The tables of conversations of OpenAI's API, and of their items."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.runs.tables import SOURCE_CHARACTERS

conversations = table(
    "item_conversations",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("public_id", sa.String(40), nullable=False, unique=True),
    sa.Column("metadata", Json, nullable=False),
    sa.Column("untrusted", sa.String(SOURCE_CHARACTERS)),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)
"""`untrusted` is the first untrusted source that a response of the conversation read."""

items = table(
    "conversation_items",
    id_column(),
    sa.Column("conversation_id", BigInt, sa.ForeignKey("item_conversations.id", ondelete="CASCADE"), nullable=False),
    sa.Column("public_id", sa.String(100), nullable=False),
    sa.Column("item", Json),
    sa.Column("run_id", BigInt),
    sa.Column("known", sa.Integer),
    sa.UniqueConstraint("conversation_id", "public_id"),
    sa.Index(None, "conversation_id", "id"),
)
"""Items in their order. A row without an `item` stands for those of the response `run_id`, until its run has ended.

`known` is the number of messages at the beginning of the run that the conversation had before.
"""

_CONVERSATIONS = Owned(conversations.c.account_id)
OWNED = (Owned(items.c.conversation_id, _CONVERSATIONS, cascades=True), _CONVERSATIONS)
