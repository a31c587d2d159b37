"""Reads the ledger's usage by day and kind for each API key, agent, model or user of the app."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.usage.schemas import GroupBy
from retinue.usage.tables import AMOUNTS, ledger

_COLUMNS: Mapping[GroupBy, sa.Label[object]] = {
    "key": ledger.c.key_id.label("key_id"),
    "agent": ledger.c.agent_id.label("agent_id"),
    "model": ledger.c.model.label("model"),
    "user": ledger.c.person.label("user"),
}
"""The column of each grouping, with the name of its field in the API."""

FIELDS: Mapping[GroupBy, str] = {name: column.name for name, column in _COLUMNS.items()}

_kind = sa.bindparam("kind", type_=sa.String)
_PERIOD = (
    ledger.c.account_id == sa.bindparam("account", type_=BigInt),
    ledger.c.day >= sa.bindparam("first", type_=sa.String),
    ledger.c.day <= sa.bindparam("last", type_=sa.String),
    ledger.c.resource != "api",
    sa.or_(_kind == "", ledger.c.resource == _kind),
)


def _groups(column: sa.Label[object]) -> sa.Select[tuple[object, ...]]:
    sums = (sa.cast(sa.func.sum(ledger.c[name]), BigInt).label(name) for name in AMOUNTS)
    by = (ledger.c.day, ledger.c.resource, column)
    return sa.select(*by, *sums).where(*_PERIOD).group_by(ledger.c.day, ledger.c.resource, column.element)


COUNT = {
    name: Statement(sa.select(sa.func.count().label("groups")).select_from(_groups(column).subquery()))
    for name, column in _COLUMNS.items()
}
LIST = {
    name: Statement(
        _groups(column)
        .order_by(ledger.c.day.desc(), ledger.c.resource, column.element.is_(None), column.element)
        .limit(sa.bindparam("per_page", type_=sa.Integer))
        .offset(sa.bindparam("offset", type_=BigInt))
    )
    for name, column in _COLUMNS.items()
}
"""The groups of a period, newest day first. Usage of no key, agent, model or user is a group of its own."""
