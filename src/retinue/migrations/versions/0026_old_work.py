"""Indexes that find ended runs, deployments, calls and rooms by age."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    ended_alone = sa.text("conversation_id IS NULL AND ended_at IS NOT NULL")
    op.create_index(
        "ix_runs_ended_alone",
        "runs",
        ["account_id", "ended_at"],
        sqlite_where=ended_alone,
        postgresql_where=ended_alone,
    )
    ended = sa.text("ended_at IS NOT NULL")
    op.create_index(
        "ix_deployments_account_ended",
        "deployments",
        ["account_id", "ended_at"],
        sqlite_where=ended,
        postgresql_where=ended,
    )
    op.create_index("ix_calls_account_ended", "calls", ["account_id", "ended_at"])
    op.create_index("ix_rooms_account_ended", "rooms", ["account_id", "ended_at"])
