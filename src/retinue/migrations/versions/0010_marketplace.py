"""The marketplace: items, ratings, and what accounts have installed."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    _create_items()
    op.create_table(
        "marketplace_ratings",
        sa.Column("item_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("user_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("stars", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"],
            ["marketplace_items.id"],
            name=op.f("fk_marketplace_ratings_item_id_marketplace_items"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_marketplace_ratings_user_id_users")),
        sa.PrimaryKeyConstraint("item_id", "user_id", name=op.f("pk_marketplace_ratings")),
    )
    op.create_index(op.f("ix_marketplace_ratings_user_id"), "marketplace_ratings", ["user_id"])
    _create_installations()


def _create_items() -> None:
    op.create_table(
        "marketplace_items",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("user_id", BigInt, nullable=True),
        sa.Column("author", sa.String(length=100), nullable=False),
        sa.Column("type", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.String(length=500), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("tier", sa.String(length=20), nullable=False),
        sa.Column("tags", Json(), nullable=False),
        sa.Column("readme", sa.Text(), nullable=False),
        sa.Column("manifest", Json(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("draft", Json(), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("rating", sa.Float(), server_default="0", nullable=False),
        sa.Column("ratings_count", BigInt, server_default="0", nullable=False),
        sa.Column("installs", BigInt, server_default="0", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_marketplace_items_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_marketplace_items")),
        sa.UniqueConstraint("slug", name=op.f("uq_marketplace_items_slug")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_marketplace_items_user_id"), "marketplace_items", ["user_id"])


def _create_installations() -> None:
    op.create_table(
        "marketplace_installations",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("item_id", BigInt, nullable=False),
        sa.Column("once", BigInt, nullable=True),
        sa.Column("type", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("manifest", Json(), nullable=False),
        sa.Column("installed", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_marketplace_installations")),
        sa.UniqueConstraint("account_id", "once", name=op.f("uq_marketplace_installations_account_id_once")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_marketplace_installations_account_id_id"), "marketplace_installations", ["account_id", "id"]
    )
