"""Pinned conversations, and an index of the approvals that wait for a decision."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import Instant

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("conversations", sa.Column("pinned_at", Instant(), nullable=True))
    pinned = sa.text("pinned_at IS NOT NULL")
    op.create_index(
        "ix_conversations_pinned", "conversations", ["account_id"], sqlite_where=pinned, postgresql_where=pinned
    )
    undecided = sa.text("decision IS NULL")
    op.create_index(
        "ix_approvals_undecided", "approvals", ["account_id"], sqlite_where=undecided, postgresql_where=undecided
    )
