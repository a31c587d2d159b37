"""Authorizations of MCP servers: OAuth clients, tokens, and authorizations that have begun."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "source_authorizations",
        sa.Column("source_id", BigInt, nullable=False, autoincrement=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("granted", sa.Boolean, nullable=False),
        sa.Column("challenge", Json(), nullable=False),
        sa.Column("client", Json()),
        sa.Column("secret", sa.Text),
        sa.Column("expires_at", Instant()),
        sa.Column("version", BigInt, nullable=False),
        sa.Column("refreshing_until", Instant()),
        sa.Column("pending", sa.Text),
        sa.Column("pending_key", sa.String(64)),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["tool_sources.id"],
            name="fk_source_authorizations_source_id_tool_sources",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", name="pk_source_authorizations"),
        sa.UniqueConstraint("pending_key", name="uq_source_authorizations_pending_key"),
    )
    op.create_index("ix_source_authorizations_account_id", "source_authorizations", ["account_id"])
