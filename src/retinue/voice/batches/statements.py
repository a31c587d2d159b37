"""SQL statements of batches and their recipients, filtered by account, or for the worker by batch."""

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from retinue.auth.tables import accounts
from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt, Instant, Json
from retinue.core.database.statements import Statement
from retinue.voice.batches.tables import CALLING, RUNNING, BatchRow, RecipientRow, batches, recipients
from retinue.voice.calls.tables import calls

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_ID = sa.bindparam("batch", type_=BigInt)
_MOMENT = sa.bindparam("moment", type_=Instant)
_THIS = (batches.c.id == _ID, batches.c.account_id == _ACCOUNT)
_OF_BATCH = recipients.c.batch_id == _ID
_WAITING = recipients.c.status == sa.literal_column("'waiting'", sa.String)
_PAGE = {"per_page": sa.bindparam("per_page", type_=sa.Integer), "offset": sa.bindparam("offset", type_=BigInt)}


class _listed_recipients(FunctionElement[object]):
    """The elements of a JSON list of `[number, to, variables, status, reason]`, as rows."""

    inherit_cache = True


@compiles(_listed_recipients, "sqlite")
def _listed_recipients_sqlite(element: _listed_recipients, compiler: SQLCompiler, **options: object) -> str:
    rows = compiler.process(element.clauses, **options)
    columns = "value ->> 0 AS number, value ->> 1 AS called, value ->> 2 AS variables, value ->> 3 AS status"
    return f"(SELECT {columns}, value ->> 4 AS reason FROM json_each({rows}))"


@compiles(_listed_recipients, "postgresql")
def _listed_recipients_postgresql(element: _listed_recipients, compiler: SQLCompiler, **options: object) -> str:
    rows = compiler.process(element.clauses, **options)
    columns = "(one ->> 0)::integer AS number, one ->> 1 AS called, one ->> 2 AS variables, one ->> 3 AS status"
    return f"(SELECT {columns}, one ->> 4 AS reason FROM json_array_elements(({rows})::json) AS one)"


INSERT: Statement[BatchRow] = Statement(
    sa.insert(batches).returning(batches),
    [
        "account_id", "credential", "scopes", "name", "agent_id", "options", "at_once", "per_minute", "window",
        "retries", "status", "start_at", "next_at", "created_at",
    ],
)  # fmt: skip
_rows = _listed_recipients(sa.bindparam("rows", type_=Json)).table_valued(
    sa.column("number", sa.Integer),
    sa.column("called", sa.String),
    sa.column("variables", sa.Text),
    sa.column("status", sa.String),
    sa.column("reason", sa.Text),
)
ADD_RECIPIENTS = Statement(
    sa.insert(recipients).from_select(
        ["batch_id", "number", "to_address", "variables", "status", "reason", "attempts", "due_at"],
        sa.select(
            _ID,
            _rows.c.number,
            _rows.c.called,
            _rows.c.variables,
            _rows.c.status,
            _rows.c.reason,
            sa.literal_column("0", sa.Integer),
            _MOMENT,
        ),
    )
)

GET: Statement[BatchRow] = Statement(sa.select(batches).where(*_THIS))
LIST: Statement[BatchRow] = newest_first(sa.select(batches), batches.c.id, batches.c.account_id == _ACCOUNT)
COUNT = Statement(
    sa.select(sa.func.count().label("held"), sa.func.count().filter(batches.c.ended_at.is_(None)).label("open")).where(
        batches.c.account_id == _ACCOUNT
    )
)
COUNTS = Statement(
    sa.select(
        recipients.c.batch_id,
        recipients.c.status,
        sa.func.count().label("held"),
        sa.func.min(recipients.c.due_at).label("due_at"),
    )
    .where(among(recipients.c.batch_id, "ids"))
    .group_by(recipients.c.batch_id, recipients.c.status)
)
_STATE = sa.bindparam("state", type_=sa.String)
_FOUND = (_OF_BATCH, sa.or_(_STATE.is_(None), recipients.c.status == _STATE))
FIND_RECIPIENTS: Statement[RecipientRow] = Statement(
    sa.select(recipients).where(*_FOUND).order_by(recipients.c.number).limit(_PAGE["per_page"]).offset(_PAGE["offset"])
)
ALL_RECIPIENTS: Statement[RecipientRow] = Statement(
    sa.select(recipients).where(_OF_BATCH).order_by(recipients.c.number)
)

