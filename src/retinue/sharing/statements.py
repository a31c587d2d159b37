"""SQL statements for publishable keys and threads. Those for callers filter by the owning account."""

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.auth.tables import accounts, users
from retinue.chat.tables import conversations
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.sharing.tables import publishable_keys as keys
from retinue.sharing.tables import threads

_MOMENT = sa.bindparam("moment", type_=keys.c.created_at.type)
_DAY = sa.bindparam("day", type_=sa.String)
_OURS = keys.c.account_id == sa.bindparam("account", type_=BigInt)
_ID = keys.c.id == sa.bindparam("key", type_=BigInt)
_NOT_REVOKED = keys.c.revoked_at.is_(None)
_IN_FORCE = (_NOT_REVOKED, keys.c.expires_at.is_(None) | (keys.c.expires_at > _MOMENT))
_TODAY = sa.case((keys.c.day == _DAY, keys.c.messages_today), else_=0)
_STORED = [column for column in keys.c if column.name not in ("messages_today", "day", "account_id", "revoked_at")]
_COLUMNS = [*_STORED, keys.c.token.label("key"), _TODAY.label("messages_today")]
_AGENT = sa.bindparam("agent", type_=BigInt)

AUTHENTICATE = Statement(
    sa.select(
        *(keys.c[name] for name in ("id", "account_id", "agent_id", "origins", "page_enabled")),
        accounts.c.user_id,
        accounts.c.sandbox,
        users.c.plan,
    )
    .join(accounts, accounts.c.id == keys.c.account_id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(keys.c.token == sa.bindparam("token", type_=sa.String), users.c.suspended_at.is_(None), *_IN_FORCE)
)

CHANGEABLE = (
    "name", "origins", "page_enabled", "accepts_files", "daily_messages", "visitor_daily_messages", "appearance",
)  # fmt: skip

INSERT = Statement(sa.insert(keys).returning(keys.c.id), ["account_id", "agent_id", "token", *CHANGEABLE, "created_at"])
GET = Statement(sa.select(*_COLUMNS).where(_ID, _OURS, _NOT_REVOKED))
LOCK = Statement(sa.select(keys).where(_ID, _OURS, _NOT_REVOKED).with_for_update())
_LISTED = (_OURS, _NOT_REVOKED, sa.or_(_AGENT.is_(None), keys.c.agent_id == _AGENT))
LIST = Statement(
    sa.select(*_COLUMNS)
    .where(*_LISTED)
    .order_by(keys.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(keys).where(*_LISTED))
UPDATE = Statement(
    sa.update(keys)
    .where(_ID, _OURS, _NOT_REVOKED)
    .values({name: sa.bindparam(f"new_{name}", type_=keys.c[name].type) for name in CHANGEABLE})
)
REPLACE = Statement(
    sa.update(keys)
    .where(_ID, *_IN_FORCE)
    .values(
        successor_id=sa.bindparam("successor", type_=BigInt),
        expires_at=sa.bindparam("until", type_=keys.c.expires_at.type),
    )
)
REVOKE = Statement(sa.update(keys).where(_ID, _OURS, _NOT_REVOKED).values(revoked_at=_MOMENT))
REVOKE_ALL = Statement(sa.update(keys).where(_OURS, _NOT_REVOKED).values(revoked_at=_MOMENT))
ACCOUNTS_OF = Statement(sa.select(accounts.c.id).where(accounts.c.user_id == sa.bindparam("user", type_=BigInt)))

LIMITS = Statement(sa.select(keys.c.visitor_daily_messages).where(_ID))
COUNT_MESSAGE = Statement(
    sa.update(keys)
    .where(_ID, *_IN_FORCE, keys.c.daily_messages > _TODAY)
    .values(
        day=_DAY,
        messages_today=_TODAY + 1,
        messages=keys.c.messages + 1,
        conversations=keys.c.conversations + sa.bindparam("opened", type_=sa.Integer),
        last_used_at=_MOMENT,
    )
    .returning(keys.c.id)
)
"""Counts a message of a visitor, unless those of the day are used up."""

LOCK_AGENT = Statement(
    sa.select(agents.c.id)
    .where(agents.c.id == _AGENT, agents.c.account_id == sa.bindparam("account", type_=BigInt))
    .with_for_update(read=True)
)
"""Locks an agent of the account, so that it is not deleted while a key for it is created."""

_VISITOR = (
    threads.c.account_id == sa.bindparam("account", type_=BigInt),
    threads.c.agent_id == _AGENT,
    threads.c.visitor == sa.bindparam("visitor", type_=sa.String),
)
THREAD = Statement(
    sa.select(threads.c.id, threads.c.conversation_id, conversations.c.public_id)
    .join(conversations, conversations.c.id == threads.c.conversation_id)
    .where(
        *_VISITOR,
        sa.or_(
            threads.c.thread_id == sa.bindparam("thread", type_=sa.String),
            conversations.c.public_id == sa.bindparam("thread", type_=sa.String),
        ),
    )
)
"""A visitor's thread, by the name that the client gave it or by the id of its conversation."""

INSERT_THREAD = Statement(
    sa.insert(threads).returning(threads.c.id),
    ["account_id", "agent_id", "visitor", "thread_id", "conversation_id", "day", "messages_today"],
)
VISITOR_TODAY = Statement(
    sa.select(sa.func.coalesce(sa.func.sum(threads.c.messages_today), 0).label("messages")).where(
        *_VISITOR, threads.c.day == _DAY
    )
)
_THREAD_TODAY = sa.case((threads.c.day == _DAY, threads.c.messages_today), else_=0)
COUNT_IN_THREAD = Statement(
    sa.update(threads)
    .where(threads.c.id == sa.bindparam("id", type_=BigInt))
    .values(day=_DAY, messages_today=_THREAD_TODAY + 1)
)
MARK = Statement(
    sa.update(conversations)
    .where(conversations.c.id == sa.bindparam("conversation", type_=BigInt))
    .values(publishable_key_id=sa.bindparam("key", type_=BigInt))
)
"""Records by which key a visitor opened a conversation."""
