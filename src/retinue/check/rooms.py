"""The rules of rooms."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import children_of
from retinue.core.database.statements import Statement
from retinue.voice.rooms.tables import room_events, room_participants, rooms

RULES: Mapping[str, Statement] = {
    "a room is closed and has no end, or the reverse": Statement(
        sa.select(rooms.c.id).where((rooms.c.status == "closed") != rooms.c.ended_at.is_not(None))
    ),
    "a room's count of events is wrong": children_of(rooms, rooms.c.events_count, room_events, room_events.c.room_id),
    "a participant belongs to another account than the room": Statement(
        sa.select(room_participants.c.id)
        .join(rooms, rooms.c.id == room_participants.c.room_id)
        .where(room_participants.c.account_id != rooms.c.account_id)
    ),
    "a participant has seconds but has not left the room": Statement(
        sa.select(room_participants.c.id).where(room_participants.c.left_at.is_(None), room_participants.c.seconds != 0)
    ),
}
