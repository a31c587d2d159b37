"""The first steps that a user has done."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("users", sa.Column("first_steps", sa.String(200), nullable=False, server_default=""))
