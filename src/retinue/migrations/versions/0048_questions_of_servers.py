"""Questions of imported servers, which people answer as they decide on approvals."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import Json

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("approvals", sa.Column("question", Json))
    op.add_column("approvals", sa.Column("answer", Json))
