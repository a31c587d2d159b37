"""Collections of documents, the knowledge of agents, and the sources that replies cite."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_OPEN = sa.text("status IN ('queued', 'reading', 'indexing', 'deleting')")


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "knowledge_collections",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("description", sa.String(1000), nullable=False),
        sa.Column("embedding_model", sa.String(100), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_collections"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_knowledge_collections_account_id_id", "knowledge_collections", ["account_id", "id"])
    op.create_table(
        "knowledge_documents",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("collection_id", BigInt, nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("source", Json(), nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("metadata", Json(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("passages", sa.Integer, nullable=False),
        sa.Column("served", BigInt, nullable=False),
        sa.Column("size", BigInt, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.Column("epoch", BigInt, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_documents"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_knowledge_documents_account_id_id", "knowledge_documents", ["account_id", "id"])
    op.create_index("ix_knowledge_documents_collection_id_id", "knowledge_documents", ["collection_id", "id"])
    op.create_index(
        "ix_knowledge_documents_open_lease",
        "knowledge_documents",
        ["lease_until"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_index(
        "ix_knowledge_documents_open_due",
        "knowledge_documents",
        ["account_id", "lease_until", "id"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_table(
        "knowledge_passages",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("collection_id", BigInt, nullable=False),
        sa.Column("document_id", BigInt, nullable=False),
        sa.Column("version", BigInt, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("page", sa.Integer),
        sa.Column("section", sa.String(300)),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("model", sa.String(100)),
        sa.Column("vector", sa.LargeBinary),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_passages"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_knowledge_passages_account_id_id", "knowledge_passages", ["account_id", "id"])
    op.create_index("ix_knowledge_passages_place", "knowledge_passages", ["document_id", "version", "number"])
    op.create_index("ix_knowledge_passages_collection_id_id", "knowledge_passages", ["collection_id", "id"])
    op.create_table(
        "knowledge_words",
        sa.Column("collection_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("word", sa.String(40), nullable=False),
        sa.Column("passage_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(
            ["passage_id"],
            ["knowledge_passages.id"],
            name="fk_knowledge_words_passage_id_knowledge_passages",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", "word", "passage_id", name="pk_knowledge_words"),
    )
    op.create_index("ix_knowledge_words_passage_id", "knowledge_words", ["passage_id"])
    op.add_column("agents", sa.Column("knowledge", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("runs", sa.Column("passages", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("citations", sa.Text(), nullable=True))
