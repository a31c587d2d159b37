"""Providers of models, and the models that are used by default."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "providers",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("base_url", sa.String(2000), nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("secrets", Json(), nullable=False),
        sa.Column("models", Json()),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("plans", Json()),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("concurrency", sa.Integer),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_providers_account_id_accounts"),
        sa.PrimaryKeyConstraint("id", name="pk_providers"),
        sa.UniqueConstraint("account_id", "name", name="uq_providers_account_id_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_providers_account_id_id", "providers", ["account_id", "id"])
    op.create_index(
        "ix_providers_shared_name",
        "providers",
        ["name"],
        unique=True,
        sqlite_where=sa.text("shared = 1"),
        postgresql_where=sa.text("shared"),
    )
    op.create_table(
        "model_defaults",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("fallbacks", Json(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_defaults"),
        sa.UniqueConstraint("account_id", name="uq_model_defaults_account_id"),
        sqlite_autoincrement=True,
    )
