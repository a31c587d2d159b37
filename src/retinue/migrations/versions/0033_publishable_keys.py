"""Publishable keys, the threads of their visitors, and the key by which a visitor opened a conversation."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "publishable_keys",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("agent_id", BigInt, nullable=False),
        sa.Column("token", sa.String(40), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("origins", Json(), nullable=False),
        sa.Column("page_enabled", sa.Boolean(), nullable=False),
        sa.Column("accepts_files", sa.Boolean(), nullable=False),
        sa.Column("daily_messages", BigInt, nullable=False),
        sa.Column("visitor_daily_messages", BigInt, nullable=False),
        sa.Column("appearance", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant()),
        sa.Column("revoked_at", Instant()),
        sa.Column("successor_id", BigInt),
        sa.Column("last_used_at", Instant()),
        sa.Column("day", sa.String(10), nullable=False, server_default=""),
        sa.Column("messages_today", BigInt, nullable=False, server_default="0"),
        sa.Column("messages", BigInt, nullable=False, server_default="0"),
        sa.Column("conversations", BigInt, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_publishable_keys"),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name="fk_publishable_keys_agent_id_agents", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("token", name="uq_publishable_keys_token"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_publishable_keys_account_id", "publishable_keys", ["account_id"])
    op.create_index("ix_publishable_keys_agent_id", "publishable_keys", ["agent_id"])
    op.create_table(
        "threads",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("agent_id", BigInt, nullable=False),
        sa.Column("visitor", sa.String(64), nullable=False),
        sa.Column("thread_id", sa.String(100), nullable=False),
        sa.Column("conversation_id", BigInt, nullable=False),
        sa.Column("day", sa.String(10), nullable=False, server_default=""),
        sa.Column("messages_today", BigInt, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_threads"),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name="fk_threads_conversation_id_conversations",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint(
            "account_id", "agent_id", "visitor", "thread_id", name="uq_threads_account_id_agent_id_visitor_thread_id"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_threads_conversation_id", "threads", ["conversation_id"])
    op.add_column("conversations", sa.Column("publishable_key_id", BigInt, nullable=True))
