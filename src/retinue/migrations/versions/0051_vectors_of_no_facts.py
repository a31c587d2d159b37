"""A database without facts has no vectors of an earlier version, so nothing is to be made again."""

from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the data forward."""
    op.execute(
        "UPDATE stored_features SET version = 'use-multilingual-v3/1-facts/1' "
        "WHERE name = 'memory vectors' AND NOT EXISTS (SELECT 1 FROM memory_facts)"
    )
