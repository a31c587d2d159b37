"""Sources keep the address of their document, so that they can be read again without naming it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("tool_sources", sa.Column("document_url", sa.Text))
