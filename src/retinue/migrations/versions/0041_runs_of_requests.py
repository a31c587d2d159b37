"""The run that a request started, in the log of requests."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("api_requests", sa.Column("run_id", BigInt, nullable=True))
