"""Simulations with sound."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("simulations", sa.Column("mode", sa.String(8), nullable=False, server_default="text"))
