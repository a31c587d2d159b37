"""The rules of agents, runs and conversations."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.chat.tables import conversations
from retinue.check.statements import EXPIRED, children_of, count_of
from retinue.core.database.portable_sql import json_integer
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.events import events
from retinue.runs.tables import messages, runs

_STATUS = runs.c.status
_FINAL = (_STATUS == "completed") | (_STATUS == "failed") | (_STATUS == "cancelled")

_ENDINGS = sa.union_all(
    sa.select(
        json_integer(events.c.data, "run_id").label("run_id"),
        events.c.name,
        sa.literal_column("1").label("told"),
        sa.cast(sa.null(), Instant).label("ended_at"),
    ).where((events.c.name == "agent.completed") | (events.c.name == "agent.error")),
    sa.select(
        runs.c.id,
        sa.case((_STATUS == "completed", "agent.completed"), else_="agent.error"),
        sa.literal_column("-1"),
        runs.c.ended_at,
    ).where(runs.c.agent_id.is_not(None), (_STATUS == "completed") | (_STATUS == "failed")),
).subquery()
"""The end events of runs (+1) and the events that ended runs should have (-1). Events of deleted runs remain."""

_SURPLUS = sa.func.sum(_ENDINGS.c.told)
_MAY_BE_GONE = sa.func.coalesce(sa.func.max(_ENDINGS.c.ended_at) < EXPIRED, sa.false())
"""True if retention may have removed the event."""

_STEP_TOKENS = (
    sa.select(sa.cast(sa.func.coalesce(sa.func.sum(messages.c.tokens), 0), BigInt))
    .where(messages.c.run_id == runs.c.id)
    .scalar_subquery()
)
_REPLIED = (_STATUS == "completed") & (runs.c.reply != "")
"""Only in these runs did each model call leave a step. The last call of a failed or silent run leaves none."""

RULES: Mapping[str, Statement] = {
    "the counter of agents is wrong": count_of(agents, "agents"),
    "an agent's count of runs is wrong": children_of(agents, agents.c.runs_count, runs, runs.c.agent_id),
    "the counter of conversations is wrong": count_of(conversations, "conversations"),
    "a conversation's count of messages is wrong": children_of(
        conversations, conversations.c.message_count, messages, messages.c.conversation_id
    ),
    "a run has ended without a final status, or the reverse": Statement(
        sa.select(runs.c.id).where(runs.c.ended_at.is_not(None) != _FINAL)
    ),
    "a run that has ended is still leased": Statement(
        sa.select(runs.c.id).where(runs.c.ended_at.is_not(None), runs.c.lease_owner.is_not(None))
    ),
    "a run's tokens do not match its steps": Statement(
        sa.select(runs.c.id, runs.c.tokens_used, _STEP_TOKENS.label("true")).where(
            runs.c.ended_at.is_not(None),
            (runs.c.tokens_used < _STEP_TOKENS) | (_REPLIED & (runs.c.tokens_used > _STEP_TOKENS)),
        )
    ),
    "a completed run has no reply": Statement(
        sa.select(runs.c.id).where(runs.c.status == "completed", runs.c.reply.is_(None))
    ),
    "a failed run has no reason": Statement(
        sa.select(runs.c.id).where(runs.c.status == "failed", runs.c.error.is_(None))
    ),
    "the end of a run was not reported exactly once": Statement(
        sa.select(_ENDINGS.c.run_id, _ENDINGS.c.name, _SURPLUS.label("surplus"))
        .where(sa.exists().where(runs.c.id == _ENDINGS.c.run_id))
        .group_by(_ENDINGS.c.run_id, _ENDINGS.c.name)
        .having((_SURPLUS > 0) | ((_SURPLUS < 0) & ~_MAY_BE_GONE))
    ),
}
