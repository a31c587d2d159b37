"""Websites and folders that collections keep in step with."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_SYNCED = sa.text("source_id IS NOT NULL AND status != 'deleting'")
_DUE = sa.text("lease_until < 1e12")


def upgrade() -> None:
    """Bring the schema forward."""
    for column in (
        sa.Column("source_id", BigInt),
        sa.Column("location", sa.String(2000)),
        sa.Column("round", BigInt, nullable=False, server_default="0"),
        sa.Column("depth", sa.Integer, nullable=False, server_default="0"),
        sa.Column("seen", Json()),
        sa.Column("links", Json()),
    ):
        op.add_column("knowledge_documents", column)
    op.create_index(
        "ix_knowledge_documents_synced",
        "knowledge_documents",
        ["source_id", "location"],
        unique=True,
        sqlite_where=_SYNCED,
        postgresql_where=_SYNCED,
    )
    op.create_table(
        "knowledge_sources",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("collection_id", BigInt, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("location", sa.String(2000), nullable=False),
        sa.Column("include", Json(), nullable=False),
        sa.Column("exclude", Json(), nullable=False),
        sa.Column("max_pages", sa.Integer, nullable=False),
        sa.Column("max_depth", sa.Integer, nullable=False),
        sa.Column("schedule", Json(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("round", BigInt, nullable=False),
        sa.Column("site", Json()),
        sa.Column("last_synced_at", Instant()),
        sa.Column("next_sync_at", Instant()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.Column("epoch", BigInt, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_sources"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_knowledge_sources_account_id_id", "knowledge_sources", ["account_id", "id"])
    op.create_index("ix_knowledge_sources_collection_id_id", "knowledge_sources", ["collection_id", "id"])
    op.create_index(
        "ix_knowledge_sources_open_lease",
        "knowledge_sources",
        ["lease_until"],
        sqlite_where=_DUE,
        postgresql_where=_DUE,
    )
    op.create_index(
        "ix_knowledge_sources_open_due",
        "knowledge_sources",
        ["account_id", "lease_until", "id"],
        sqlite_where=_DUE,
        postgresql_where=_DUE,
    )
