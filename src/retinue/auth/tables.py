"""Users, their accounts and their keys."""

import sqlalchemy as sa

from retinue.core.schema import BigInt, Instant, Json, id_column, table

users = table(
    "users",
    id_column(),
    sa.Column("email", sa.String(254), nullable=False, unique=True),
    sa.Column("plan", sa.String(20), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
)

accounts = table(
    "accounts",
    id_column(),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("sandbox", sa.Boolean, nullable=False),
    sa.UniqueConstraint("user_id", "sandbox"),
)
"""A space of records. Each user has a live one and a sandbox; every record belongs to one, so nothing is shared."""

api_keys = table(
    "api_keys",
    id_column(),
    sa.Column("account_id", BigInt, sa.ForeignKey("accounts.id"), nullable=False, index=True),
    sa.Column("prefix", sa.String(8), nullable=False, unique=True),
    sa.Column("secret_hash", sa.LargeBinary(32), nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant),
    sa.Column("revoked_at", Instant),
)
