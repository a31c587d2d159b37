"""The versions of the code that made stored words and vectors."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0046"
down_revision = "0044"
branch_labels = None
depends_on = None

_VERSIONS = {
    "knowledge words": "1",
    "knowledge vectors": "use-multilingual-v3/1",
    "memory vectors": "use-multilingual-v3/1",
    "workspace features": "1/1",
}
"""What the code of the revision before has stored."""


def upgrade() -> None:
    """Bring the schema forward."""
    features = op.create_table(
        "stored_features",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("version", sa.String(100), nullable=False),
        sa.Column("target", sa.String(100)),
        sa.Column("after", BigInt, server_default="0", nullable=False),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_stored_features"),
    )
    op.bulk_insert(features, [{"name": name, "version": version} for name, version in _VERSIONS.items()])
