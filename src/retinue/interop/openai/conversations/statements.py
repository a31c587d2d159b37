"""SQL statements for conversations of OpenAI's API, filtered by account, and for their items."""

import sqlalchemy as sa

from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.interop.openai.conversations.tables import conversations, items

_THIS = (
    conversations.c.public_id == sa.bindparam("name", type_=sa.String),
    conversations.c.account_id == sa.bindparam("account", type_=BigInt),
)
_CONVERSATION = items.c.conversation_id == sa.bindparam("conversation", type_=BigInt)

INSERT = Statement(
    sa.insert(conversations).returning(conversations),
    ["account_id", "public_id", "metadata", "created_at", "updated_at"],
)
GET = Statement(sa.select(conversations).where(*_THIS))
LOCK = Statement(sa.select(conversations).where(*_THIS).with_for_update())
UPDATE = Statement(
    sa.update(conversations).where(*_THIS).values(metadata=sa.bindparam("given", type_=conversations.c.metadata.type))
)
TAINT = Statement(
    sa.update(conversations)
    .where(conversations.c.id == sa.bindparam("conversation", type_=BigInt), conversations.c.untrusted.is_(None))
    .values(untrusted=sa.bindparam("source", type_=sa.String))
)
TOUCH = Statement(
    sa.update(conversations)
    .where(*_THIS)
    .values(updated_at=sa.bindparam("moment", type_=conversations.c.updated_at.type))
)
"""Notes that a conversation is used, and locks it."""

DELETE = Statement(sa.delete(conversations).where(*_THIS))

ADD_ITEM = Statement(
    sa.insert(items).returning(items.c.id), ["conversation_id", "public_id", "item", "run_id", "known"]
)
ITEMS = Statement(sa.select(items).where(_CONVERSATION).order_by(items.c.id))
DELETE_ITEMS = Statement(sa.delete(items).where(_CONVERSATION, among(items.c.id, "ids")))
