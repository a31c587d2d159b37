"""Simulations: people played by a model talk with an agent."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json, id_column

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "simulations",
        id_column(),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("agent_id", BigInt, nullable=False),
        sa.Column("agent_name", sa.String(100), nullable=False),
        sa.Column("agent_version", sa.String(12), nullable=False),
        sa.Column("scenarios", Json, nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("tools", sa.String(16), nullable=False),
        sa.Column("max_turns", sa.Integer, nullable=False),
        sa.Column("repeat", sa.Integer, nullable=False),
        sa.Column("powers", Json, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("begun", sa.Integer, nullable=False, server_default="0"),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("ended_at", Instant),
        sa.PrimaryKeyConstraint("id", name="pk_simulations"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_simulations_account_id_id", "simulations", ["account_id", "id"])
    is_open = sa.text("ended_at IS NULL")
    op.create_index("ix_simulations_open_id", "simulations", ["id"], sqlite_where=is_open, postgresql_where=is_open)
    _create_conversations()


def _create_conversations() -> None:
    op.create_table(
        "simulated_conversations",
        id_column(),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("simulation_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("scenario", sa.Integer, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("speaker", sa.String(8), nullable=False),
        sa.Column("run_id", BigInt),
        sa.Column("conversation_id", sa.String(40)),
        sa.Column("transcript", Json, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("ending", sa.String(16)),
        sa.Column("goal_reached", sa.Boolean),
        sa.Column("reason", sa.Text),
        sa.Column("verdicts", Json),
        sa.Column("passed", Json),
        sa.Column("error", sa.Text),
        sa.Column("tokens_used", BigInt, nullable=False),
        sa.Column("cost_usd", sa.String(40)),
        sa.Column("first_text_ms", BigInt),
        sa.Column("reply_ms", BigInt),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("ended_at", Instant),
        sa.ForeignKeyConstraint(
            ["simulation_id"],
            ["simulations.id"],
            name="fk_simulated_conversations_simulation_id_simulations",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_simulated_conversations"),
        sa.UniqueConstraint("simulation_id", "number", name="uq_simulated_conversations_simulation_id_number"),
        sqlite_autoincrement=True,
    )
    running = sa.text("status = 'running'")
    op.create_index(
        "ix_simulated_conversations_open_account",
        "simulated_conversations",
        ["account_id"],
        sqlite_where=running,
        postgresql_where=running,
    )
