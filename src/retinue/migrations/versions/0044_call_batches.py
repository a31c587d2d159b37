"""Batches of calls, do-not-call lists, and the variables of calls."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0044"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("calls", sa.Column("variables", Json(), nullable=True))
    op.add_column("calls", sa.Column("batch_id", BigInt, nullable=True))
    op.create_table(
        "do_not_call",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("number", sa.String(255), nullable=False),
        sa.Column("note", sa.String(200), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_do_not_call"),
        sa.UniqueConstraint("account_id", "number", name="uq_do_not_call_account_id_number"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_do_not_call_account_id_id", "do_not_call", ["account_id", "id"])
    _create_batches()
    _create_recipients()


def _create_batches() -> None:
    op.create_table(
        "call_batches",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("credential", sa.String(64), nullable=False),
        sa.Column("scopes", Json(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("agent_id", BigInt, nullable=True),
        sa.Column("options", Json(), nullable=False),
        sa.Column("at_once", sa.Integer(), nullable=False),
        sa.Column("per_minute", sa.Integer(), nullable=False),
        sa.Column("window", Json(), nullable=True),
        sa.Column("retries", Json(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("start_at", Instant(), nullable=True),
        sa.Column("next_at", Instant(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("started_at", Instant(), nullable=True),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_call_batches"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_call_batches_account_id_id", "call_batches", ["account_id", "id"])
    running = sa.text("status = 'running'")
    op.create_index(
        "ix_call_batches_open_due", "call_batches", ["next_at"], sqlite_where=running, postgresql_where=running
    )


def _create_recipients() -> None:
    op.create_table(
        "call_recipients",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("batch_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("to_address", sa.String(255), nullable=False),
        sa.Column("variables", Json(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("call_id", BigInt, nullable=True),
        sa.Column("due_at", Instant(), nullable=False),
        sa.Column("called_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_call_recipients"),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["call_batches.id"], name="fk_call_recipients_batch_id_call_batches", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("batch_id", "number", name="uq_call_recipients_batch_id_number"),
        sqlite_autoincrement=True,
    )
    due = ["batch_id", "status", "due_at", "number"]
    op.create_index("ix_call_recipients_batch_id_status_due_at_number", "call_recipients", due)
    op.create_index("ix_call_recipients_batch_id_called_at", "call_recipients", ["batch_id", "called_at"])
    calling = sa.text("status = 'calling'")
    op.create_index(
        "ix_call_recipients_open_call", "call_recipients", ["call_id"], sqlite_where=calling, postgresql_where=calling
    )
