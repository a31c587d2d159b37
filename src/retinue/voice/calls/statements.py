"""SQL statements of calls, filtered by account, call, or the lease of the process that runs the call."""

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.auth.tables import accounts
from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import unix_now
from retinue.core.database.schema import BigInt, Instant, Json
from retinue.core.database.statements import Statement
from retinue.core.work.leases import LEASE_S
from retinue.runs.tables import messages, runs
from retinue.voice.calls.tables import (
    ANALYSIS_PENDING,
    OPEN,
    CallRow,
    TurnRow,
    call_events,
    call_orders,
    call_turns,
    calls,
)

_ID = sa.bindparam("call", type_=BigInt)
_THIS = (calls.c.id == _ID, calls.c.account_id == sa.bindparam("account", type_=BigInt))
_HELD = (calls.c.id == _ID, calls.c.epoch == sa.bindparam("under", type_=BigInt), OPEN)
_MOMENT = sa.bindparam("moment", type_=Instant)
_PAGE = {"per_page": sa.bindparam("per_page", type_=sa.Integer), "offset": sa.bindparam("offset", type_=BigInt)}

_WRITTEN = (
    "account_id", "credential", "scopes", "agent_id", "direction", "to_address", "from_address", "status",
    "voice_engine", "greeting", "record", "max_seconds", "machine_detection", "transcript",
    "duration_seconds", "created_at", "seen_at", "voice", "variables", "batch_id", "epoch", "attempts", "lease_owner",
)  # fmt: skip

INSERT: Statement[CallRow] = Statement(
    sa.insert(calls)
    .values(
        {name: sa.bindparam(name, type_=calls.c[name].type) for name in _WRITTEN}
        | {"lease_until": unix_now() + LEASE_S}
    )
    .returning(calls)
)
GET: Statement[CallRow] = Statement(sa.select(calls).where(*_THIS))
LIST: Statement[CallRow] = newest_first(
    sa.select(calls), calls.c.id, calls.c.account_id == sa.bindparam("account", type_=BigInt)
)
_STATE, _WAY, _TO, _FROM = (sa.bindparam(name, type_=sa.String) for name in ("state", "way", "called", "calling"))
_SINCE, _UNTIL = (sa.bindparam(name, type_=Instant) for name in ("since", "until"))
_AGENT = sa.bindparam("agent", type_=BigInt)
_FOUND = (
    calls.c.account_id == sa.bindparam("account", type_=BigInt),
    sa.or_(_STATE.is_(None), calls.c.status == _STATE),
    sa.or_(_WAY.is_(None), calls.c.direction == _WAY),
    sa.or_(_AGENT.is_(None), calls.c.agent_id == _AGENT),
    sa.or_(_TO.is_(None), calls.c.to_address == _TO),
    sa.or_(_FROM.is_(None), calls.c.from_address == _FROM),
    sa.or_(_SINCE.is_(None), calls.c.created_at >= _SINCE),
    sa.or_(_UNTIL.is_(None), calls.c.created_at < _UNTIL),
)
FIND: Statement[CallRow] = Statement(
    sa.select(calls).where(*_FOUND).order_by(calls.c.id.desc()).limit(_PAGE["per_page"]).offset(_PAGE["offset"])
)
COUNT_FOUND = Statement(sa.select(sa.func.count().label("calls")).select_from(calls).where(*_FOUND))
TURNS: Statement[TurnRow] = Statement(
    sa.select(call_turns)
    .where(call_turns.c.call_id == _ID)
    .order_by(call_turns.c.number)
    .limit(_PAGE["per_page"])
    .offset(_PAGE["offset"])
)
OPEN_OF_CREDENTIAL = Statement(
    sa.select(sa.func.count().label("calls")).where(calls.c.credential == sa.bindparam("named", type_=sa.String), OPEN)
)
SECONDS_OF_CREDENTIAL = Statement(
    sa.select(sa.func.coalesce(sa.func.sum(calls.c.duration_seconds), 0).label("seconds")).where(
        calls.c.credential == sa.bindparam("named", type_=sa.String),
        calls.c.created_at > sa.bindparam("since", type_=Instant),
    )
)
ASK_TO_END = Statement(sa.update(calls).where(*_THIS, OPEN).values(hangup_requested=True).returning(calls.c.id))

_ORDER = call_orders.c.id == sa.bindparam("order", type_=BigInt)
ADD_ORDER = Statement(
    sa.insert(call_orders)
    .values(
        call_id=_ID,
        action=sa.bindparam("what", type_=sa.String),
        details=sa.bindparam("how", type_=Json),
        created_at=_MOMENT,
    )
    .returning(call_orders.c.id)
)
ORDER = Statement(sa.select(call_orders.c.error).where(_ORDER))
REQUESTS = Statement(
    sa.select(calls.c.hangup_requested, call_orders.c.id, call_orders.c.action, call_orders.c.details)
    .outerjoin(call_orders, sa.and_(call_orders.c.call_id == calls.c.id, call_orders.c.error.is_(None)))
    .where(calls.c.id == _ID)
    .order_by(call_orders.c.id)
)
"""Selects a row for each open order to the call, or one without an order. Each row says whether to hang up."""

SETTLE_ORDER = Statement(
    sa.update(call_orders)
    .where(_ORDER, call_orders.c.error.is_(None))
    .values(error=sa.bindparam("reason", type_=sa.Text))
)
DROP_ORDERS = Statement(sa.delete(call_orders).where(call_orders.c.call_id == _ID))

