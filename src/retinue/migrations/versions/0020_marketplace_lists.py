"""Each list of marketplace items has an index in its order; items that await moderation have a partial one."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_ORDERS: dict[str, list[sa.TextClause | str]] = {
    "popular": [sa.text("installs DESC"), sa.text("rating DESC"), "id"],
    "rating": [sa.text("rating DESC"), sa.text("ratings_count DESC"), "id"],
    "newest": ["id"],
}


def upgrade() -> None:
    """Bring the schema forward."""
    for name, order in _ORDERS.items():
        columns = [*order, "status", "type", "user_id"]
        op.create_index(f"ix_marketplace_items_{name}", "marketplace_items", columns)
    waiting = sa.text("status = 'pending' OR draft IS NOT NULL")
    op.create_index(
        "ix_marketplace_items_open_id", "marketplace_items", ["id"], sqlite_where=waiting, postgresql_where=waiting
    )
