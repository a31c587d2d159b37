"""SQL statements for conversations. Each one that takes a public id filters by the owning account."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.auth.tables import accounts, users
from retinue.chat.tables import PINNED, ConversationRow, ConversationRun, ShownConversation, conversations
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.runs.tables import JournalRow, messages, runs

_OURS = conversations.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (conversations.c.public_id == sa.bindparam("public", type_=sa.String), _OURS)
_ID = sa.bindparam("conversation", type_=BigInt)
_PAGE = {"per_page": sa.bindparam("per_page", type_=sa.Integer), "offset": sa.bindparam("offset", type_=BigInt)}

INSERT: Statement[ConversationRow] = Statement(
    sa.insert(conversations).returning(conversations),
    [
        "account_id", "agent_id", "public_id", "title", "model", "message_count", "last_message", "person",
        "created_at", "updated_at",
    ],
)  # fmt: skip
_COLUMNS = (
    conversations,
    conversations.c.public_id.label("conversation_id"),
    conversations.c.person.label("user"),
    PINNED.label("pinned"),
)
GET: Statement[ShownConversation] = Statement(sa.select(*_COLUMNS).where(*_THIS))
LOCK: Statement[ConversationRow] = Statement(sa.select(conversations).where(*_THIS).with_for_update())
LIST: Statement[ShownConversation] = Statement(
    sa.select(*_COLUMNS)
    .where(_OURS)
    .order_by(conversations.c.updated_at.desc(), conversations.c.id.desc())
    .limit(_PAGE["per_page"])
    .offset(_PAGE["offset"])
)
_PERSON, _AGENT = sa.bindparam("person", type_=sa.String), sa.bindparam("agent", type_=BigInt)
_FOUND = (
    _OURS,
    sa.or_(_PERSON.is_(None), conversations.c.person == _PERSON),
    sa.or_(_AGENT.is_(None), conversations.c.agent_id == _AGENT),
)
_CONDITIONS = {
    "person": (conversations.c.person == _PERSON, *_FOUND),
    "agent": (conversations.c.agent_id == _AGENT, *_FOUND),
}
FIND: Mapping[str, Statement[ShownConversation]] = {
    name: Statement(
        sa.select(*_COLUMNS)
        .where(*conditions)
        .order_by(conversations.c.updated_at.desc(), conversations.c.id.desc())
        .limit(_PAGE["per_page"])
        .offset(_PAGE["offset"])
    )
    for name, conditions in _CONDITIONS.items()
}
"""The conversations of a user or an agent, by the name of the filter whose index the database reads."""
COUNT_FOUND = {
    name: Statement(sa.select(sa.func.count().label("found")).select_from(conversations).where(*conditions))
    for name, conditions in _CONDITIONS.items()
}
PUBLIC_IDS = Statement(
    sa.select(conversations.c.id, conversations.c.public_id).where(among(conversations.c.id, "these"), _OURS)
)
_LISTED = sa.select(conversations).where(_OURS).order_by(conversations.c.updated_at.desc(), conversations.c.id.desc())
_READ = 300
_MOST = sa.bindparam("most", type_=sa.Integer)
_PATTERN = sa.bindparam("pattern", type_=sa.String)
PINS: Statement[ConversationRow] = Statement(_LISTED.where(PINNED).limit(_MOST))
LATEST: Statement[ConversationRow] = Statement(_LISTED.where(~PINNED).limit(_MOST))
_RECENT = sa.select(conversations.c.id).where(_OURS).order_by(conversations.c.updated_at.desc()).limit(_READ)
_SAYS_IT = sa.select(messages.c.conversation_id).where(
    messages.c.conversation_id.in_(_RECENT.scalar_subquery()),
    messages.c.role != "tool",
    messages.c.content.ilike(_PATTERN, escape="\\"),
)
SEARCH: Statement[ConversationRow] = Statement(
    _LISTED.where(
        sa.or_(conversations.c.title.ilike(_PATTERN, escape="\\"), conversations.c.id.in_(_SAYS_IT.scalar_subquery()))
    ).limit(_MOST)
)
"""Conversations with the pattern in their title, or in a message if they are among the latest `_READ`."""
CHANGE: Statement[ShownConversation] = Statement(
    sa.update(conversations)
    .where(*_THIS)
    .values(
        title=sa.func.coalesce(sa.bindparam("named", type_=sa.String), conversations.c.title),
        pinned_at=sa.bindparam("pinned", type_=conversations.c.pinned_at.type),
    )
    .returning(*_COLUMNS)
)
NOTE = Statement(
    sa.update(conversations)
    .where(conversations.c.id == _ID)
    .values(
        message_count=conversations.c.message_count + sa.bindparam("added", type_=sa.Integer),
        last_message=sa.func.coalesce(sa.bindparam("said", type_=sa.String), conversations.c.last_message),
        updated_at=sa.bindparam("moment", type_=conversations.c.updated_at.type),
    )
)
USE_MODEL = Statement(
    sa.update(conversations).where(conversations.c.id == _ID).values(model=sa.bindparam("used", type_=sa.String))
)
MESSAGES: Statement[JournalRow] = Statement(
    sa.select(messages)
    .where(messages.c.conversation_id == _ID)
    .order_by(messages.c.id)
    .limit(_PAGE["per_page"])
    .offset(_PAGE["offset"])
)
RUNS: Statement[ConversationRun] = Statement(
    sa.select(
        *(runs.c[name] for name in ("id", "status", "error", "citations", "tokens_used", "cost_usd")),
        *(runs.c[name] for name in ("finish_reason", "execution_time_ms", "ended_at")),
    ).where(
        runs.c.conversation_id == _ID,
        runs.c.id.between(sa.bindparam("low", type_=BigInt), sa.bindparam("high", type_=BigInt)),
    )
)
"""What the runs with ids from `low` to `high` of a conversation used, and the sources of their replies."""
SHARE = Statement(
    sa.update(conversations)
    .where(*_THIS)
    .values(
        share_token=sa.bindparam("token", type_=sa.String),
        shared_at=sa.bindparam("moment", type_=conversations.c.shared_at.type),
    )
    .returning(conversations.c.id)
)
UNSHARE_ALL = Statement(
    sa.update(conversations)
    .where(
        conversations.c.account_id.in_(
            sa.select(accounts.c.id).where(accounts.c.user_id == sa.bindparam("user", type_=BigInt)).scalar_subquery()
        ),
        conversations.c.share_token.is_not(None),
    )
    .values(share_token=None, shared_at=None)
)
SHARED: Statement[ShownConversation] = Statement(
    sa.select(*_COLUMNS)
    .join(accounts, accounts.c.id == conversations.c.account_id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(conversations.c.share_token == sa.bindparam("token", type_=sa.String), users.c.suspended_at.is_(None))
)
SHARED_MESSAGES = Statement(
    sa.select(messages)
    .where(
        messages.c.conversation_id == _ID,
        messages.c.created_at <= sa.bindparam("moment", type_=messages.c.created_at.type),
    )
    .order_by(messages.c.id)
    .limit(_MOST)
)
DELETE = Statement(sa.delete(conversations).where(conversations.c.id == _ID))
DELETE_RUNS = Statement(sa.delete(runs).where(runs.c.conversation_id == _ID).returning(runs.c.agent_id))
