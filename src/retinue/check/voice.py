"""The rules of calls and rooms."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import children_of, count_of
from retinue.core.database.statements import Statement
from retinue.voice.calls.tables import call_events, call_turns, calls
from retinue.voice.rooms.tables import room_events, room_participants, rooms

RULES: Mapping[str, Statement] = {
    "the counter of calls is wrong": count_of(calls, "calls"),
    "a call's count of turns is wrong": children_of(calls, calls.c.turns_count, call_turns, call_turns.c.call_id),
    "a call has ended without a final status, or the reverse": Statement(
        sa.select(calls.c.id).where(
            calls.c.ended_at.is_(None)
            != ((calls.c.status == "queued") | (calls.c.status == "ringing") | (calls.c.status == "in_progress"))
        )
    ),
    "a call that has ended is still leased": Statement(
        sa.select(calls.c.id).where(calls.c.ended_at.is_not(None), calls.c.lease_owner.is_not(None))
    ),
    "a call's count of events is wrong": children_of(calls, calls.c.events_count, call_events, call_events.c.call_id),
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
