"""SQL statements that find and delete old work."""

import sqlalchemy as sa

from retinue.chat.tables import conversations
from retinue.core.database.counters import counters
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.fleets.tables import deployments, fleets, parts
from retinue.runs.tables import ENDED_ALONE, OPEN, messages, runs
from retinue.voice.calls.tables import calls
from retinue.voice.rooms.tables import PRESENT, room_participants, rooms

PAGE = 100
"""Accounts that one transaction looks at."""

BATCH = 20
"""Records of an account that one transaction removes. Each may take hundreds of others along."""

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_BEFORE = sa.bindparam("before", type_=Instant)
_CONVERSATION = sa.bindparam("conversation", type_=BigInt)
_DEPLOYMENT = sa.bindparam("deployment", type_=BigInt)

ACCOUNTS = Statement(
    sa.select(counters.c.account_id)
    .where(counters.c.account_id > sa.bindparam("after", type_=BigInt), counters.c.name == "conversations")
    .order_by(counters.c.account_id)
    .limit(PAGE)
)
"""Accounts after an id. An account in deletion has no counters, so it is left out."""

OLD_RUNS = Statement(
    sa.select(runs.c.id)
    .where(
        runs.c.account_id == _ACCOUNT,
        ENDED_ALONE,
        runs.c.ended_at < _BEFORE,
        ~sa.exists().where(parts.c.run_id == runs.c.id),
    )
    .order_by(runs.c.ended_at)
    .limit(BATCH)
)
DELETE_RUNS = Statement(
    sa.delete(runs).where(among(runs.c.id, "ids"), runs.c.ended_at.is_not(None)).returning(runs.c.agent_id)
)

OLDEST_CONVERSATION = Statement(
    sa.select(conversations.c.id)
    .where(
        conversations.c.account_id == _ACCOUNT,
        conversations.c.updated_at < _BEFORE,
        ~sa.exists().where(runs.c.conversation_id == conversations.c.id, OPEN),
    )
    .order_by(conversations.c.updated_at)
    .limit(1)
    .with_for_update(of=conversations, skip_locked=True)
)
RUNS_OF_CONVERSATION = Statement(
    sa.select(runs.c.id).where(runs.c.conversation_id == _CONVERSATION).order_by(runs.c.id).limit(BATCH)
)
COUNT_MESSAGES = Statement(
    sa.select(sa.func.count().label("messages")).where(
        among(messages.c.run_id, "ids"), messages.c.conversation_id.is_not(None)
    )
)
UNCOUNT_MESSAGES = Statement(
    sa.update(conversations)
    .where(conversations.c.id == _CONVERSATION)
    .values(message_count=conversations.c.message_count - sa.bindparam("gone", type_=BigInt))
)
DELETE_CONVERSATION = Statement(sa.delete(conversations).where(conversations.c.id == _CONVERSATION))

_OPEN_PART = sa.exists(
    sa.select(parts.c.run_id)
    .join_from(parts, runs, runs.c.id == parts.c.run_id)
    .where(parts.c.deployment_id == deployments.c.id, OPEN)
)
OLDEST_DEPLOYMENT = Statement(
    sa.select(deployments.c.id, deployments.c.fleet_id)
    .where(
        deployments.c.account_id == _ACCOUNT,
        deployments.c.ended_at < _BEFORE,
        ~_OPEN_PART,
    )
    .order_by(deployments.c.ended_at)
    .limit(1)
)
RUNS_OF_DEPLOYMENT = Statement(
    sa.select(runs.c.id)
    .join(parts, parts.c.run_id == runs.c.id)
    .where(parts.c.deployment_id == _DEPLOYMENT)
    .order_by(runs.c.id)
    .limit(BATCH)
)
DELETE_DEPLOYMENT = Statement(sa.delete(deployments).where(deployments.c.id == _DEPLOYMENT))
UNCOUNT_DEPLOYMENT = Statement(
    sa.update(fleets)
    .where(fleets.c.id == sa.bindparam("fleet", type_=BigInt))
    .values(deployments_count=fleets.c.deployments_count - 1)
)

OLD_CALLS = Statement(
    sa.select(calls.c.id)
    .where(calls.c.account_id == _ACCOUNT, calls.c.ended_at < _BEFORE)
    .order_by(calls.c.ended_at)
    .limit(BATCH)
)
DELETE_CALLS = Statement(sa.delete(calls).where(among(calls.c.id, "ids")))

OLD_ROOMS = Statement(
    sa.select(rooms.c.id)
    .where(
        rooms.c.account_id == _ACCOUNT,
        rooms.c.ended_at < _BEFORE,
        ~sa.exists().where(room_participants.c.room_id == rooms.c.id, PRESENT),
    )
    .order_by(rooms.c.ended_at)
    .limit(BATCH)
)
DELETE_ROOMS = Statement(sa.delete(rooms).where(among(rooms.c.id, "ids")))
