"""Conversations of OpenAI's API: lists of items that the server keeps."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json, id_column

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "item_conversations",
        id_column(),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("public_id", sa.String(40), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("untrusted", sa.String(200)),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("updated_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_item_conversations"),
        sa.UniqueConstraint("public_id", name="uq_item_conversations_public_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_item_conversations_account_id_id", "item_conversations", ["account_id", "id"])
    op.create_table(
        "conversation_items",
        id_column(),
        sa.Column("conversation_id", BigInt, nullable=False),
        sa.Column("public_id", sa.String(100), nullable=False),
        sa.Column("item", Json),
        sa.Column("run_id", BigInt),
        sa.Column("known", sa.Integer),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["item_conversations.id"],
            name="fk_conversation_items_conversation_id_item_conversations",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_conversation_items"),
        sa.UniqueConstraint("conversation_id", "public_id", name="uq_conversation_items_conversation_id_public_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_conversation_items_conversation_id_id", "conversation_items", ["conversation_id", "id"])
