"""The latest runs of an account are found by an index."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_runs_account", "runs", ["account_id", "id"])
