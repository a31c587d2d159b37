"""The audit log."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "audit_entries",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("user_id", BigInt, nullable=True),
        sa.Column("sandbox", sa.Boolean(), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("target_id", BigInt, nullable=True),
        sa.Column("detail", sa.String(length=200), nullable=True),
        sa.Column("credential", sa.String(length=40), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("request_id", sa.String(length=128), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_entries_user_id_id"), "audit_entries", ["user_id", "id"])
