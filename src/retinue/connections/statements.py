"""SQL statements for connections. All filter by the owning account."""

import sqlalchemy as sa

from retinue.connections.tables import connections
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement

_OURS = connections.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (connections.c.id == sa.bindparam("connection", type_=BigInt), _OURS)
_MOMENT = sa.bindparam("moment", type_=connections.c.updated_at.type)
_COLUMNS = [
    connections.c[name]
    for name in ("id", "name", "kind", "settings", "created_at", "updated_at", "last_used_at", "last_test")
]

INSERT = Statement(
    sa.insert(connections).returning(*_COLUMNS),
    ["account_id", "name", "kind", "settings", "secret", "created_at", "updated_at"],
)
GET = Statement(sa.select(*_COLUMNS).where(*_THIS))
LIST = Statement(
    sa.select(*_COLUMNS)
    .where(_OURS)
    .order_by(connections.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(connections).where(_OURS))
LOCK = Statement(sa.select(connections).where(*_THIS).with_for_update())
UPDATE = Statement(
    sa.update(connections)
    .where(*_THIS)
    .values(
        settings=sa.bindparam("settings", type_=connections.c.settings.type),
        secret=sa.bindparam("secret", type_=sa.Text),
        last_test=sa.null(),
        updated_at=_MOMENT,
    )
    .returning(*_COLUMNS)
)
DELETE = Statement(sa.delete(connections).where(*_THIS))

STORED = Statement(sa.select(connections).where(*_THIS))
BY_NAME = Statement(sa.select(connections).where(_OURS, connections.c.name == sa.bindparam("name", type_=sa.String)))
LOCK_BY_NAME = Statement(
    sa.select(connections).where(_OURS, connections.c.name == sa.bindparam("name", type_=sa.String)).with_for_update()
)
NAMES = Statement(
    sa.select(connections.c.name)
    .where(_OURS, connections.c.kind == sa.bindparam("kind", type_=sa.String))
    .order_by(connections.c.name)
)
NOTE_USE = Statement(sa.update(connections).where(*_THIS).values(last_used_at=_MOMENT))
NOTE_TEST = Statement(
    sa.update(connections)
    .where(*_THIS, connections.c.updated_at == sa.bindparam("unchanged", type_=connections.c.updated_at.type))
    .values(last_test=sa.bindparam("outcome", type_=connections.c.last_test.type))
)
"""Stores the outcome of a test unless the connection changed in the meantime."""

ANY_SECRET = Statement(
    sa.select(connections.c.account_id, connections.c.name, connections.c.secret).order_by(connections.c.id).limit(1)
)
