"""Sources know the bytes of their tools, which count as storage, and whether an MCP server's hints are trusted.

None are trusted so far: the tools of MCP servers become as strict as those of servers without hints.
"""

import orjson
import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_STRICT = {"read_only": False, "destructive": True, "idempotent": False, "open_world": True}
_big_int = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_sources = sa.table(
    "tool_sources",
    sa.column("id", sa.BigInteger),
    sa.column("account_id", sa.BigInteger),
    sa.column("kind", sa.String),
    sa.column("size", sa.BigInteger),
)
_tools = sa.table(
    "imported_tools",
    sa.column("id", sa.BigInteger),
    sa.column("source_id", sa.BigInteger),
    sa.column("definition", sa.Text),
)
_counters = sa.table(
    "counters",
    sa.column("account_id", sa.BigInteger),
    sa.column("name", sa.String),
    sa.column("value", sa.BigInteger),
)


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("tool_sources", sa.Column("size", _big_int, nullable=False, server_default=sa.text("0")))
    op.add_column("tool_sources", sa.Column("trust_hints", sa.Boolean, nullable=False, server_default=sa.false()))
    connection = op.get_bind()
    for source in connection.execute(sa.select(_sources.c.id, _sources.c.account_id, _sources.c.kind)).all():
        _bring_forward(connection, source.id, source.account_id, strict=source.kind == "mcp")


def _bring_forward(connection: sa.Connection, source: int, account: int, *, strict: bool) -> None:
    """Make the tools of a source strict, and count their bytes."""
    size = 0
    tools = sa.select(_tools.c.id, _tools.c.definition).where(_tools.c.source_id == source)
    for tool in connection.execute(tools).all():
        definition = tool.definition
        if strict:
            definition = orjson.dumps({**orjson.loads(definition), **_STRICT}).decode()
            connection.execute(sa.update(_tools).where(_tools.c.id == tool.id).values(definition=definition))
        size += len(definition.encode())
    connection.execute(sa.update(_sources).where(_sources.c.id == source).values(size=size))
    held = (_counters.c.account_id == account) & (_counters.c.name == "stored_bytes")
    connection.execute(sa.update(_counters).where(held).values(value=_counters.c.value + size))
