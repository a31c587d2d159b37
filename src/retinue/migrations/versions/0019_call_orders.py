"""Orders to calls reach the node that runs them; minutes of calls are counted by credential."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "call_orders",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("call_id", BigInt, nullable=False),
        sa.Column("action", sa.String(length=8), nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["call_id"], ["calls.id"], name=op.f("fk_call_orders_call_id_calls"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call_orders")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_call_orders_call_id"), "call_orders", ["call_id"])
    op.create_index(op.f("ix_calls_credential_created_at"), "calls", ["credential", "created_at"])
