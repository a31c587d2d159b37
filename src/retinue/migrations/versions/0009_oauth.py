"""OAuth 2: apps, what users granted them, codes and tokens."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    _create_apps()
    _create_grants()
    _create_codes()
    _create_tokens()


def _create_apps() -> None:
    op.create_table(
        "oauth_apps",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("user_id", BigInt, nullable=True),
        sa.Column("client_id", sa.String(length=40), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("redirect_uris", Json(), nullable=False),
        sa.Column("scopes", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_oauth_apps_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_apps")),
        sa.UniqueConstraint("client_id", name=op.f("uq_oauth_apps_client_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_oauth_apps_user_id"), "oauth_apps", ["user_id"])
    op.create_index(op.f("ix_oauth_apps_created_at"), "oauth_apps", ["created_at"])


def _create_grants() -> None:
    op.create_table(
        "oauth_grants",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("app_id", BigInt, nullable=False),
        sa.Column("user_id", BigInt, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("scopes", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["app_id"], ["oauth_apps.id"], name=op.f("fk_oauth_grants_app_id_oauth_apps"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_oauth_grants_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_grants")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_oauth_grants_app_id"), "oauth_grants", ["app_id"])
    op.create_index(op.f("ix_oauth_grants_user_id"), "oauth_grants", ["user_id"])


def _create_codes() -> None:
    op.create_table(
        "oauth_codes",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("grant_id", BigInt, nullable=False),
        sa.Column("code_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("challenge", sa.String(length=128), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("used_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["grant_id"], ["oauth_grants.id"], name=op.f("fk_oauth_codes_grant_id_oauth_grants"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_codes")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_oauth_codes_code_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_oauth_codes_grant_id"), "oauth_codes", ["grant_id"])
    op.create_index(op.f("ix_oauth_codes_expires_at"), "oauth_codes", ["expires_at"])


def _create_tokens() -> None:
    op.create_table(
        "oauth_tokens",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("grant_id", BigInt, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("scopes", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("replaced_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["grant_id"], ["oauth_grants.id"], name=op.f("fk_oauth_tokens_grant_id_oauth_grants"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_oauth_tokens_token_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_oauth_tokens_grant_id"), "oauth_tokens", ["grant_id"])
    op.create_index(op.f("ix_oauth_tokens_expires_at"), "oauth_tokens", ["expires_at"])
