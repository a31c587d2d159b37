"""SQL statements that list participants and closed rooms."""

import sqlalchemy as sa

from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.voice.rooms.tables import OPEN, PRESENT, RoomRow, room_participants, rooms

_MOST = 100
"""Most participants in a room."""

_CLOSED = (rooms.c.account_id == sa.bindparam("account", type_=BigInt), ~OPEN)

PEOPLE = Statement(
    sa.select(*(room_participants.c[name] for name in ("id", "name", "kind", "muted", "joined_at")))
    .where(room_participants.c.room_id == sa.bindparam("room", type_=BigInt), PRESENT)
    .order_by(room_participants.c.id)
    .limit(_MOST)
)
CLOSED: Statement[RoomRow] = Statement(
    sa.select(rooms)
    .where(*_CLOSED)
    .order_by(rooms.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT_CLOSED = Statement(sa.select(sa.func.count().label("rooms")).where(*_CLOSED))
