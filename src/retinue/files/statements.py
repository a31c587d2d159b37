"""SQL statements for files. All that a caller can reach filter by account."""

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.files.tables import files

_OURS = files.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (files.c.public_id == sa.bindparam("public", type_=sa.String), _OURS)
_COLUMNS = (
    files.c.public_id.label("id"),
    *(files.c[name] for name in ("name", "media_type", "size", "sha256", "created_at")),
)

INSERT = Statement(
    sa.insert(files).returning(*_COLUMNS),
    ["account_id", "public_id", "name", "media_type", "size", "sha256", "created_at"],
)
GET = Statement(sa.select(*_COLUMNS).where(*_THIS))
SAME = Statement(
    sa.select(files.c.public_id.label("id"))
    .where(
        _OURS,
        files.c.sha256 == sa.bindparam("digest", type_=sa.String),
        files.c.media_type == sa.bindparam("kind", type_=sa.String),
    )
    .order_by(files.c.id)
    .limit(1)
)
"""A file of the account with this content."""
NAMED = Statement(sa.select(*_COLUMNS).where(among(files.c.public_id, "names"), _OURS))
LIST = newest_first(sa.select(*_COLUMNS), files.c.id, _OURS)
_BOUND = (
    sa.select(files.c.id)
    .where(files.c.public_id == sa.bindparam("after", type_=sa.String), _OURS)
    .correlate(None)
    .scalar_subquery()
)
_AT_MOST = sa.bindparam("at_most", type_=sa.Integer)
FIRST_DOWN, FIRST_UP = (
    Statement(sa.select(*_COLUMNS).where(_OURS).order_by(order).limit(_AT_MOST))
    for order in (files.c.id.desc(), files.c.id.asc())
)
DOWN, UP = (
    Statement(sa.select(*_COLUMNS).where(_OURS, beyond).order_by(order).limit(_AT_MOST))
    for beyond, order in ((files.c.id < _BOUND, files.c.id.desc()), (files.c.id > _BOUND, files.c.id.asc()))
)
"""The files before and after one, for clients that page by the last file that they have seen."""
DELETE = Statement(sa.delete(files).where(*_THIS).returning(files.c.size))
KNOWN = Statement(sa.select(files.c.public_id).where(among(files.c.public_id, "names")))
