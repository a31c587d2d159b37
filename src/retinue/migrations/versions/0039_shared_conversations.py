"""Conversations that everyone with a link can read."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import Instant

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("conversations", sa.Column("share_token", sa.String(40), nullable=True))
    op.add_column("conversations", sa.Column("shared_at", Instant(), nullable=True))
    op.create_index(op.f("ix_conversations_share_token"), "conversations", ["share_token"], unique=True)
