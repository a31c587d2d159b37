"""SQL statements for runs and their journal. Every write of a worker checks the epoch of its claim."""

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.owned import BATCH
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.work.leases import LEASE_S
from retinue.runs.tables import OPEN, EndedRun, HistoryRow, JournalRow, RunRow, RunSummary, messages, runs

_ID = sa.bindparam("run", type_=BigInt)
_FENCED = (runs.c.id == _ID, runs.c.epoch == sa.bindparam("under", type_=BigInt), OPEN)

_NEW = [
    "account_id", "agent_id", "conversation_id", "attached", "status", "model", "message", "options", "person",
    "key_id", "untrusted", "format", "tools_used", "tokens_used", "created_at", "started_at", "epoch", "attempts",
    "lease_owner",
]  # fmt: skip

INSERT: Statement[RunRow] = Statement(
    sa.insert(runs)
    .values(
        **{name: sa.bindparam(name, type_=runs.c[name].type) for name in _NEW},
        lease_until=sa.case(
            (sa.bindparam("lease_owner", type_=sa.String).is_(None), sa.bindparam("place", type_=sa.Double)),
            else_=unix_now() + LEASE_S,
        ),
    )
    .returning(runs)
)
"""An unclaimed run waits at its `place`; see `core.fair_leases.PLACES`."""

GET: Statement[RunRow] = Statement(
    sa.select(runs).where(runs.c.id == _ID, runs.c.account_id == sa.bindparam("account"))
)

