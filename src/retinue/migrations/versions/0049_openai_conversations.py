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
        "openai_conversations",
        id_column(),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("public_id", sa.String(40), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("untrusted", sa.String(200)),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("updated_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_openai_conversations"),
        sa.UniqueConstraint("public_id", name="uq_openai_conversations_public_id"),
    )
    op.create_index("ix_openai_conversations_account_id_id", "openai_conversations", ["account_id", "id"])
    op.create_table(
        "openai_conversation_items",
        id_column(),
        sa.Column("conversation_id", BigInt, nullable=False),
        sa.Column("public_id", sa.String(100), nullable=False),
        sa.Column("item", Json),
        sa.Column("run_id", BigInt),
        sa.Column("known", sa.Integer),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["openai_conversations.id"],
            name="fk_openai_conversation_items_conversation_id_openai_conversations",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_openai_conversation_items"),
        sa.UniqueConstraint(
            "conversation_id", "public_id", name="uq_openai_conversation_items_conversation_id_public_id"
        ),
    )
    op.create_index(
        "ix_openai_conversation_items_conversation_id_id", "openai_conversation_items", ["conversation_id", "id"]
    )
