"""The workspace of an account: records of many kinds, their indexed words, and their vectors."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table

NAME_CHARACTERS = 600

_ByCodePoint = sa.String(NAME_CHARACTERS).with_variant(sa.String(NAME_CHARACTERS, collation="C"), "postgresql")
"""Names sort by code point on both databases, so that a prefix is a range."""

records = table(
    "workspace_records",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("parent", BigInt, nullable=False),
    sa.Column("name", _ByCodePoint, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("body", Json, nullable=False),
    sa.Column("size", BigInt, nullable=False),
    sa.Column("version", BigInt, nullable=False),
    sa.Column("untrusted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.UniqueConstraint("account_id", "kind", "parent", "name"),
    sa.Index(None, "account_id", "id"),
    sa.Index("ix_workspace_records_state", "account_id", "kind", "parent", "state", "at"),
)
"""`parent` is the id of the parent record, or 0; `at` is the time it is due, begins, ends or was stored, depending on
its kind; `size` is the bytes it counts in storage; `version` increases with every change; `untrusted` says that a run
which had read untrusted content wrote it.
"""


def _record_column(*, primary_key: bool) -> sa.Column[int]:
    key = sa.ForeignKey(records.c.id, ondelete="CASCADE")
    return sa.Column("record_id", BigInt, key, primary_key=primary_key, autoincrement=False, nullable=False)


words = table(
    "workspace_words",
    sa.Column("account_id", BigInt, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("word", sa.String(40), primary_key=True),
    _record_column(primary_key=True),
    sa.Column("times", sa.Integer, nullable=False),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Index(None, "record_id"),
)
"""`times` is the number of occurrences of a word in a record whose text has `length` words."""

vectors = table(
    "workspace_vectors",
    _record_column(primary_key=True),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("signature", sa.LargeBinary(32), nullable=False),
    sa.Column("vector", sa.LargeBinary(1024), nullable=False),
    sa.Index("ix_workspace_vectors_signature", "account_id", "kind", "record_id", "signature"),
)
"""`vector` is 256 little-endian 32-bit floats; `signature` has one bit for the sign of each."""

OWNED = (
    Owned(words.c.account_id, exported=False),
    Owned(vectors.c.account_id, exported=False),
    Owned(records.c.account_id, batch=20),
)
