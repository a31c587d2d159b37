"""Finds the runs of an account or of one of its agents."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.newest_first import newest_first
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.http.envelope import read_page
from retinue.runs.schemas import RunFilter
from retinue.runs.tables import RunRow, runs

_SINCE, _UNTIL = (sa.bindparam(name, type_=Instant) for name in ("since", "until"))
_STATUS = sa.bindparam("wanted", type_=sa.String)
_LEADING: Mapping[str, sa.ColumnElement[bool]] = {
    "agent": runs.c.agent_id == sa.bindparam("agent", type_=BigInt),
    "person": runs.c.person == sa.bindparam("person", type_=sa.String),
    "key": runs.c.key_id == sa.bindparam("key", type_=BigInt),
}
"""Filters with an index of their own, the most selective first."""

_FOUND = (
    runs.c.account_id == sa.bindparam("account", type_=BigInt),
    sa.or_(_STATUS.is_(None), runs.c.status == _STATUS),
    sa.or_(_SINCE.is_(None), runs.c.created_at >= _SINCE),
    sa.or_(_UNTIL.is_(None), runs.c.created_at < _UNTIL),
    sa.or_(sa.bindparam("agent", type_=BigInt).is_(None), _LEADING["agent"]),
    sa.or_(sa.bindparam("person", type_=sa.String).is_(None), _LEADING["person"]),
    sa.or_(sa.bindparam("key", type_=BigInt).is_(None), _LEADING["key"]),
)
_CONDITIONS = {"account": _FOUND, **{name: (condition, *_FOUND) for name, condition in _LEADING.items()}}
FIND: Mapping[str, Statement[RunRow]] = {
    name: newest_first(sa.select(runs), runs.c.id, *conditions) for name, conditions in _CONDITIONS.items()
}
"""The runs that pass the filters, by the name of the filter whose index the database reads."""

COUNT = {
    name: Statement(sa.select(sa.func.count().label("runs")).select_from(runs).where(*conditions))
    for name, conditions in _CONDITIONS.items()
}


async def find_runs(
    database: Database, wanted: RunFilter, account_id: int, agent_id: int | None = None
) -> tuple[Sequence[RunRow], int]:
    """Return one page of the runs that pass the filter, newest first, and their total count."""
    filters: dict[str, object] = {"agent": agent_id, "person": wanted.user, "key": wanted.key_id}
    leading = next((name for name in _LEADING if filters[name] is not None), "account")
    filters |= {"account": account_id, "wanted": wanted.status, "since": wanted.since, "until": wanted.until}
    rows = await read_page(database, FIND[leading], wanted, **filters)
    (counted,) = await database.query(COUNT[leading], **filters)
    return rows, counted.runs
