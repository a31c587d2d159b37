"""Leases on simulated conversations whose words are spoken."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    for column in (
        sa.Column("epoch", BigInt, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double, nullable=False, server_default="0"),
    ):
        op.add_column("simulated_conversations", column)
