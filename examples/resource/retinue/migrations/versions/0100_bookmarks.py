"""Bookmarks."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant

revision = "0100"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "bookmarks",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bookmarks"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_bookmarks_account_id_id", "bookmarks", ["account_id", "id"])
