"""Embedding models of providers, and collections that are indexed anew."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_REINDEXED = sa.text("target_model IS NOT NULL")


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("model_defaults", sa.Column("embedding", sa.String(200), nullable=False, server_default=""))
    for column in (
        sa.Column("target_model", sa.String(100)),
        sa.Column("epoch", BigInt, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double, nullable=False, server_default="0"),
    ):
        op.add_column("knowledge_collections", column)
    op.create_index(
        "ix_knowledge_collections_open_lease",
        "knowledge_collections",
        ["lease_until"],
        sqlite_where=_REINDEXED,
        postgresql_where=_REINDEXED,
    )
    op.create_index(
        "ix_knowledge_collections_open_due",
        "knowledge_collections",
        ["account_id", "lease_until", "id"],
        sqlite_where=_REINDEXED,
        postgresql_where=_REINDEXED,
    )
    op.add_column("knowledge_passages", sa.Column("other_model", sa.String(100)))
    op.add_column("knowledge_passages", sa.Column("other_vector", sa.LargeBinary))
