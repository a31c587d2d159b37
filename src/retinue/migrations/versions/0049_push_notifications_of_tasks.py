"""Push notifications of A2A: endpoints of the webhook outbox that belong to a run."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Json

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

_WITH_RUN = sa.text("run_id IS NOT NULL")


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("webhook_endpoints", sa.Column("run_id", BigInt))
    op.add_column("webhook_endpoints", sa.Column("task", Json))
    op.create_index(
        "ix_webhook_endpoints_run",
        "webhook_endpoints",
        ["run_id"],
        sqlite_where=_WITH_RUN,
        postgresql_where=_WITH_RUN,
    )
