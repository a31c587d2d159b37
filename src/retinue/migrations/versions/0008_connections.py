"""Connections: named credentials of an account, which sources of tools may use."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "connections",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("settings", Json(), nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.Column("last_used_at", Instant()),
        sa.Column("last_test", Json()),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_connections_account_id_accounts"),
        sa.PrimaryKeyConstraint("id", name="pk_connections"),
        sa.UniqueConstraint("account_id", "name", name="uq_connections_account_id_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_connections_account_id_id", "connections", ["account_id", "id"])
    # SQLite adds a column with its foreign key, and a foreign key alone only by making the table anew.
    number = BigInt.compile(op.get_bind().dialect)
    op.execute(
        f"ALTER TABLE tool_sources ADD COLUMN connection_id {number} "
        "CONSTRAINT fk_tool_sources_connection_id_connections REFERENCES connections (id)"
    )
    op.create_index("ix_tool_sources_connection_id", "tool_sources", ["connection_id"])
