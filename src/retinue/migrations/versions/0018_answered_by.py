"""Calls say whether a person or an answering machine answered."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("calls", sa.Column("machine_detection", sa.String(24), nullable=True))
    op.add_column("calls", sa.Column("answered_by", sa.String(8), nullable=True))
