"""Schedules and their history."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    _add_schedules()
    _add_schedule_runs()
    op.create_table(
        "schedule_watch",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("beat", sa.Double(), nullable=False),
        sa.Column("up_since", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_watch")),
    )
    op.execute("INSERT INTO schedule_watch (id, beat, up_since) VALUES (1, 0, 0)")
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'schedules', 0 FROM accounts")


def _add_schedules() -> None:
    op.create_table(
        "schedules",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("cron", sa.String(length=200), nullable=True),
        sa.Column("at", Instant(), nullable=True),
        sa.Column("timezone", sa.String(length=64), nullable=False),
        sa.Column("agent_id", BigInt, nullable=True),
        sa.Column("fleet_id", BigInt, nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("task", sa.String(length=2000), nullable=True),
        sa.Column("overlap", sa.String(length=16), nullable=False),
        sa.Column("missed", sa.String(length=16), nullable=False),
        sa.Column("jitter_s", sa.Integer(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("scopes", Json(), nullable=False),
        sa.Column("next_at", Instant(), nullable=True),
        sa.Column("waiting_id", BigInt, nullable=True),
        sa.Column("runs_count", BigInt, server_default="0", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedules")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_schedules_account_id_id"), "schedules", ["account_id", "id"])
    _add_partial_index("schedules", "lease", ["lease_until"], "lease_until < 1e12")
    _add_partial_index("schedules", "due", ["account_id", "lease_until", "id"], "lease_until < 1e12")
    _add_partial_index("schedules", "waiting", ["id"], "waiting_id IS NOT NULL")


def _add_schedule_runs() -> None:
    op.create_table(
        "schedule_runs",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("schedule_id", BigInt, nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("due_at", Instant(), nullable=False),
        sa.Column("manual", sa.Boolean(), nullable=False),
        sa.Column("missed_since", Instant(), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("run_id", BigInt, nullable=True),
        sa.Column("deployment_id", BigInt, nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("fired_at", Instant(), nullable=True),
        sa.Column("settled_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["schedules.id"],
            name=op.f("fk_schedule_runs_schedule_id_schedules"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_runs")),
        sa.UniqueConstraint("schedule_id", "due_at", name=op.f("uq_schedule_runs_schedule_id_due_at")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_schedule_runs_schedule_id_id"), "schedule_runs", ["schedule_id", "id"])
    op.create_index(
        "ix_schedule_runs_open",
        "schedule_runs",
        ["schedule_id"],
        sqlite_where=sa.text("settled_at IS NULL"),
        postgresql_where=sa.text("settled_at IS NULL"),
    )


def _add_partial_index(table: str, name: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(f"ix_{table}_open_{name}", table, columns, sqlite_where=where, postgresql_where=where)
