"""SQL statements for signing in."""

import sqlalchemy as sa

from retinue.auth.tables import LinkedUser, UserRow, UserSigningIn, sessions, sign_in_links, users
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH

_USER = users.c.id == sa.bindparam("user", type_=BigInt)
_OF_USER = sign_in_links.c.user_id == sa.bindparam("user", type_=BigInt)
_HASH = sign_in_links.c.token_hash == sa.bindparam("hash", type_=sa.LargeBinary)
_MOMENT = sa.bindparam("moment", type_=Instant)
_SIGNED_IN_FROM = sa.exists().where(
    sessions.c.user_id == users.c.id, sessions.c.address == sa.bindparam("address", type_=sa.String)
)
_WHO = sa.select(
    users.c.id,
    users.c.email,
    users.c.password_hash,
    users.c.suspended_at,
    users.c.totp_secret,
    _SIGNED_IN_FROM.label("known"),
)

BY_EMAIL: Statement[UserSigningIn] = Statement(_WHO.where(users.c.email == sa.bindparam("email", type_=sa.String)))
BY_ID: Statement[UserSigningIn] = Statement(_WHO.where(_USER))
LOCK_USER: Statement[UserRow] = Statement(sa.select(users).where(_USER).with_for_update())
LOCK_EMAIL: Statement[UserRow] = Statement(
    sa.select(users).where(users.c.email == sa.bindparam("email", type_=sa.String)).with_for_update()
)
SET_PASSWORD = Statement(sa.update(users).where(_USER).values(password_hash=sa.bindparam("password", type_=sa.String)))

ADD_LINK = Statement(sa.insert(sign_in_links), ["user_id", "token_hash", "purpose", "created_at", "expires_at"])
LINK: Statement[LinkedUser] = Statement(
    _WHO.add_columns(sign_in_links.c.purpose)
    .join_from(sign_in_links, users, users.c.id == sign_in_links.c.user_id)
    .where(_HASH, sign_in_links.c.expires_at > _MOMENT)
)
# A used link expires instead of being deleted, so that the time of the last mail to its user remains known.
_EXPIRE = sa.update(sign_in_links).where(sign_in_links.c.expires_at > _MOMENT).values(expires_at=_MOMENT)
USE_LINK = Statement(_EXPIRE.where(_HASH))
EXPIRE_LINKS = Statement(_EXPIRE.where(_OF_USER))
RECENT_LINK = Statement(
    sa.select(sign_in_links.c.id)
    .where(_OF_USER, sign_in_links.c.purpose == "reset", sign_in_links.c.created_at > _MOMENT)
    .limit(1)
)
_OLD = sa.select(sign_in_links.c.id).where(sign_in_links.c.expires_at < sa.bindparam("before", type_=Instant))
REMOVE_OLD_LINKS = Statement(
    sa.delete(sign_in_links).where(sign_in_links.c.id.in_(_OLD.order_by(sign_in_links.c.expires_at).limit(BATCH)))
)
