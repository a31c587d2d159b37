"""Steps keep what the provider reported, runs their usage and cost; messages may be sent to a run or replaced."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("runs", sa.Column("usage", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("cost_usd", sa.String(40), nullable=True))
    op.add_column("runs", sa.Column("finish_reason", sa.String(16), nullable=True))
    op.add_column("runs", sa.Column("output", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("inbox", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("messages", sa.Column("details", sa.Text(), nullable=True))
    op.add_column("messages", sa.Column("replaced", sa.Boolean(), nullable=False, server_default=sa.false()))
