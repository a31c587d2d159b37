"""Monthly budgets of agents and API keys; marketplace searches that weigh where a word stands."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Json

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


_ITEMS = sa.table(
    "marketplace_items",
    sa.column("id", BigInt),
    sa.column("name", sa.String),
    sa.column("tags", Json),
    sa.column("description", sa.String),
    sa.column("readme", sa.Text),
    sa.column("search_text", sa.Text),
)


def upgrade() -> None:
    """Bring the schema forward."""
    _add_budgets()
    _order_search_text()


def _order_search_text() -> None:
    connection = op.get_bind()
    for item in connection.execute(sa.select(_ITEMS)).fetchall():
        lines = (item.name, " ".join(item.tags), item.description, item.readme[:2000])
        text = "\n".join(" ".join(line.split()) for line in lines).lower()
        connection.execute(sa.update(_ITEMS).where(_ITEMS.c.id == item.id).values(search_text=text))


def _add_budgets() -> None:
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
