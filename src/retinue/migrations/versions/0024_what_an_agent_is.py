"""Agents have instructions, a model with its settings, a budget and other agents; conversations may have an agent."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("agents", sa.Column("instructions", sa.Text(), nullable=True))
    op.add_column("agents", sa.Column("model", sa.String(100), nullable=True))
    op.add_column("agents", sa.Column("fallback_models", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("agents", sa.Column("temperature", sa.Double(), nullable=True))
    op.add_column("agents", sa.Column("max_output_tokens", BigInt, nullable=True))
    op.add_column("agents", sa.Column("reasoning_effort", sa.String(16), nullable=True))
    op.add_column("agents", sa.Column("output_schema", sa.Text(), nullable=True))
    op.add_column("agents", sa.Column("budget", sa.Text(), nullable=True))
    op.add_column("agents", sa.Column("agents", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("agents", sa.Column("greeting", sa.String(1000), nullable=True))
    op.add_column("agents", sa.Column("metadata", sa.Text(), nullable=False, server_default="{}"))
    op.add_column("conversations", sa.Column("agent_id", BigInt, nullable=True))
