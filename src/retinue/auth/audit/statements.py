"""SQL statements for the audit log, filtered by user. A test key reads only entries of the sandbox."""

import sqlalchemy as sa

from retinue.auth.audit.tables import audit_entries
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH

EXPORTED_AT_ONCE = 500
"""Maximum number of entries that an export holds in memory."""

_action = sa.bindparam("wanted_action", type_=sa.String)
_credential = sa.bindparam("wanted_credential", type_=sa.String)
_since = sa.bindparam("since", type_=Instant)
_until = sa.bindparam("until", type_=Instant)
_FILTERS = (
    audit_entries.c.user_id == sa.bindparam("user", type_=BigInt),
    audit_entries.c.sandbox >= sa.bindparam("sandbox", type_=sa.Boolean),
    sa.or_(_action.is_(None), audit_entries.c.action == _action),
    sa.or_(_credential.is_(None), audit_entries.c.credential == _credential),
    audit_entries.c.created_at >= _since,
    audit_entries.c.created_at < _until,
)
"""A live credential reads live and sandbox entries, a test key only sandbox entries: false sorts before true."""

INSERT = Statement(
    sa.insert(audit_entries),
    [column.name for column in audit_entries.c if column.name != "id"],
)
LIST = Statement(
    sa.select(audit_entries)
    .where(*_FILTERS)
    .order_by(audit_entries.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
EXPORT = Statement(
    sa.select(audit_entries)
    .where(*_FILTERS, audit_entries.c.id < sa.bindparam("before", type_=BigInt))
    .order_by(audit_entries.c.id.desc())
    .limit(EXPORTED_AT_ONCE)
)
COUNT = Statement(sa.select(sa.func.count().label("entries")).select_from(audit_entries).where(*_FILTERS))

OLDEST = Statement(
    sa.select(audit_entries.c.id, audit_entries.c.created_at)
    .where(audit_entries.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(audit_entries.c.id)
    .limit(BATCH)
)
REMOVE_UNTIL = Statement(sa.delete(audit_entries).where(audit_entries.c.id <= sa.bindparam("last", type_=BigInt)))
