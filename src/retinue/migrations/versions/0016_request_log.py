"""The request log."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "api_requests",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("request_id", sa.String(length=128), nullable=False),
        sa.Column("method", sa.String(length=16), nullable=False),
        sa.Column("path", sa.String(length=500), nullable=False),
        sa.Column("route", sa.String(length=200), nullable=True),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("duration_ms", sa.Double(), nullable=False),
        sa.Column("credential", sa.String(length=40), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("error_message", sa.String(length=500), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_requests")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_api_requests_account_id_id"), "api_requests", ["account_id", "id"])
