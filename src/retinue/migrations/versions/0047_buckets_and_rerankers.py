"""Rerankers of collections, and the connections of their sources."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("knowledge_collections", sa.Column("reranker", sa.String(100), nullable=False, server_default=""))
    op.add_column("knowledge_sources", sa.Column("connection_id", BigInt))
    op.create_index("ix_knowledge_sources_connection_id", "knowledge_sources", ["connection_id"])
