"""SQL statements for sessions. Statements for callers filter by user."""

import sqlalchemy as sa

from retinue.auth.tables import accounts, sessions, users
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH

MOST = 100
"""Maximum sessions of a user. Opening one more ends the least recently used one."""

_MOMENT = sa.bindparam("moment", type_=Instant)
_ALIVE = (
    sessions.c.ended_at.is_(None),
    sessions.c.last_used_at > sa.bindparam("after", type_=Instant),
    sessions.c.created_at > sa.bindparam("since", type_=Instant),
)
_OWN = sessions.c.user_id == sa.bindparam("user", type_=BigInt)
_OPEN = (_OWN, *_ALIVE)
_ID = sessions.c.id == sa.bindparam("session", type_=BigInt)
_COLUMNS = [column for column in sessions.c if column.name != "token_hash"]

AUTHENTICATE = Statement(
    sa.select(
        sessions.c.id,
        sessions.c.user_id,
        sessions.c.last_used_at,
        accounts.c.id.label("account_id"),
        users.c.plan,
    )
    .join(users, users.c.id == sessions.c.user_id)
    .join(accounts, sa.and_(accounts.c.user_id == users.c.id, accounts.c.sandbox.is_(False)))
    .where(
        sessions.c.token_hash == sa.bindparam("hash", type_=sa.LargeBinary),
        *_ALIVE,
        users.c.suspended_at.is_(None),
    )
)
"""The database compares the hash, so an ended session and an unknown token take the same time."""

INSERT = Statement(
    sa.insert(sessions).returning(*_COLUMNS),
    ["user_id", "token_hash", "address", "user_agent", "created_at", "last_used_at"],
)
_EXCESS = sa.select(sessions.c.id).where(_OWN).order_by(sessions.c.last_used_at.desc(), sessions.c.id.desc())
DROP_EXCESS = Statement(sa.delete(sessions).where(sessions.c.id.in_(_EXCESS.limit(BATCH).offset(MOST))))
LIST = Statement(
    sa.select(*_COLUMNS)
    .where(*_OPEN)
    .order_by(sessions.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(sa.select(sa.func.count().label("sessions")).select_from(sessions).where(*_OPEN))
GET = Statement(sa.select(*_COLUMNS).where(_ID, *_OPEN))
NOT_ENDED = Statement(
    sa.select(sessions.c.id).where(
        sessions.c.id == sa.bindparam("credential", type_=BigInt), sessions.c.ended_at.is_(None)
    )
)
SIGN_OUT = Statement(sa.update(sessions).where(_ID, _OWN, sessions.c.ended_at.is_(None)).values(ended_at=_MOMENT))
"""Keeps the row: the throttle trusts addresses of past sign-ins."""

REVOKE = Statement(sa.delete(sessions).where(_ID, *_OPEN))
REVOKE_OTHERS = Statement(sa.delete(sessions).where(_OWN, sessions.c.id != sa.bindparam("kept", type_=BigInt)))
"""Deletes signed-out sessions too: after a password theft, no earlier address is trustworthy."""

_OLD = sa.select(sessions.c.id).where(sessions.c.last_used_at < sa.bindparam("before", type_=Instant))
REMOVE_OLD = Statement(
    sa.delete(sessions).where(sessions.c.id.in_(_OLD.order_by(sessions.c.last_used_at).limit(BATCH)))
)
