"""Deletion and export of accounts."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "account_jobs",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("user_id", BigInt, nullable=False),
        sa.Column("account_id", BigInt, nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("file_id", sa.String(length=40), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_jobs")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_account_jobs_user_id"), "account_jobs", ["user_id"])
    op.create_index(op.f("ix_account_jobs_account_id"), "account_jobs", ["account_id"])
    is_open = sa.text("ended_at IS NULL")
    op.create_index(
        "ix_account_jobs_open_lease",
        "account_jobs",
        ["lease_until", "id"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    op.add_column("users", sa.Column("deleted_at", Instant(), nullable=True))
    op.create_index(op.f("ix_runs_account_id_id"), "runs", ["account_id", "id"])
    op.create_index(op.f("ix_deployments_account_id_id"), "deployments", ["account_id", "id"])
    op.create_index(op.f("ix_marketplace_installations_item_id"), "marketplace_installations", ["item_id"])
