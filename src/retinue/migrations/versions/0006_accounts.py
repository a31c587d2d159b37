"""Users sign in, by passwords, second factors and links; keys have networks, successors and last uses."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_FIRST_USER = "UPDATE users SET operator = true WHERE id = (SELECT min(id) FROM users)"


def upgrade() -> None:
    """Bring the schema forward."""
    _extend_users()
    for name, kind in (("networks", Json), ("last_used_at", Instant), ("successor_id", BigInt)):
        op.add_column("api_keys", sa.Column(name, kind, nullable=True))
    _create_sessions()
    _create_links()
    op.create_table(
        "recovery_codes",
        sa.Column("user_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("code_hash", sa.LargeBinary(length=32), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_recovery_codes_user_id_users")),
        sa.PrimaryKeyConstraint("user_id", "code_hash", name=op.f("pk_recovery_codes")),
    )


def _extend_users() -> None:
    op.add_column("users", sa.Column("name", sa.String(length=100), server_default="", nullable=False))
    op.add_column("users", sa.Column("operator", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("users", sa.Column("suspended_at", Instant(), nullable=True))
    op.add_column("users", sa.Column("password_hash", sa.String(length=200), nullable=True))
    op.add_column("users", sa.Column("totp_secret", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("totp_pending", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("totp_step", BigInt, nullable=True))
    op.execute(_FIRST_USER)


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("user_id", BigInt, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("user_agent", sa.String(length=200), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("last_used_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sessions_token_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"])
    op.create_index(op.f("ix_sessions_last_used_at"), "sessions", ["last_used_at"])


def _create_links() -> None:
    op.create_table(
        "sign_in_links",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("user_id", BigInt, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sign_in_links_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sign_in_links_token_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_sign_in_links_user_id"), "sign_in_links", ["user_id"])
    op.create_index(op.f("ix_sign_in_links_expires_at"), "sign_in_links", ["expires_at"])
