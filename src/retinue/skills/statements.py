"""SQL statements for skills. Each one filters by the owning account."""

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.skills.tables import skills

_OURS = skills.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (skills.c.id == sa.bindparam("skill", type_=BigInt), _OURS)
_COLUMNS = [column for column in skills.c if column.name not in {"account_id", "files"}]
_RECORD = [*_COLUMNS, skills.c.files]
_CONTENT = ("name", "description", "frontmatter", "files", "has_scripts", "file_id", "size", "version", "updated_at")

INSERT = Statement(sa.insert(skills).returning(*_RECORD), ["account_id", *_CONTENT, "created_at"])
GET = Statement(sa.select(*_RECORD).where(*_THIS))
LOCK = Statement(sa.select(*_RECORD).where(*_THIS).with_for_update())
BY_NAME = Statement(sa.select(*_RECORD).where(skills.c.name == sa.bindparam("called", type_=sa.String), _OURS))
LIST = newest_first(sa.select(*_COLUMNS), skills.c.id, _OURS)
LIST_WITH_FILES = newest_first(sa.select(*_RECORD), skills.c.id, _OURS)
COUNT = Statement(sa.select(sa.func.count().label("held")).where(_OURS))
CHOSEN = Statement(
    sa.select(skills.c.id, skills.c.name, skills.c.description, skills.c.has_scripts)
    .where(among(skills.c.id, "these"), _OURS)
    .order_by(skills.c.name)
)
"""What the prompt of an agent and its tools say of its skills."""

UPDATE = Statement(
    sa.update(skills)
    .where(*_THIS)
    .values(**{name: sa.bindparam(f"new_{name}", type_=skills.c[name].type) for name in _CONTENT})
)
DELETE = Statement(sa.delete(skills).where(*_THIS).returning(skills.c.file_id))
