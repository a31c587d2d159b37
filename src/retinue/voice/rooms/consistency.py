"""Verifies the recorded durations of participants, for `retinue check`."""

import math
from datetime import timedelta

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.voice.rooms.tables import PRESENT, room_participants

_PAGE = 1000
_LEFT = Statement(
    sa.select(room_participants)
    .where(room_participants.c.id > sa.bindparam("after", type_=BigInt), ~PRESENT)
    .order_by(room_participants.c.id)
    .limit(_PAGE)
)


async def find_wrong_seconds(database: Database) -> list[str]:
    """Return a message for each participant whose seconds do not fit their join and leave times."""
    faults: list[str] = []
    after = 0
    while rows := await database.query(_LEFT, after=after):
        faults += [
            f"participant {row.id} has {row.seconds} s in a room, from {row.joined_at} to {row.left_at}"
            for row in rows
            if not 0 <= row.seconds <= _longest(row)
        ]
        after = rows[-1].id
    return faults


def _longest(row: Row) -> int:
    """Return the seconds between joining and leaving. After a node died, the record has fewer: up to `seen_at`."""
    stay: timedelta = row.left_at - row.joined_at
    return math.ceil(stay.total_seconds())
