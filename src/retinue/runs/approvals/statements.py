"""SQL statements for approvals."""

import sqlalchemy as sa

from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.runs.tables import UNDECIDED, ApprovalRow, DecidedCall, approvals, messages, runs

_OURS = approvals.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (approvals.c.id == sa.bindparam("approval", type_=BigInt), _OURS)
_ITS_RUN = runs.alias("its_run")
_GOES_ON = sa.exists().where(_ITS_RUN.c.id == approvals.c.run_id, _ITS_RUN.c.ended_at.is_(None))
_STATUS = sa.case(
    (approvals.c.decision.is_not(None), approvals.c.decision),
    (_GOES_ON, sa.literal_column("'pending'", sa.String)),
    else_=sa.literal_column("'cancelled'", sa.String),
)
"""An undecided approval of an ended run counts as cancelled. Only undecided rows read their run."""

_RECORD = [*(column for column in approvals.c if column.name != "account_id"), _STATUS.label("status")]
_STATUS_FILTER = sa.bindparam("wanted", type_=sa.String)
_FOUND = (_OURS, sa.or_(_STATUS_FILTER.is_(None), _STATUS == _STATUS_FILTER))
_WITH_RUN = approvals.join(runs, runs.c.id == approvals.c.run_id)

INSERT = Statement(
    sa.insert(approvals).returning(approvals.c.id),
    ["account_id", "run_id", "seq", "agent_id", "tool", "arguments", "untrusted", "question", "created_at"],
)

GET: Statement[ApprovalRow] = Statement(sa.select(*_RECORD).where(*_THIS))

LOCK_RUN = Statement(sa.select(runs.c.id).select_from(_WITH_RUN).where(*_THIS).with_for_update(of=runs))
"""Locks the approval's run, so that its end and the decisions happen one after the other.

Read the approval in a later statement: a statement that waited for a lock on PostgreSQL rereads only the locked row.
"""

LIST: Statement[ApprovalRow] = Statement(
    sa.select(*_RECORD)
    .where(*_FOUND)
    .order_by(approvals.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)

COUNT = Statement(sa.select(sa.func.count().label("count")).select_from(approvals).where(*_FOUND))

PENDING = Statement(
    sa.select(sa.func.count().label("count")).select_from(_WITH_RUN).where(_OURS, UNDECIDED, runs.c.ended_at.is_(None))
)

PENDING_OF_RUN = Statement(
    sa.select(approvals)
    .where(approvals.c.run_id == sa.bindparam("run", type_=BigInt), UNDECIDED)
    .order_by(approvals.c.seq)
)
"""The undecided approvals of a run, in the order of its calls. The caller checks the run first."""

DECIDE = Statement(
    sa.update(approvals)
    .where(*_THIS, approvals.c.decision.is_(None))
    .values(
        decision=sa.bindparam("outcome", type_=sa.String),
        arguments=sa.bindparam("changed", type_=sa.Text),
        reason=sa.bindparam("why", type_=sa.Text),
        answer=sa.bindparam("answered", type_=approvals.c.answer.type),
        decided_at=sa.bindparam("moment", type_=approvals.c.decided_at.type),
    )
)

ASK_AGAIN = Statement(
    sa.update(approvals)
    .where(
        approvals.c.run_id == sa.bindparam("run", type_=BigInt), approvals.c.seq == sa.bindparam("at", type_=sa.Integer)
    )
    .values(
        question=sa.bindparam("asked", type_=approvals.c.question.type),
        created_at=sa.bindparam("moment", type_=approvals.c.created_at.type),
        **dict.fromkeys(("decision", "reason", "answer", "decided_at")),
    )
    .returning(approvals.c.id)
)
"""Makes a decided call undecided again, with the question of its server."""

_DECISION = ("decision", "arguments", "reason", "question", "answer")
OF_CALL: Statement[DecidedCall] = Statement(
    sa.select(*(approvals.c[name] for name in _DECISION)).where(
        approvals.c.run_id == sa.bindparam("run", type_=BigInt), approvals.c.seq == sa.bindparam("at", type_=sa.Integer)
    )
)

DECIDED = Statement(
    sa.select(approvals.c.seq).where(
        approvals.c.run_id == sa.bindparam("run", type_=BigInt), approvals.c.decision.is_not(None)
    )
)
"""The journal rows of a run's calls on which a person has decided."""

START_TOOL = Statement(
    sa.update(messages)
    .where(
        messages.c.run_id == sa.bindparam("run", type_=BigInt), messages.c.seq == sa.bindparam("at", type_=sa.Integer)
    )
    .values(state="started", tool_arguments=sa.bindparam("changed", type_=messages.c.tool_arguments.type))
)
