"""Operators choose the local model of all servers."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "local_activations",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_local_activations"),
        sqlite_autoincrement=True,
    )
