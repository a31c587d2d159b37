"""Telephone calls and what is said on them; rooms and who was in them."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    _add_calls()
    _add_rooms()
    op.create_table(
        "call_turns",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("call_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("speaker", sa.String(length=8), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("run_id", BigInt, nullable=True),
        sa.Column("interrupted", sa.Boolean(), nullable=False),
        sa.Column("timing", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["call_id"], ["calls.id"], name=op.f("fk_call_turns_call_id_calls"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call_turns")),
        sa.UniqueConstraint("call_id", "number", name=op.f("uq_call_turns_call_id_number")),
        sqlite_autoincrement=True,
    )
    op.execute("INSERT INTO counters (account_id, name, value) SELECT id, 'calls', 0 FROM accounts")


def _add_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("credential", sa.String(length=64), nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("agent_id", BigInt, nullable=True),
        sa.Column("direction", sa.String(length=8), nullable=False),
        sa.Column("to_address", sa.String(length=255), nullable=False),
        sa.Column("from_address", sa.String(length=255), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("voice_engine", sa.String(length=16), nullable=False),
        sa.Column("greeting", sa.Text(), nullable=True),
        sa.Column("record", sa.Boolean(), nullable=False),
        sa.Column("max_seconds", sa.Integer(), nullable=False),
        sa.Column("transcript", sa.Text(), nullable=False),
        sa.Column("turns_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("conversation_id", sa.String(length=40), nullable=True),
        sa.Column("recording_file_id", sa.String(length=40), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("hangup_requested", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("duration_seconds", sa.Integer(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("answered_at", Instant(), nullable=True),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calls")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_calls_account_id_id"), "calls", ["account_id", "id"])
    for name, column in (("lease", "lease_until"), ("credential", "credential")):
        open_calls = sa.text("ended_at IS NULL")
        op.create_index(
            f"ix_calls_open_{name}", "calls", [column], sqlite_where=open_calls, postgresql_where=open_calls
        )


def _add_rooms() -> None:
    op.create_table(
        "rooms",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("max_participants", sa.Integer(), nullable=False),
        sa.Column("voice_engine", sa.String(length=16), nullable=False),
        sa.Column("agent_id", BigInt, nullable=True),
        sa.Column("pin", sa.String(length=8), nullable=False),
        sa.Column("transcript", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.String(length=40), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rooms")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "room_participants",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("room_id", BigInt, nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("node", sa.String(length=32), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.Column("joined_at", Instant(), nullable=False),
        sa.Column("left_at", Instant(), nullable=True),
        sa.Column("seconds", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["room_id"], ["rooms.id"], name=op.f("fk_room_participants_room_id_rooms"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_room_participants")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_room_participants_room_id_id"), "room_participants", ["room_id", "id"])
    op.create_index(op.f("ix_rooms_account_id_id"), "rooms", ["account_id", "id"])
    present, open_rooms = sa.text("left_at IS NULL"), sa.text("ended_at IS NULL")
    op.create_index(
        "ix_room_participants_open_seen",
        "room_participants",
        ["seen_at"],
        sqlite_where=present,
        postgresql_where=present,
    )
    op.create_index(
        "ix_rooms_open_account", "rooms", ["account_id", "id"], sqlite_where=open_rooms, postgresql_where=open_rooms
    )
