"""Manifests of marketplace items are signed."""

import json

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_ITEMS = sa.table("marketplace_items", sa.column("id", BigInt), sa.column("draft", sa.Text))


def upgrade() -> None:
    """Bring the schema forward. Items that users have published stay unsigned until they publish a new version."""
    op.add_column("marketplace_items", sa.Column("signature", Json(), nullable=True))
    op.create_table(
        "marketplace_keys",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=False),
        sa.Column("user_id", BigInt, nullable=True),
        sa.Column("private_key", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_marketplace_keys_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_marketplace_keys")),
        sa.UniqueConstraint("key_id", name=op.f("uq_marketplace_keys_key_id")),
        sa.UniqueConstraint("user_id", name=op.f("uq_marketplace_keys_user_id")),
        sqlite_autoincrement=True,
    )
    connection = op.get_bind()
    for item in connection.execute(sa.select(_ITEMS).where(_ITEMS.c.draft.is_not(None))).fetchall():
        draft = json.dumps({**json.loads(item.draft), "signature": None})
        connection.execute(sa.update(_ITEMS).where(_ITEMS.c.id == item.id).values(draft=draft))
