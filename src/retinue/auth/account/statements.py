"""SQL statements for a user's own record. Every statement filters by user."""

import sqlalchemy as sa

from retinue.auth.tables import recovery_codes, users
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement

_USER = users.c.id == sa.bindparam("user", type_=BigInt)

GET = Statement(
    sa.select(
        users.c.id,
        users.c.email,
        users.c.name,
        users.c.plan,
        users.c.operator,
        users.c.created_at,
        users.c.first_steps,
        users.c.password_hash.is_not(None).label("has_password"),
        users.c.totp_secret.is_not(None).label("second_factor"),
    ).where(_USER)
)
COUNT_RECOVERY_CODES = Statement(
    sa.select(sa.func.count().label("left")).where(recovery_codes.c.user_id == sa.bindparam("user", type_=BigInt))
)
SET_NAME = Statement(sa.update(users).where(_USER).values(name=sa.bindparam("new_name", type_=sa.String)))
SET_FIRST_STEPS = Statement(sa.update(users).where(_USER).values(first_steps=sa.bindparam("steps", type_=sa.String)))
SET_PENDING = Statement(sa.update(users).where(_USER).values(totp_pending=sa.bindparam("secret", type_=sa.Text)))
