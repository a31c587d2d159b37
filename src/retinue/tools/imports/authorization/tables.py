"""The authorizations of MCP servers."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, table

authorizations = table(
    "source_authorizations",
    sa.Column(
        "source_id",
        BigInt,
        sa.ForeignKey("tool_sources.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("account_id", BigInt, nullable=False, index=True),
    sa.Column("granted", sa.Boolean, nullable=False),
    sa.Column("challenge", Json, nullable=False),
    sa.Column("client", Json),
    sa.Column("secret", sa.Text),
    sa.Column("expires_at", Instant),
    sa.Column("version", BigInt, nullable=False),
    sa.Column("refreshing_until", Instant),
    sa.Column("pending", sa.Text),
    sa.Column("pending_key", sa.String(64), unique=True),
)
"""One row for each source whose server requires OAuth. `granted` is False while a person must connect it.

`challenge` is what the server required last. `client` describes the client and its authorization server, `secret` holds
the tokens and the client's secret, and `pending` an authorization that has begun, both encrypted; `pending_key` is the
hash of its state. `version` counts the changes of the tokens, and until `refreshing_until` only one process refreshes
them.
"""

OWNED = (Owned(authorizations.c.account_id, hidden=("challenge", "secret", "pending", "pending_key", "version")),)