MOVE: Statement[BatchRow] = Statement(
    sa.update(batches)
    .where(*_THIS, batches.c.status == sa.bindparam("before", type_=sa.String))
    .values(
        status=_STATE,
        problem=None,
        next_at=_MOMENT,
        started_at=sa.func.coalesce(batches.c.started_at, sa.bindparam("started", type_=Instant)),
    )
    .returning(batches)
)
CANCEL: Statement[BatchRow] = Statement(
    sa.update(batches)
    .where(*_THIS, batches.c.ended_at.is_(None), batches.c.status != "cancelled")
    .values(status="cancelled", problem=None)
    .returning(batches)
)
CANCEL_WAITING = Statement(sa.update(recipients).where(_OF_BATCH, _WAITING).values(status="cancelled"))
DELETE = Statement(
    sa.delete(batches).where(*_THIS, sa.or_(batches.c.status == "draft", batches.c.ended_at.is_not(None)))
)

DUE: Statement[BatchRow] = Statement(
    sa.select(batches)
    .join(accounts, accounts.c.id == batches.c.account_id)
    .where(
        RUNNING, batches.c.next_at <= _MOMENT, sa.or_(accounts.c.sandbox, sa.bindparam("can_dial", type_=sa.Boolean))
    )
    .order_by(batches.c.next_at)
    .limit(20)
)
HOLD: Statement[BatchRow] = Statement(
    sa.update(batches).where(batches.c.id == _ID, RUNNING).values(next_at=batches.c.next_at).returning(batches)
)
"""The batch if it is running. Until the commit, no other node begins a call of it or ends it."""

LOCK: Statement[BatchRow] = Statement(
    sa.update(batches).where(batches.c.id == _ID).values(next_at=_MOMENT).returning(batches)
)
POSTPONE = Statement(
    sa.update(batches)
    .where(batches.c.id == _ID, RUNNING)
    .values(next_at=sa.bindparam("until", type_=Instant), problem=sa.bindparam("why", type_=sa.Text))
)
PAUSE = Statement(
    sa.update(batches)
    .where(batches.c.id == _ID, RUNNING)
    .values(status="paused", problem=sa.bindparam("why", type_=sa.Text))
)
FINISH: Statement[BatchRow] = Statement(
    sa.update(batches)
    .where(batches.c.id == _ID, batches.c.ended_at.is_(None))
    .values(status=sa.bindparam("outcome", type_=sa.String), problem=None, ended_at=_MOMENT)
    .returning(batches)
)

PACE = Statement(
    sa.select(
        sa.select(sa.func.count())
        .select_from(recipients)
        .where(_OF_BATCH, CALLING)
        .correlate(None)
        .scalar_subquery()
        .label("calling"),
        sa.func.count().label("recent"),
        sa.func.min(recipients.c.called_at).label("oldest"),
    ).where(_OF_BATCH, recipients.c.called_at > sa.bindparam("since", type_=Instant))
)
"""How many recipients are being called, how many calls began after a moment, and when the first of these did."""

NEXT: Statement[RecipientRow] = Statement(
    sa.select(recipients).where(_OF_BATCH, _WAITING).order_by(recipients.c.due_at, recipients.c.number).limit(1)
)
_RECIPIENT = (recipients.c.id == sa.bindparam("recipient", type_=BigInt), _OF_BATCH)
BEGIN = Statement(
    sa.update(recipients)
    .where(*_RECIPIENT, _WAITING)
    .values(
        status="calling",
        reason=None,
        attempts=recipients.c.attempts + 1,
        call_id=sa.bindparam("call", type_=BigInt),
        called_at=_MOMENT,
    )
)
REFUSE = Statement(
    sa.update(recipients)
    .where(*_RECIPIENT, _WAITING)
    .values(status="refused", reason=sa.bindparam("why", type_=sa.Text))
)
OVER = Statement(
    sa.select(recipients.c.batch_id, recipients.c.id, recipients.c.call_id, recipients.c.attempts)
    .outerjoin(calls, calls.c.id == recipients.c.call_id)
    .where(CALLING, sa.or_(calls.c.id.is_(None), calls.c.ended_at.is_not(None)))
    .order_by(recipients.c.call_id)
    .limit(100)
)
"""Recipients whose call has ended. A missing call was removed with old records."""

CALL = Statement(
    sa.select(calls.c.status, calls.c.error, calls.c.answered_by).where(
        calls.c.id == sa.bindparam("call", type_=BigInt)
    )
)
SETTLE = Statement(
    sa.update(recipients)
    .where(*_RECIPIENT, CALLING, recipients.c.call_id == sa.bindparam("call", type_=BigInt))
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        reason=sa.bindparam("why", type_=sa.Text),
        due_at=sa.bindparam("due", type_=Instant),
    )
)
COUNT_OPEN = Statement(
    sa.select(sa.func.count().label("held")).where(
        _OF_BATCH,
        recipients.c.status.in_([sa.literal_column(f"'{status}'", sa.String) for status in ("waiting", "calling")]),
    )
)
