"""SQL statements for tasks and for the cards of shared agents."""

from datetime import datetime

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.auth.tables import accounts, users
from retinue.chat.tables import conversations
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.runs.tables import OPEN, runs
from retinue.sharing.tables import publishable_keys as keys
from retinue.sharing.tables import threads

_INSTANT = runs.c.ended_at.type
_AGENT = sa.bindparam("agent", type_=BigInt)
_OF_AGENT = (runs.c.agent_id == _AGENT, runs.c.account_id == sa.bindparam("account", type_=BigInt))
_BEGUN = sa.func.coalesce(runs.c.started_at, runs.c.created_at)
_CHANGED = sa.func.coalesce(runs.c.ended_at, _BEGUN)
_STATUS = sa.case(
    ((runs.c.status == sa.literal_column("'queued'")) & runs.c.started_at.is_not(None), sa.literal_column("'running'")),
    else_=runs.c.status,
)
"""A run that is queued again after a decision is being worked on."""

_CONTEXTS = runs.join(conversations, conversations.c.id == runs.c.conversation_id, isouter=True).join(
    threads,
    (threads.c.conversation_id == runs.c.conversation_id)
    & (threads.c.agent_id == runs.c.agent_id)
    & (threads.c.visitor == sa.literal_column("''")),
    isouter=True,
)
_TASK = [
    *(runs.c[name] for name in ("id", "agent_id", "conversation_id", "message", "reply", "error", "options")),
    *(runs.c[name] for name in ("output", "citations", "ended_at")),
    _STATUS.label("status"),
    _CHANGED.label("changed_at"),
    sa.func.coalesce(threads.c.thread_id, conversations.c.public_id).label("context"),
]
GET = Statement(
    sa.select(*_TASK).select_from(_CONTEXTS).where(runs.c.id == sa.bindparam("run", type_=BigInt), *_OF_AGENT)
)

PUBLIC_ID = Statement(
    sa.select(conversations.c.public_id).where(conversations.c.id == sa.bindparam("conversation", type_=BigInt))
)

_CONVERSATION = sa.bindparam("conversation", type_=BigInt)
_STATUS_FILTER = sa.bindparam("wanted", type_=sa.String)
_SINCE = sa.bindparam("since", type_=_INSTANT)
_FOUND = (
    *_OF_AGENT,
    sa.or_(_CONVERSATION.is_(None), runs.c.conversation_id == _CONVERSATION),
    sa.or_(_STATUS_FILTER.is_(None), _STATUS == _STATUS_FILTER),
    sa.or_(_SINCE.is_(None), _CHANGED >= _SINCE),
)


def _page(moment: sa.ColumnElement[datetime], *parts: sa.ColumnElement[bool]) -> Statement:
    before, last = sa.bindparam("before", type_=_INSTANT), sa.bindparam("last", type_=BigInt)
    return Statement(
        sa.select(*_TASK)
        .select_from(_CONTEXTS)
        .where(*_FOUND, *parts, moment <= before, sa.or_(moment < before, runs.c.id < last))
        .order_by(moment.desc(), runs.c.id.desc())
        .limit(sa.bindparam("most", type_=sa.Integer))
    )


PAGE_OF_OPEN = _page(_BEGUN, OPEN)
PAGE_OF_ENDED = _page(runs.c.ended_at, runs.c.ended_at.is_not(None))
"""The tasks that changed last, from the place of a cursor on. An index holds the open ones, another the ended ones."""

COUNT = Statement(sa.select(sa.func.count().label("count")).select_from(runs).where(*_FOUND))

SHARED = Statement(
    sa.select(agents, keys.c.appearance)
    .join(keys, keys.c.agent_id == agents.c.id)
    .join(accounts, accounts.c.id == agents.c.account_id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(
        agents.c.id == _AGENT,
        keys.c.page_enabled,
        keys.c.revoked_at.is_(None),
        sa.or_(keys.c.expires_at.is_(None), keys.c.expires_at > sa.bindparam("moment", type_=keys.c.expires_at.type)),
        users.c.suspended_at.is_(None),
    )
    .order_by(keys.c.id.desc())
    .limit(1)
)
"""An agent with an open page, and how its page looks."""
