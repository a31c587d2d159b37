"""The table of idempotency keys and its statements."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retinue.core.database.owned import Owned
from retinue.core.database.portable_sql import unix_now
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Statement
from retinue.core.work.leases import LEASE_S, Leases, lease_columns
from retinue.core.work.retention import BATCH

OPERATION_CHARACTERS = 300

requests = table(
    "idempotent_requests",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("operation", sa.String(OPERATION_CHARACTERS), nullable=False),
    sa.Column("key", sa.String(255), nullable=False),
    sa.Column("fingerprint", sa.String(64), nullable=False),
    sa.Column("effect", Json),
    sa.Column("status", sa.Integer),
    sa.Column("body", sa.Text),
    sa.Column("created_at", Instant, nullable=False, index=True),
    *lease_columns(),
    sa.UniqueConstraint("account_id", "operation", "key"),
)

OWNED = (Owned(requests.c.account_id, exported=False),)

_ID = sa.bindparam("claim", type_=BigInt)
_THIS = (
    requests.c.account_id == sa.bindparam("account", type_=BigInt),
    requests.c.operation == sa.bindparam("at", type_=sa.String),
    requests.c.key == sa.bindparam("name", type_=sa.String),
)
_HELD = (requests.c.id == _ID, requests.c.epoch == sa.bindparam("under", type_=BigInt))
_OPEN = requests.c.status.is_(None)
sa.Index("ix_idempotent_requests_open_lease", requests.c.lease_until, sqlite_where=_OPEN, postgresql_where=_OPEN)

TAKE = Statement(
    insert(requests)
    .values(
        account_id=sa.bindparam("account", type_=BigInt),
        operation=sa.bindparam("at", type_=sa.String),
        key=sa.bindparam("name", type_=sa.String),
        fingerprint=sa.bindparam("print", type_=sa.String),
        created_at=sa.bindparam("moment", type_=requests.c.created_at.type),
        epoch=1,
        attempts=1,
        lease_owner=sa.bindparam("owner", type_=sa.String),
        lease_until=unix_now() + LEASE_S,
    )
    .on_conflict_do_nothing(index_elements=["account_id", "operation", "key"])
    .returning(requests)
)
FIND = Statement(sa.select(requests).where(*_THIS))
TAKE_OVER = Statement(
    sa.update(requests)
    .where(*_THIS, _OPEN, requests.c.lease_until < unix_now())
    .values(
        epoch=requests.c.epoch + 1,
        attempts=requests.c.attempts + 1,
        lease_owner=sa.bindparam("owner", type_=sa.String),
        lease_until=unix_now() + LEASE_S,
    )
    .returning(requests)
)
NOTE = Statement(
    sa.update(requests).where(*_HELD, _OPEN).values(effect=sa.bindparam("what", type_=requests.c.effect.type))
)
FINISH = Statement(
    sa.update(requests)
    .where(*_HELD, _OPEN)
    .values(
        status=sa.bindparam("answered", type_=sa.Integer),
        body=sa.bindparam("text", type_=sa.Text),
        lease_owner=None,
        lease_until=0.0,
    )
)
FORGET = Statement(sa.delete(requests).where(*_HELD, _OPEN, requests.c.effect.is_(None)))
RELEASE = Statement(sa.update(requests).where(*_HELD, _OPEN).values(lease_until=0.0))
_OLD = (
    sa.select(requests.c.id)
    .where(
        requests.c.created_at < sa.bindparam("before", type_=requests.c.created_at.type),
        sa.or_(requests.c.status.is_not(None), requests.c.lease_until < unix_now()),
    )
    .order_by(requests.c.created_at)
    .limit(BATCH)
)
REMOVE = Statement(sa.delete(requests).where(requests.c.id.in_(_OLD)))
"""Delete a batch of keys created before an instant, except those of running requests."""

LEASES = Leases(requests, open_work=_OPEN, claimed={})
