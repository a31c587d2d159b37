"""The table of skills."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table

skills = table(
    "skills",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("description", sa.String(1024), nullable=False),
    sa.Column("frontmatter", Json, nullable=False),
    sa.Column("files", Json, nullable=False),
    sa.Column("has_scripts", sa.Boolean, nullable=False),
    sa.Column("file_id", sa.String(40), nullable=False),
    sa.Column("size", BigInt, nullable=False),
    sa.Column("version", BigInt, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.UniqueConstraint("account_id", "name"),
    sa.Index(None, "account_id", "id"),
)
"""`file_id` is the file of the account that holds all files of the skill, as an uncompressed zip. `files` lists them:
`path`, `size`, `sha256`, `media_type`, and `offset`, where the content begins in that file.
"""

OWNED = (Owned(skills.c.account_id),)
