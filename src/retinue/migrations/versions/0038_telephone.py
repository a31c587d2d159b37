"""Voice settings of agents, the events of calls, and what is found out about a call after its end."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("agents", sa.Column("voice", Json(), nullable=True))
    op.add_column("calls", sa.Column("voice", Json(), nullable=True))
    op.add_column("calls", sa.Column("events_count", sa.Integer, nullable=False, server_default="0"))
    op.add_column("calls", sa.Column("analysis_status", sa.String(16), nullable=True))
    op.add_column("calls", sa.Column("analysis_run_id", BigInt, nullable=True))
    op.add_column("calls", sa.Column("analysis", Json(), nullable=True))
    pending = sa.text("analysis_status IN ('due', 'running')")
    op.create_index("ix_calls_open_analysis", "calls", ["id"], sqlite_where=pending, postgresql_where=pending)
    op.create_table(
        "call_events",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("call_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("data", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_call_events"),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name="fk_call_events_call_id_calls", ondelete="CASCADE"),
        sa.UniqueConstraint("call_id", "number", name="uq_call_events_call_id_number"),
        sqlite_autoincrement=True,
    )
