"""Monthly budgets of agents and API keys."""

import sqlalchemy as sa
from alembic import op

from retinue.core.schema import BigInt

revision = "0014"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    for spender in ("agents", "api_keys"):
        for name in ("monthly_tokens", "monthly_credits"):
            op.add_column(spender, sa.Column(name, BigInt, nullable=True))
    for name in ("agent_id", "key_id"):
        op.add_column("ledger", sa.Column(name, BigInt, nullable=True))
    op.add_column("schedules", sa.Column("key_id", BigInt, nullable=True))
    op.create_table(
        "budget_uses",
        sa.Column("account_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("spender", sa.String(length=8), nullable=False),
        sa.Column("spender_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("period", sa.String(length=7), nullable=False),
        sa.Column("tokens", BigInt, nullable=False),
        sa.Column("credits", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "spender", "spender_id", "period", name=op.f("pk_budget_uses")),
    )
