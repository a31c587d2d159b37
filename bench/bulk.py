"""Fill an empty database with any number of agents, runs and ledger rows, directly in the platform's tables.

One user, the heavy one, owns three fifths of all rows, and one of its agents has half of all runs; the rest belongs
to two hundred other users. An ordinary user owns twenty agents with twenty runs each, whatever the size of the
database. `retinue check` finds no fault in the result.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retinue.agents.tables import agents
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.auth.tables import accounts, users
from retinue.core.database.counters import counters
from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.work.events import events
from retinue.runs.tables import FORMAT, messages, runs
from retinue.usage.tables import AMOUNTS, ledger, usage_days

OTHERS = 200
ORDINARY_AGENTS, ORDINARY_RUNS = 20, 400
DAYS = 10
_STEP = 20_000
"""Maximum rows of one statement: it must finish within a connection's time-out."""

_ANSWER = "A short answer of the model, as it stands in the record of a run."
_RESOURCES = ("tools", "agents", "api")


@dataclass(frozen=True)
class Holder:
    """A measured user: a key, an account, an agent and its newest run."""

    key: str
    account: int
    agent: int
    run: int


def _numbers() -> Any:
    """Generate the integers from the parameter `first` to `last` as `i`."""
    start = sa.select(sa.cast(sa.bindparam("first", type_=BigInt), BigInt).label("i")).cte("numbers", recursive=True)
    return start.union_all(sa.select(start.c.i + 1).where(start.c.i < sa.bindparam("last", type_=BigInt)))


_N = _numbers()
NUMBER = _N.c.i
"""The number of a row."""

_HEAVY, _ORDINARY, _OTHER = (sa.bindparam(name, type_=BigInt) for name in ("heavy", "ordinary", "other"))
_ROWS = sa.bindparam("rows", type_=BigInt)
MOMENT = sa.bindparam("moment", type_=Instant)


def _owner(agent: Any) -> Any:
    """Return the account that owns an agent.

    The others' accounts are every second number from `other` on, because each user also has a sandbox.
    """
    other = _OTHER + 2 * (agent % OTHERS)
    return sa.case((agent > _ROWS, _ORDINARY), (agent % 10 < 6, _HEAVY), else_=other)


