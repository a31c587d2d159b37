"""Each account's runs and deployments are a queue of their own in an index."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_QUEUES = {"runs": "ended_at IS NULL AND status != 'waiting'", "deployments": "ended_at IS NULL"}


def upgrade() -> None:
    """Bring the schema forward."""
    for table, open_work in _QUEUES.items():
        op.create_index(
            f"ix_{table}_open_due",
            table,
            ["account_id", "lease_until", "id"],
            sqlite_where=sa.text(open_work),
            postgresql_where=sa.text(open_work),
        )
