"""Runs, approvals and workspace records say whether untrusted content went into them; agents, who set `approval`."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("runs", sa.Column("untrusted", sa.String(200), nullable=True))
    op.add_column("approvals", sa.Column("untrusted", sa.String(200), nullable=True))
    op.add_column("agents", sa.Column("approval_derived", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("workspace_records", sa.Column("untrusted", sa.Boolean(), nullable=False, server_default=sa.false()))
    read = sa.text("untrusted IS NOT NULL")
    op.create_index(
        "ix_runs_conversation_untrusted", "runs", ["conversation_id"], sqlite_where=read, postgresql_where=read
    )
