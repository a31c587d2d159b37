"""Files. A row means that the file of that id is complete on the disk: it is written last and deleted first."""

import sqlalchemy as sa

from retinue.core.database.schema import BigInt, Instant, id_column, table

files = table(
    "files",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("public_id", sa.String(40), nullable=False, unique=True),
    sa.Column("name", sa.String(255), nullable=False),
    sa.Column("media_type", sa.String(255), nullable=False),
    sa.Column("size", BigInt, nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)
"""`size` is in bytes, `sha256` in hexadecimal."""
