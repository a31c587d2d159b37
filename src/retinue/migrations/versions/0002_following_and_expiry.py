"""Where in its journal a run speaks, and until when old records were removed."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("runs", sa.Column("reply_seq", sa.Integer(), nullable=True))
    op.create_table(
        "expiries",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("expired_until", Instant(), nullable=True),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_expiries")),
    )
