"""The table of connections."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table

connections = table(
    "connections",
    id_column(),
    sa.Column("account_id", BigInt, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("settings", Json, nullable=False),
    sa.Column("secret", sa.Text, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Column("last_used_at", Instant),
    sa.Column("last_test", Json),
    sa.UniqueConstraint("account_id", "name"),
    sa.Index(None, "account_id", "id"),
)
"""`secret` is encrypted. `last_test` is the outcome of the last test; null if none ran since the last change."""

OWNED = (Owned(connections.c.account_id, hidden=("secret", "last_test")),)
