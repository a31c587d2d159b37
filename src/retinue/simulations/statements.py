"""SQL statements of simulations, filtered by account, or for the worker by simulation."""

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.leases import Leases
from retinue.runs.tables import messages, runs
from retinue.simulations.tables import OPEN, RUNNING, SimulatedRow, SimulationRow, conversations, simulations

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_ID = sa.bindparam("simulation", type_=BigInt)
_MOMENT = sa.bindparam("moment", type_=Instant)
_OURS = simulations.c.account_id == _ACCOUNT
_THIS = (simulations.c.id == _ID, _OURS)
_OF_SIMULATION = conversations.c.simulation_id == _ID
_AGENT = sa.bindparam("agent", type_=BigInt)
_WANTED = sa.or_(_AGENT.is_(None), simulations.c.agent_id == _AGENT)
_STATE = sa.bindparam("state", type_=sa.String)

INSERT: Statement[SimulationRow] = Statement(
    sa.insert(simulations).returning(simulations),
    [
        "account_id", "name", "agent_id", "agent_name", "agent_version", "scenarios", "model", "mode", "tools",
        "max_turns", "repeat", "powers", "status", "total", "created_at",
    ],
)  # fmt: skip
GET: Statement[SimulationRow] = Statement(sa.select(simulations).where(*_THIS))
LIST: Statement[SimulationRow] = newest_first(sa.select(simulations), simulations.c.id, _OURS, _WANTED)
COUNT = Statement(
    sa.select(
        sa.func.count().filter(_WANTED).label("listed"),
        sa.func.count().label("held"),
        sa.func.count().filter(OPEN).label("open"),
    ).where(_OURS)
)
COUNTS = Statement(
    sa.select(
        conversations.c.simulation_id,
        conversations.c.status,
        sa.func.count().label("held"),
        sa.func.count().filter(conversations.c.goal_reached).label("reached"),
    )
    .where(among(conversations.c.simulation_id, "ids"))
    .group_by(conversations.c.simulation_id, conversations.c.status)
)
RESULTS = Statement(
    sa.select(
        *(conversations.c[name] for name in ("scenario", "status", "turns", "goal_reached", "passed", "tokens_used")),
        *(conversations.c[name] for name in ("cost_usd", "first_text_ms", "reply_ms")),
    ).where(_OF_SIMULATION)
)
_FOUND = (_OF_SIMULATION, sa.or_(_STATE.is_(None), conversations.c.status == _STATE))
CONVERSATIONS: Statement[SimulatedRow] = Statement(
    sa.select(conversations)
    .where(*_FOUND)
    .order_by(conversations.c.number)
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
CHATS = Statement(sa.select(conversations.c.conversation_id).where(_OF_SIMULATION).order_by(conversations.c.number))
DELETE = Statement(sa.delete(simulations).where(*_THIS, simulations.c.ended_at.is_not(None)))

LOCK: Statement[SimulationRow] = Statement(
    sa.select(simulations).where(simulations.c.id == _ID, OPEN).with_for_update()
)
"""A simulation that has not ended. Until the commit, no other process takes a step of it."""

END = Statement(sa.update(simulations).where(simulations.c.id == _ID).values(status=_STATE, ended_at=_MOMENT))
OPEN_RUNS = Statement(sa.select(conversations.c.run_id).where(_OF_SIMULATION, RUNNING))
CANCEL_CONVERSATIONS = Statement(
    sa.update(conversations).where(_OF_SIMULATION, RUNNING).values(status="cancelled", run_id=None, ended_at=_MOMENT)
)

_RUNNING_OF_ACCOUNT = (
    sa.select(sa.func.count())
    .select_from(conversations)
    .where(conversations.c.account_id == simulations.c.account_id, RUNNING)
    .correlate(simulations)
    .scalar_subquery()
)
_HAS_ROOM = sa.bindparam("most", type_=sa.Integer) > _RUNNING_OF_ACCOUNT
TO_BEGIN = Statement(
    sa.select(simulations.c.id, simulations.c.account_id)
    .where(OPEN, simulations.c.begun < simulations.c.total, _HAS_ROOM)
    .order_by(simulations.c.id)
    .limit(20)
)
"""Simulations whose account may begin another conversation."""

CLAIM_NEXT: Statement[SimulationRow] = Statement(
    sa.update(simulations)
    .where(simulations.c.id == _ID, OPEN, simulations.c.begun < simulations.c.total, _HAS_ROOM)
    .values(begun=simulations.c.begun + 1)
    .returning(simulations)
)
ADD: Statement[SimulatedRow] = Statement(
    sa.insert(conversations).returning(conversations),
    [
        "account_id", "simulation_id", "number", "scenario", "status", "speaker", "conversation_id", "transcript",
        "turns", "tokens_used", "cost_usd", "created_at",
    ],
)  # fmt: skip

_MAY_GO_ON = sa.or_(runs.c.id.is_(None), runs.c.ended_at.is_not(None), runs.c.status == "waiting")
AT_WORK = Statement(
    sa.select(
        *(conversations.c[name] for name in ("simulation_id", "id", "run_id", "epoch")),
        _MAY_GO_ON.label("due"),
        (conversations.c.lease_until >= unix_now()).label("leased"),
        (simulations.c.mode == "sound").label("spoken"),
    )
    .join(simulations, simulations.c.id == conversations.c.simulation_id)
    .outerjoin(runs, runs.c.id == conversations.c.run_id)
    .where(RUNNING)
    .order_by(_MAY_GO_ON.desc(), conversations.c.id)
    .limit(200)
)
"""Open conversations with their runs. Those whose run has ended, waits for approval or was deleted come first."""

_CONVERSATION = conversations.c.id == sa.bindparam("conversation", type_=BigInt)
_STEP_RUN = sa.bindparam("run", type_=BigInt)
AT_STEP: Statement[SimulatedRow] = Statement(
    sa.select(conversations).where(
        _CONVERSATION,
        sa.or_(conversations.c.run_id == _STEP_RUN, sa.and_(_STEP_RUN.is_(None), conversations.c.run_id.is_(None))),
        conversations.c.epoch == sa.bindparam("epoch", type_=BigInt),
        RUNNING,
    )
)
"""An open conversation whose step has this run, or none: the opening of its scenario is spoken.

There is none if another process has claimed the step since this `epoch`.
"""

SPEAKERS = Leases(conversations, RUNNING, claimed={}, part=_CONVERSATION)
"""Leases on the conversations whose words are spoken: a claim names one conversation."""

LET_GO = Statement(
    sa.update(conversations)
    .where(_CONVERSATION, RUNNING, conversations.c.epoch == sa.bindparam("under", type_=BigInt))
    .values(lease_until=0.0, lease_owner=None, attempts=conversations.c.attempts - 1)
)
"""Releases the lease on words that could not be spoken in this process. The attempt does not count."""

SPOKEN_STEP = Statement(
    sa.select(
        *(conversations.c[name] for name in ("account_id", "run_id", "speaker", "scenario")),
        simulations.c.scenarios,
        agents.c.voice_engine,
        agents.c.voice,
        runs.c.status.label("run_status"),
        runs.c.reply,
        runs.c.output,
    )
    .select_from(conversations)
    .join(simulations, simulations.c.id == conversations.c.simulation_id)
    .outerjoin(agents, sa.and_(agents.c.id == simulations.c.agent_id, agents.c.account_id == simulations.c.account_id))
    .outerjoin(runs, runs.c.id == conversations.c.run_id)
    .where(_CONVERSATION, RUNNING)
)
"""What the next step of a conversation adds, and the voice of its agent."""

CHANGED = (
    "status", "speaker", "run_id", "transcript", "turns", "ending", "goal_reached", "reason", "verdicts", "passed",
    "error", "tokens_used", "cost_usd", "first_text_ms", "reply_ms", "ended_at",
)  # fmt: skip
UPDATE = Statement(
    sa.update(conversations)
    .where(_CONVERSATION)
    .values(
        **{name: sa.bindparam(name, type_=conversations.c[name].type) for name in CHANGED},
        lease_until=0.0,
        lease_owner=None,
        attempts=0,
    )
)
"""Writes the step of a conversation, and ends the lease of the process that spoke its words."""

RUN = Statement(
    sa.select(
        *(runs.c[name] for name in ("id", "status", "reply", "error", "output", "tools_used", "tokens_used")),
        *(runs.c[name] for name in ("cost_usd", "started_at", "ended_at")),
    ).where(runs.c.id == sa.bindparam("run", type_=BigInt))
)
FIRST_TEXT = Statement(
    sa.select(messages.c.started_at, messages.c.details)
    .where(
        messages.c.run_id == sa.bindparam("run", type_=BigInt),
        messages.c.role == "assistant",
        messages.c.content != "",
    )
    .order_by(messages.c.seq)
    .limit(1)
)
