"""Usage has the parts of its tokens and the cost of its model calls; agents and API keys have budgets in USD."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_COST = ("cost_micros", "cost_rest")
_USAGE = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens", "unpriced_tokens", *_COST)


def upgrade() -> None:
    """Bring the schema forward. What the tokens so far cost is not known."""
    for table, names in (("ledger", _USAGE), ("usage_days", _USAGE), ("budget_uses", _COST)):
        for name in names:
            op.add_column(table, sa.Column(name, BigInt, nullable=False, server_default="0"))
    for table in ("ledger", "usage_days"):
        op.execute(f"UPDATE {table} SET unpriced_tokens = tokens WHERE tokens > 0")  # noqa: S608 - constants only
    for spender in ("agents", "api_keys"):
        op.add_column(spender, sa.Column("monthly_cost_usd", sa.String(20), nullable=True))
