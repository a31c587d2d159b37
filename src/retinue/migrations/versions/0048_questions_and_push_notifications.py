"""Questions of imported servers, and push notifications of A2A.

People answer questions as they decide on approvals. A push notification is an endpoint of the webhook outbox that
belongs to a run.
"""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Json

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

_WITH_RUN = sa.text("run_id IS NOT NULL")


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("approvals", sa.Column("question", Json))
    op.add_column("approvals", sa.Column("answer", Json))
    op.add_column("webhook_endpoints", sa.Column("run_id", BigInt))
    op.add_column("webhook_endpoints", sa.Column("task", Json))
    op.create_index(
        "ix_webhook_endpoints_run",
        "webhook_endpoints",
        ["run_id"],
        sqlite_where=_WITH_RUN,
        postgresql_where=_WITH_RUN,
    )
