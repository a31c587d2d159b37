"""SQL statements of do-not-call lists, filtered by account."""

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.voice.do_not_call.tables import do_not_call

_OURS = do_not_call.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (do_not_call.c.id == sa.bindparam("entry", type_=BigInt), _OURS)

INSERT = Statement(sa.insert(do_not_call).returning(do_not_call), ["account_id", "number", "note", "created_at"])
GET = Statement(sa.select(do_not_call).where(*_THIS))
BY_NUMBER = Statement(
    sa.select(do_not_call).where(_OURS, do_not_call.c.number == sa.bindparam("called", type_=sa.String))
)
LISTED = Statement(sa.select(do_not_call.c.number).where(_OURS, among(do_not_call.c.number, "numbers")))
LIST = newest_first(sa.select(do_not_call), do_not_call.c.id, _OURS)
COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(do_not_call).where(_OURS))
DELETE = Statement(sa.delete(do_not_call).where(*_THIS))