_AGENT_OF_RUN = sa.case((NUMBER > _ROWS, _ROWS + 1 + NUMBER % ORDINARY_AGENTS), (NUMBER % 2 == 0, 1), else_=NUMBER)
_RUNS_OF_AGENT = sa.case(
    (NUMBER > _ROWS, ORDINARY_RUNS // ORDINARY_AGENTS), (NUMBER == 1, _ROWS / 2 + 1), (NUMBER % 2 == 1, 1), else_=0
)


def text(value: str) -> Any:
    return sa.literal_column(f"'{value}'", sa.Text)


def rows_of(table: sa.Table, columns: Mapping[str, Any]) -> Statement:
    """Build a statement that inserts a row for each number."""
    return Statement(sa.insert(table).from_select(list(columns), sa.select(*columns.values()).select_from(_N)))


_AGENTS = rows_of(agents, {
    "id": NUMBER, "account_id": _owner(NUMBER), "agent_name": text("An agent of many"),
    "agent_role": text("generalist"),
    "skills": text("[]"), "voice_enabled": sa.false(), "voice_engine": text("hibari"), "runs_count": _RUNS_OF_AGENT,
    "created_at": MOMENT, "updated_at": MOMENT,
})  # fmt: skip
_RUNS = rows_of(runs, {
    "id": NUMBER, "account_id": _owner(_AGENT_OF_RUN), "agent_id": _AGENT_OF_RUN, "attached": sa.true(),
    "status": text("completed"), "model": text("alfred-default"), "message": text("Do what is to be done."),
    "reply": text(_ANSWER), "options": text("{}"), "format": sa.literal_column(str(FORMAT)),
    "tools_used": text("[]"),
    "tokens_used": sa.literal_column("40"), "execution_time_ms": sa.literal_column("1500"), "created_at": MOMENT,
    "started_at": MOMENT, "ended_at": MOMENT, "epoch": sa.literal_column("1"), "attempts": sa.literal_column("1"),
    "lease_until": sa.literal_column("0.0"),
})  # fmt: skip
_SAID = sa.bindparam("seq", type_=sa.Integer)
_MESSAGES = rows_of(messages, {
    "run_id": NUMBER, "seq": sa.cast(_SAID, sa.Integer), "role": sa.case((_SAID == 0, "user"), else_="assistant"),
    "content": text(_ANSWER), "state": text("done"), "tokens": sa.literal_column("20"), "started_at": MOMENT,
    "created_at": MOMENT,
})  # fmt: skip
_EVENTS = rows_of(events, {
    "id": text("evt_") + sa.cast(NUMBER, sa.String), "account_id": _owner(_AGENT_OF_RUN),
    "name": text("agent.completed"),
    "data": text('{"agent_name":"An agent of many","run_id":') + sa.cast(NUMBER, sa.String) + text("}"),
    "created_at": MOMENT, "handed_out_at": MOMENT,
})  # fmt: skip
_USED = {"count": 1, "errors": 0, "tokens": 40, "credits": 1, "milliseconds": 1500}
_RESOURCE = sa.case(*((NUMBER % len(_RESOURCES) == place, name) for place, name in enumerate(_RESOURCES)))
_LEDGER = rows_of(ledger, {
    "account_id": _owner(NUMBER), "day": sa.bindparam("day", type_=sa.String), "resource": _RESOURCE,
    **{name: sa.literal_column(str(amount)) for name, amount in _USED.items()}, "created_at": MOMENT,
})  # fmt: skip
_SUM_DAYS = Statement(
    insert(usage_days).from_select(
        ["account_id", "day", "resource", *AMOUNTS],
        sa.select(
            ledger.c.account_id,
            ledger.c.day,
            ledger.c.resource,
            *(sa.cast(sa.func.sum(ledger.c[name]), BigInt) for name in AMOUNTS),
        ).group_by(ledger.c.account_id, ledger.c.day, ledger.c.resource),
    )
)
_COUNT_AGENTS = Statement(
    sa.update(counters)
    .where(counters.c.name == "agents")
    .values(
        value=sa.select(sa.func.count())
        .select_from(agents)
        .where(agents.c.account_id == counters.c.account_id)
        .scalar_subquery()
    )
)
_ACCOUNT = Statement(
    sa.select(accounts.c.id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(users.c.email == sa.bindparam("email"), accounts.c.sandbox.is_(False))
)


async def fill(database: Database, rows: int) -> dict[str, Holder]:
    """Insert `rows` agents, runs and ledger rows, a multiple of a hundred, into an empty database.

    Returns the heavy user and the ordinary one.
    """
    owners = await _make_users(database)
    values: dict[str, Any] = {**{name: account for name, (account, _) in owners.items()}, "rows": rows, "moment": now()}

    async def write(statement: Statement, first: int, last: int, **more: Any) -> None:
        for step, until in steps(first, last):
            await database.transact(ran(statement, {**values, **more, "first": step, "last": until}))

    await write(_AGENTS, 1, rows + ORDINARY_AGENTS)
    last_run = rows + ORDINARY_RUNS
    await write(_RUNS, 1, last_run)
    for seq in (0, 1):
        await write(_MESSAGES, 1, last_run, seq=seq)
    await write(_EVENTS, 1, last_run)
    for number in range(DAYS):
        day = (now().date() - timedelta(days=number)).isoformat()
        await write(_LEDGER, number * rows // DAYS + 1, (number + 1) * rows // DAYS, day=day)
        await write(_LEDGER, rows + 1, rows + len(_RESOURCES), day=day)
    await database.transact(ran(_SUM_DAYS, {}))
    await database.transact(ran(_COUNT_AGENTS, {}))
    await follow_ids(database)
    agent = {"heavy": 1, "ordinary": rows + 1}
    run = {"heavy": rows, "ordinary": last_run}
    return {name: Holder(owners[name][1], owners[name][0], agent[name], run[name]) for name in agent}


def steps(first: int, last: int) -> Iterator[tuple[int, int]]:
    for start in range(first, last + 1, _STEP):
        yield start, min(start + _STEP - 1, last)


def ran(statement: Statement, values: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return the work that runs a statement with those of the values that it has parameters for."""
    needed = {name: value for name, value in values.items() if name in statement.clause.compile().binds}
    return lambda tx: tx.run(statement, **needed)


async def _make_users(database: Database) -> dict[str, tuple[int, str]]:
    """Create all users; return account and key of the heavy, the ordinary and the first other user."""
    made = Users(database, Plans.load(None))
    owners = {}
    for name in ("heavy", "ordinary", *(f"other-{number}" for number in range(OTHERS))):
        email = f"{name}@example.com"
        await made.create(email, "enterprise")
        if name in ("heavy", "ordinary", "other-0"):
            (account,) = await database.fetch(_ACCOUNT, email=email)
            owners[name.removesuffix("-0")] = account.id, str(await made.create_key(email))
    return owners


async def follow_ids(database: Database) -> None:
    """Advance PostgreSQL's sequences past the inserted ids. SQLite does this by itself."""
    if database.dialect != "postgresql":
        return
    for table in (agents, runs):
        sequence = sa.func.pg_get_serial_sequence(table.name, "id")
        last = sa.select(sa.func.max(table.c.id)).scalar_subquery()
        await database.query(Statement(sa.select(sa.func.setval(sequence, last))))
