"""SQL statements for facts and extraction jobs. All that a caller can reach filter by account."""

from collections.abc import Mapping
from itertools import combinations

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.fair_leases import FairLeases
from retinue.core.work.leases import LEASE_S
from retinue.memory.tables import CURRENT, FactRow, FactWithVector, facts, jobs

_OURS = facts.c.account_id == sa.bindparam("account", type_=BigInt)
_AGENT = facts.c.agent_id == sa.bindparam("agent", type_=BigInt)
_THIS = (facts.c.id == sa.bindparam("fact", type_=BigInt), _OURS)
_SCOPE = (_OURS, _AGENT, facts.c.person == sa.bindparam("whose", type_=sa.String))
_MOMENT = sa.bindparam("moment", type_=Instant)
_COLUMNS = [column for column in facts.c if column.name not in ("model", "vector")]
_MOST = sa.bindparam("most", type_=sa.Integer)

INSERT: Statement[FactRow] = Statement(
    sa.insert(facts).returning(*_COLUMNS),
    [
        "account_id", "agent_id", "person", "text", "source_run", "untrusted", "model", "vector", "created_at",
        "updated_at",
    ],
)  # fmt: skip
GET: Statement[FactRow] = Statement(sa.select(*_COLUMNS).where(*_THIS))
LOCK: Statement[FactRow] = Statement(sa.select(*_COLUMNS).where(*_THIS).with_for_update())
CHANGE: Statement[FactRow] = Statement(
    sa.update(facts)
    .where(*_THIS)
    .values(
        text=sa.bindparam("new_text", type_=sa.String),
        untrusted=None,
        model=sa.bindparam("new_model", type_=sa.String),
        vector=sa.bindparam("new_vector", type_=sa.LargeBinary),
        updated_at=_MOMENT,
    )
    .returning(*_COLUMNS)
)
DELETE = Statement(sa.delete(facts).where(*_THIS))
DELETE_OF_AGENT = Statement(sa.delete(facts).where(_OURS, _AGENT))
REPLACE = Statement(
    sa.update(facts)
    .where(among(facts.c.id, "ids"), *_SCOPE, CURRENT)
    .values(replaced_by=sa.bindparam("successor", type_=BigInt), updated_at=_MOMENT)
)
FORGET = Statement(sa.delete(facts).where(among(facts.c.id, "ids"), *_SCOPE))


def _where(names: frozenset[str]) -> tuple[sa.ColumnElement[bool], ...]:
    return (_OURS, *(condition for name, condition in _FILTERS.items() if name in names))


_FILTERS = {"agent": _AGENT, "whose": facts.c.person == sa.bindparam("whose", type_=sa.String), "current": CURRENT}
_CHOICES = [frozenset(some) for size in range(4) for some in combinations(_FILTERS, size)]
LISTS: Mapping[frozenset[str], Statement[FactRow]] = {
    names: newest_first(sa.select(*_COLUMNS), facts.c.id, *_where(names)) for names in _CHOICES
}
"""Lists of facts by what they filter by: the `agent`, the person (`whose`), and whether a fact is `current`."""

COUNTS = {
    names: Statement(sa.select(sa.func.count().label("held")).select_from(facts).where(*_where(names)))
    for names in _CHOICES
}
TO_SEARCH: Mapping[frozenset[str], Statement[FactWithVector]] = {
    names: Statement(sa.select(facts).where(*_where(names)).order_by(facts.c.id.desc()).limit(_MOST))
    for names in _CHOICES
}

IN_SCOPE: Statement[FactWithVector] = Statement(
    sa.select(facts).where(*_SCOPE, CURRENT).order_by(facts.c.id.desc()).limit(_MOST)
)
"""The current facts of an agent about a person, newest first."""

COUNT_SCOPE = Statement(sa.select(sa.func.count().label("held")).select_from(facts).where(*_SCOPE))
DROP_OLDEST = Statement(
    sa.delete(facts).where(
        facts.c.id.in_(
            sa.select(facts.c.id).where(*_SCOPE).order_by(CURRENT, facts.c.id).limit(_MOST).scalar_subquery()
        )
    )
)
"""Deletes the oldest facts of a scope, replaced ones first."""

FACTS_AFTER = Statement(
    sa.select(facts.c.id, facts.c.text)
    .where(facts.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(facts.c.id)
    .limit(_MOST)
)
"""The facts of all accounts, for the work that makes their vectors again."""
SET_VECTOR = Statement(
    sa.update(facts)
    .where(facts.c.id == sa.bindparam("fact", type_=BigInt), facts.c.text == sa.bindparam("encoded", type_=sa.String))
    .values(model=sa.bindparam("new_model", type_=sa.String), vector=sa.bindparam("new_vector", type_=sa.LargeBinary))
)
"""Stores the vector of a fact, unless its text has changed meanwhile."""

QUEUE = Statement(sa.insert(jobs), ["account_id", "run_id", "lease_until"])

LEASES = FairLeases(jobs, open_work=jobs.c.id > 0, claimed={})
_CLAIMED = (jobs.c.id == sa.bindparam("job", type_=BigInt), jobs.c.epoch == sa.bindparam("under", type_=BigInt))
HOLD = Statement(sa.update(jobs).where(*_CLAIMED).values(lease_until=unix_now() + LEASE_S))
END = Statement(sa.delete(jobs).where(*_CLAIMED))
DELAY = Statement(
    sa.update(jobs)
    .where(*_CLAIMED)
    .values(
        lease_owner=None,
        lease_until=unix_now() + sa.bindparam("seconds", type_=sa.Double),
        epoch=jobs.c.epoch + 1,
    )
)
