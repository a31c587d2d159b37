"""Sources of imported tools, and the tools."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table

sources = table(
    "tool_sources",
    id_column(),
    sa.Column("account_id", BigInt, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("name", sa.String(16), nullable=False),
    sa.Column("category", sa.String(32), nullable=False),
    sa.Column("base_url", sa.Text, nullable=False),
    sa.Column("document_url", sa.Text),
    sa.Column("credential", sa.Text),
    sa.Column("connection_id", BigInt, sa.ForeignKey("connections.id"), index=True),
    sa.Column("tools", BigInt, nullable=False),
    sa.Column("size", BigInt, nullable=False, server_default=sa.text("0")),
    sa.Column("trust_hints", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("account_id", "name"),
    sa.Index(None, "account_id", "id"),
)
"""`document_url` is the address that the document was fetched from, if any; `credential` is encrypted, and null if
the source uses a connection or needs none; `tools` is the number of its tools, and `size` the bytes of their
definitions; `trust_hints` says whether an MCP server's hints count.
"""

imported_tools = table(
    "imported_tools",
    id_column(),
    sa.Column("source_id", BigInt, sa.ForeignKey("tool_sources.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("definition", sa.Text, nullable=False),
    sa.UniqueConstraint("account_id", "name"),
)
"""`definition` is the tool as JSON, which `retinue.tools.catalogue.imported_tool.decode` reads."""

OWNED = (Owned(imported_tools.c.account_id), Owned(sources.c.account_id, hidden=("credential",)))