LATEST: Statement[RunRow] = Statement(
    sa.select(runs)
    .where(runs.c.account_id == sa.bindparam("account", type_=BigInt))
    .order_by(runs.c.id.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)

_PATTERN = sa.bindparam("pattern", type_=sa.String)
_STATUS_FILTER = sa.bindparam("wanted", type_=sa.String)
_EXCERPT = sa.func.substr(runs.c.message, 1, 200).label("message")
LIST: Statement[RunSummary] = Statement(
    sa.select(
        *(runs.c[name] for name in ("id", "agent_id", "model", "status", "error", "created_at")),
        *(runs.c[name] for name in ("tokens_used", "execution_time_ms")),
        _EXCERPT,
    )
    .where(
        runs.c.account_id == sa.bindparam("account", type_=BigInt),
        runs.c.id < sa.bindparam("before", type_=BigInt),
        sa.or_(_STATUS_FILTER.is_(None), runs.c.status == _STATUS_FILTER),
        sa.or_(_PATTERN.is_(None), runs.c.message.ilike(_PATTERN, escape="\\")),
    )
    .order_by(runs.c.id.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)

FAILED_CALLS = Statement(
    sa.select(messages.c.run_id, sa.func.count().label("failed"))
    .where(among(messages.c.run_id, "completed"), messages.c.role == "tool", messages.c.state == "failed")
    .group_by(messages.c.run_id)
)

OF_AGENT: Statement[RunRow] = newest_first(
    sa.select(runs).where(runs.c.account_id == sa.bindparam("account")),
    runs.c.id,
    runs.c.agent_id == sa.bindparam("agent", type_=BigInt),
)
"""Every run of an agent belongs to the agent's account."""

OPEN_OF_CONVERSATION: Statement[RunRow] = Statement(
    sa.select(runs)
    .where(runs.c.conversation_id == sa.bindparam("conversation", type_=BigInt), OPEN)
    .order_by(runs.c.id)
)
"""The runs of a conversation that have not ended, the oldest first. The caller checks the conversation first."""

_EARLIER = runs.alias("earlier")
_ALONE = ~sa.exists().where(
    _EARLIER.c.conversation_id == runs.c.conversation_id,
    _EARLIER.c.ended_at.is_(None),
    _EARLIER.c.id < runs.c.id,
)

START = Statement(
    sa.update(runs)
    .where(*_FENCED, runs.c.status == "queued", _ALONE)
    .values(status="running", started_at=sa.bindparam("moment", type_=runs.c.started_at.type))
)
"""Starts a run once the earlier runs of its conversation have ended."""

HOLD = Statement(sa.update(runs).where(*_FENCED).values(lease_until=unix_now() + LEASE_S))
"""Extends the lease. If no row matches, the claim is lost. Locks the row on databases with row locks."""

KEEP = Statement(
    sa.update(runs)
    .where(*_FENCED)
    .values(reply=sa.bindparam("text", type_=sa.Text), reply_seq=sa.bindparam("at", type_=sa.Integer))
)
"""Saves the text so far of the journal row `at`."""

_SPENT = {
    "tokens_used": sa.bindparam("tokens", type_=BigInt),
    "usage": sa.bindparam("used", type_=runs.c.usage.type),
    "cost_usd": sa.bindparam("cost", type_=runs.c.cost_usd.type),
    "tools_used": sa.bindparam("tools", type_=runs.c.tools_used.type),
    "untrusted": sa.bindparam("source", type_=runs.c.untrusted.type),
    "passages": sa.bindparam("seen_passages", type_=runs.c.passages.type),
}

PROGRESS = Statement(
    sa.update(runs)
    .where(*_FENCED)
    .values(
        **_SPENT,
        attempts=1,
    )
    .returning(runs.c.inbox)
)
"""Records a step. The process survived it, so the attempts are reset."""

_READ_MESSAGES = sa.bindparam("seen", type_=sa.Integer)

FINISH = Statement(
    sa.update(runs)
    .where(*_FENCED, sa.or_(_READ_MESSAGES.is_(None), runs.c.inbox == _READ_MESSAGES))
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        reply=sa.bindparam("said", type_=sa.Text),
        error=sa.bindparam("reason", type_=sa.Text),
        **_SPENT,
        finish_reason=sa.bindparam("ending", type_=runs.c.finish_reason.type),
        output=sa.bindparam("parsed", type_=runs.c.output.type),
        citations=sa.bindparam("cited", type_=runs.c.citations.type),
        execution_time_ms=sa.bindparam("milliseconds", type_=BigInt),
        ended_at=sa.bindparam("moment", type_=runs.c.ended_at.type),
        started_at=sa.func.coalesce(runs.c.started_at, sa.bindparam("moment", type_=runs.c.ended_at.type)),
        lease_owner=None,
        lease_until=0.0,
    )
)
"""Ends a run, unless it has received more messages than it has `seen`. If `seen` is None, it ends in any case."""

READ_INBOX = Statement(sa.select(runs.c.inbox).where(*_FENCED))

RELEASE = Statement(
    sa.update(runs)
    .where(*_FENCED)
    .values(lease_until=0.0, attempts=runs.c.attempts - 1, epoch=runs.c.epoch + 1, lease_owner=None)
)
"""Releases a run: another process may claim it at once, and the attempt does not count."""

PAUSE = Statement(
    sa.update(runs)
    .where(*_FENCED)
    .values(
        status="waiting",
        attached=False,
        **_SPENT,
        lease_until=0.0,
        attempts=0,
        epoch=runs.c.epoch + 1,
        lease_owner=None,
    )
)
"""Pauses a run for approval, and stores its usage in case it is cancelled meanwhile."""

LOCK_OPEN = Statement(
    sa.select(runs.c.id)
    .where(runs.c.id == _ID, runs.c.account_id == sa.bindparam("account", type_=BigInt), OPEN)
    .with_for_update()
)

WAKE = Statement(
    sa.update(runs)
    .where(runs.c.id == _ID, runs.c.account_id == sa.bindparam("account"), runs.c.status == "waiting", OPEN)
    .values(status="queued")
)

_CANCELLED: dict[str, object] = {
    "status": "cancelled",
    "error": sa.bindparam("reason", type_=sa.Text),
    "epoch": runs.c.epoch + 1,
    "ended_at": sa.bindparam("moment", type_=runs.c.ended_at.type),
    "lease_owner": None,
    "lease_until": 0.0,
}

_ENDED = [
    runs.c[name]
    for name in (
        "id", "account_id", "agent_id", "conversation_id", "model", "options", "person", "key_id", "tokens_used",
        "usage", "cost_usd", "started_at",
    )
]  # fmt: skip
"""The columns needed after a cancellation: to wake waiters and to record usage."""

CANCEL_OF_AGENT: Statement[EndedRun] = Statement(
    sa.update(runs)
    .where(runs.c.agent_id == sa.bindparam("agent"), runs.c.account_id == sa.bindparam("account"), OPEN)
    .values(**_CANCELLED)
    .returning(*_ENDED)
)

CANCEL_OF_CONVERSATION: Statement[EndedRun] = Statement(
    sa.update(runs)
    .where(runs.c.conversation_id == sa.bindparam("conversation", type_=BigInt), OPEN)
    .values(**_CANCELLED)
    .returning(*_ENDED)
)

CANCEL: Statement[EndedRun] = Statement(
    sa.update(runs)
    .where(runs.c.id == _ID, runs.c.account_id == sa.bindparam("account"), OPEN)
    .values(**_CANCELLED)
    .returning(*_ENDED)
)

DELETE = Statement(
    sa.delete(runs)
    .where(runs.c.id == _ID, runs.c.account_id == sa.bindparam("account", type_=BigInt))
    .returning(runs.c.agent_id)
)
"""Deletes a run with its journal."""

CANCEL_THESE: Statement[EndedRun] = Statement(
    sa.update(runs).where(among(runs.c.id, "these"), OPEN).values(**_CANCELLED).returning(*_ENDED)
)

_SOME_OF_ACCOUNT = (
    sa.select(runs.c.id).where(runs.c.account_id == sa.bindparam("account", type_=BigInt), OPEN).limit(BATCH)
)
CANCEL_OF_ACCOUNT: Statement[EndedRun] = Statement(
    sa.update(runs).where(runs.c.id.in_(_SOME_OF_ACCOUNT), OPEN).values(**_CANCELLED).returning(*_ENDED)
)

_ROW_COLUMNS = [
    "run_id", "conversation_id", "seq", "role", "content", "attachments", "tool_calls", "tool_call_id", "tool_name",
    "tool_arguments", "state", "tokens", "details", "started_at", "created_at",
]  # fmt: skip

COPIED = (*_ROW_COLUMNS,)
"""The columns of a journal row that a fork copies or replaces."""

PARAMETERS = [{name: f"{name}_{place}" for name in _ROW_COLUMNS} for place in range(2)]
"""Maps columns to parameter names of `ADD_MESSAGES`, for the first and the second row."""


def _add_messages(rows: int) -> Statement:
    values = [
        {name: sa.bindparam(parameter, type_=messages.c[name].type) for name, parameter in parameters.items()}
        for parameters in PARAMETERS[:rows]
    ]
    return Statement(sa.insert(messages).values(values))


ADD_MESSAGES = {rows: _add_messages(rows) for rows in (1, 2)}
"""The insert statements, by number of rows."""

END_TOOL = Statement(
    sa.update(messages)
    .where(messages.c.run_id == _ID, messages.c.seq == sa.bindparam("at", type_=sa.Integer))
    .values(
        content=sa.bindparam("result", type_=sa.Text),
        state=sa.bindparam("outcome", type_=sa.String),
        details=sa.bindparam("details", type_=messages.c.details.type),
        created_at=sa.bindparam("moment", type_=messages.c.created_at.type),
    )
)

SUSPEND_TOOL = Statement(
    sa.update(messages)
    .where(messages.c.run_id == _ID, messages.c.seq == sa.bindparam("at", type_=sa.Integer))
    .values(state="waiting")
)

RETURN_RESULT = Statement(
    sa.update(messages)
    .where(
        messages.c.run_id == _ID,
        messages.c.seq == sa.bindparam("at", type_=sa.Integer),
        messages.c.role == "tool",
        messages.c.state == "waiting",
    )
    .values(
        content=sa.bindparam("result", type_=sa.Text),
        state=sa.bindparam("outcome", type_=sa.String),
        created_at=sa.bindparam("moment", type_=messages.c.created_at.type),
    )
)
"""Ends a call of the client's tool, unless it has ended."""

SEND: Statement[RunRow] = Statement(
    sa.update(runs)
    .where(runs.c.id == _ID, runs.c.account_id == sa.bindparam("account", type_=BigInt), OPEN)
    .values(inbox=runs.c.inbox + 1)
    .returning(runs)
)
"""Counts a message to a run, unless the run has ended."""

SET_INBOX = Statement(sa.update(runs).where(runs.c.id == _ID).values(inbox=sa.bindparam("sent", type_=sa.Integer)))

_CONVERSATION = sa.bindparam("conversation", type_=BigInt)
_LATER = (runs.c.conversation_id == _CONVERSATION, runs.c.id > sa.bindparam("after", type_=BigInt))

USER_MESSAGE = Statement(
    sa.select(messages.c.run_id, messages.c.seq).where(
        messages.c.id == sa.bindparam("message", type_=BigInt),
        messages.c.conversation_id == _CONVERSATION,
        messages.c.role == "user",
        messages.c.seq >= 0,
        messages.c.replaced.is_(sa.false()),
    )
)

OPEN_SINCE = Statement(
    sa.select(runs.c.id)
    .where(runs.c.conversation_id == _CONVERSATION, runs.c.id >= sa.bindparam("after", type_=BigInt), OPEN)
    .limit(1)
)

REPLACE_REST = Statement(
    sa.update(messages)
    .where(messages.c.run_id == _ID, messages.c.seq >= sa.bindparam("at", type_=sa.Integer))
    .values(replaced=sa.true())
)
"""Marks the rows of a run from a place on."""

REPLACE_LATER = Statement(
    sa.update(messages).where(messages.c.run_id.in_(sa.select(runs.c.id).where(*_LATER))).values(replaced=sa.true())
)
"""Marks the rows of the runs of a conversation after a run."""

SEE = Statement(
    sa.update(messages)
    .where(messages.c.run_id == _ID, messages.c.seq == sa.bindparam("old", type_=sa.Integer))
    .values(seq=sa.bindparam("at", type_=sa.Integer))
)
"""Numbers a message to the run among the rows of the journal, once the model sees it."""

OF_RUN: Statement[JournalRow] = Statement(
    sa.select(messages).where(messages.c.run_id == _ID, messages.c.seq >= 0).order_by(messages.c.seq)
)
"""A run's rows, without the messages to it that its model has not seen yet."""

INBOX: Statement[JournalRow] = Statement(
    sa.select(messages).where(messages.c.run_id == _ID, messages.c.seq < 0).order_by(messages.c.seq.desc())
)
"""The messages to a run that its model has not seen yet, oldest first."""

_EARLIER_RUN = runs.alias("earlier_run")
_UNTRUSTED = (
    sa.select(_EARLIER_RUN.c.untrusted)
    .where(
        _EARLIER_RUN.c.conversation_id == sa.bindparam("conversation", type_=BigInt),
        _EARLIER_RUN.c.untrusted.is_not(None),
        _EARLIER_RUN.c.id < sa.bindparam("before", type_=BigInt),
    )
    .limit(1)
    .scalar_subquery()
)

LONG_RESULT = Statement(
    sa.select(messages.c.content).where(
        messages.c.run_id == sa.bindparam("of", type_=BigInt),
        messages.c.seq == sa.bindparam("at", type_=sa.Integer),
        messages.c.role == "tool",
        sa.or_(messages.c.run_id == _ID, messages.c.conversation_id == sa.bindparam("conversation", type_=BigInt)),
    )
)
"""A tool result of a run, or of its conversation."""

COMPACTION: Statement[JournalRow] = Statement(
    sa.select(messages)
    .join(runs, runs.c.id == messages.c.run_id)
    .where(
        runs.c.conversation_id == sa.bindparam("conversation", type_=BigInt),
        runs.c.id < sa.bindparam("before", type_=BigInt),
        messages.c.role == "compaction",
        messages.c.replaced.is_(sa.false()),
    )
    .order_by(messages.c.run_id.desc(), messages.c.seq.desc())
    .limit(1)
)
"""The last summary in a conversation before a run."""

HISTORY: Statement[HistoryRow] = Statement(
    sa.select(messages, _UNTRUSTED.label("untrusted"))
    .where(
        messages.c.conversation_id == sa.bindparam("conversation", type_=BigInt),
        messages.c.run_id < sa.bindparam("before", type_=BigInt),
        messages.c.seq >= 0,
        messages.c.replaced.is_(sa.false()),
    )
    .order_by(messages.c.id.desc())
    .limit(sa.bindparam("at_most", type_=sa.Integer))
)
"""The newest messages of a conversation. Each row also has the untrusted source of any earlier run in it, so that
trimming the history does not hide it.
"""

FILE_RESULTS = Statement(
    sa.select(*(messages.c[name] for name in ("run_id", "role", "state", "tool_name", "content")))
    .join(runs, runs.c.id == messages.c.run_id)
    .where(
        runs.c.conversation_id == sa.bindparam("conversation", type_=BigInt),
        messages.c.role == "tool",
        messages.c.state == "done",
        messages.c.content.contains('"file_', autoescape=True),
    )
    .order_by(messages.c.id.desc())
    .limit(sa.bindparam("at_most", type_=sa.Integer))
)
"""The latest results of a conversation's calls that may name files. The caller checks the conversation first."""