RING = Statement(sa.update(calls).where(*_HELD, calls.c.status == "queued").values(status="ringing"))
ANSWER: Statement[CallRow] = Statement(
    sa.update(calls).where(*_HELD).values(status="in_progress", answered_at=_MOMENT, seen_at=_MOMENT).returning(calls)
)
IDENTIFY = Statement(sa.update(calls).where(*_HELD).values(answered_by=sa.bindparam("who", type_=sa.String)))
HOLD: Statement[CallRow] = Statement(sa.update(calls).where(*_HELD).values(attempts=calls.c.attempts).returning(calls))
"""The call under its lease; locks the row if the database can. No row: the call has ended or the lease is lost."""

FINISH: Statement[CallRow] = Statement(
    sa.update(calls)
    .where(*_HELD)
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        error=sa.bindparam("reason", type_=sa.Text),
        ended_reason=sa.bindparam("cause", type_=sa.String),
        duration_seconds=sa.bindparam("seconds", type_=sa.Integer),
        analysis_status=sa.bindparam("analysis", type_=sa.String),
        ended_at=_MOMENT,
        lease_owner=None,
    )
    .returning(calls)
)
SET_CONVERSATION = Statement(
    sa.update(calls).where(calls.c.id == _ID).values(conversation_id=sa.bindparam("named", type_=sa.String))
)
SET_RECORDING = Statement(
    sa.update(calls).where(calls.c.id == _ID).values(recording_file_id=sa.bindparam("file", type_=sa.String))
)

ADD_LINE = Statement(
    sa.update(calls)
    .where(calls.c.id == _ID, calls.c.epoch == sa.bindparam("under", type_=BigInt))
    .values(
        transcript=calls.c.transcript + sa.bindparam("line", type_=sa.Text),
        turns_count=calls.c.turns_count + sa.literal_column("1"),
    )
    .returning(calls.c.turns_count)
)
ADD_TURN = Statement(
    sa.insert(call_turns).values(
        call_id=_ID,
        number=sa.bindparam("place", type_=sa.Integer),
        speaker=sa.bindparam("who", type_=sa.String),
        text=sa.bindparam("said", type_=sa.Text),
        run_id=sa.bindparam("run", type_=BigInt),
        interrupted=sa.bindparam("cut", type_=sa.Boolean),
        timing=sa.bindparam("times", type_=Json),
        created_at=_MOMENT,
    )
)
SHORTEN_REPLY = Statement(
    sa.update(messages)
    .where(
        messages.c.run_id == sa.bindparam("run", type_=BigInt),
        messages.c.role == "assistant",
        messages.c.tool_calls.is_(None),
    )
    .values(content=sa.bindparam("said", type_=sa.Text))
)
"""Shortens an interrupted reply to the spoken part: the model must not assume that the caller heard the rest."""

AGENT_FOR_CALLS = Statement(
    sa.select(agents.c.id, agents.c.account_id, agents.c.voice_engine, agents.c.voice, accounts.c.sandbox)
    .join(accounts, accounts.c.id == agents.c.account_id)
    .where(agents.c.id == sa.bindparam("agent", type_=BigInt), agents.c.voice_enabled)
)
"""An agent of any account that accepts inbound calls."""

COUNT_EVENT = Statement(
    sa.update(calls)
    .where(calls.c.id == _ID)
    .values(events_count=calls.c.events_count + sa.literal_column("1"))
    .returning(calls.c.events_count)
)
ADD_EVENT = Statement(
    sa.insert(call_events).values(
        call_id=_ID,
        number=sa.bindparam("place", type_=sa.Integer),
        type=sa.bindparam("kind", type_=sa.String),
        data=sa.bindparam("values", type_=Json),
        created_at=_MOMENT,
    )
)
PROGRESS = Statement(
    sa.select(calls.c.ended_at, calls.c.events_count, calls.c.analysis_status).where(calls.c.id == _ID)
)
EVENTS = Statement(
    sa.select(call_events.c.number, call_events.c.type, call_events.c.data, call_events.c.created_at)
    .where(call_events.c.call_id == _ID, call_events.c.number > sa.bindparam("behind", type_=sa.Integer))
    .order_by(call_events.c.number)
    .limit(200)
)

ACTIONS = Statement(
    sa.select(call_events.c.type, call_events.c.data, call_events.c.created_at)
    .where(
        call_events.c.call_id == _ID,
        call_events.c.type.in_(
            [sa.literal_column(f"'{kind}'", sa.String) for kind in ("tool_ended", "digits", "transferred")]
        ),
    )
    .order_by(call_events.c.number.desc())
    .limit(200)
)
"""What was done in a call besides speaking, newest first."""

TO_ANALYZE: Statement[CallRow] = Statement(sa.select(calls).where(ANALYSIS_PENDING).order_by(calls.c.id).limit(50))
ANALYSIS_RUN = Statement(
    sa.select(runs.c.status, runs.c.output, runs.c.error, runs.c.ended_at).where(
        runs.c.id == sa.bindparam("run", type_=BigInt)
    )
)
BEGIN_ANALYSIS = Statement(
    sa.update(calls)
    .where(calls.c.id == _ID, calls.c.analysis_status == sa.literal_column("'due'", sa.String))
    .values(analysis_status="running")
)
SET_ANALYSIS_RUN = Statement(
    sa.update(calls).where(calls.c.id == _ID).values(analysis_run_id=sa.bindparam("run", type_=BigInt))
)
END_ANALYSIS: Statement[CallRow] = Statement(
    sa.update(calls)
    .where(calls.c.id == _ID, ANALYSIS_PENDING)
    .values(analysis_status=sa.bindparam("outcome", type_=sa.String), analysis=sa.bindparam("found", type_=Json))
    .returning(calls)
)

ORPHANS: Statement[CallRow] = Statement(
    sa.select(calls)
    .where(OPEN, calls.c.lease_until < sa.select(unix_now()).scalar_subquery())
    .order_by(calls.c.lease_until)
    .limit(50)
)
