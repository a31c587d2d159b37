"""SQL statements of rooms, filtered by account, room or the node that hosts the audio."""

import sqlalchemy as sa

from retinue.auth.tables import accounts
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.voice.rooms.tables import (
    LIVEKIT,
    OPEN,
    PRESENT,
    OccupiedRoom,
    ParticipantRow,
    RoomRow,
    room_events,
    room_participants,
    rooms,
)

_ROOM = sa.bindparam("room", type_=BigInt)
_OURS = rooms.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (rooms.c.id == _ROOM, _OURS)
_MOMENT = sa.bindparam("moment", type_=Instant)
_ONE = room_participants.c.id == sa.bindparam("participant", type_=BigInt)

_AT_LIVEKIT = room_participants.c.node == sa.literal_column(f"'{LIVEKIT}'", sa.String)

SILENT_S = 10.0
"""Seconds without a sign of life from a node after which its participants count as gone. Nodes report every 2.5 s."""

_COUNT = (
    sa.select(sa.func.count())
    .select_from(room_participants)
    .where(room_participants.c.room_id == rooms.c.id, PRESENT)
    .scalar_subquery()
    .label("participants")
)

INSERT: Statement[OccupiedRoom] = Statement(
    sa.insert(rooms).returning(*rooms.c, sa.literal_column("0", sa.Integer).label("participants")),
    [
        "account_id", "scopes", "name", "status", "max_participants", "voice_engine", "agent_id", "pin",
        "transcript", "created_at", "media",
    ],
)  # fmt: skip
GET: Statement[OccupiedRoom] = Statement(sa.select(*rooms.c, _COUNT).where(*_THIS))
HELD: Statement[OccupiedRoom] = Statement(sa.select(*rooms.c, _COUNT).where(rooms.c.id == _ROOM))
"""A room without an account filter, for holders of a token or a dial-in number and for the process that runs it."""

LIST: Statement[OccupiedRoom] = Statement(
    sa.select(*rooms.c, _COUNT)
    .where(_OURS, OPEN)
    .order_by(rooms.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(sa.select(sa.func.count().label("rooms")).where(_OURS, OPEN))
CLOSE = Statement(sa.update(rooms).where(*_THIS, OPEN).values(status="closed", ended_at=_MOMENT).returning(rooms.c.id))
LOCK: Statement[RoomRow] = Statement(
    sa.update(rooms).where(rooms.c.id == _ROOM, OPEN).values(status="active").returning(rooms)
)
"""Locks an open room, for a transaction that counts its participants."""

ADD_LINE = Statement(
    sa.update(rooms)
    .where(rooms.c.id == _ROOM)
    .values(
        transcript=rooms.c.transcript + sa.bindparam("line", type_=sa.Text),
        events_count=rooms.c.events_count + sa.literal_column("1"),
    )
    .returning(rooms.c.events_count)
)
COUNT_EVENT = Statement(
    sa.update(rooms)
    .where(rooms.c.id == _ROOM)
    .values(events_count=rooms.c.events_count + sa.literal_column("1"))
    .returning(rooms.c.events_count)
)
ADD_EVENT = Statement(
    sa.insert(room_events).values(
        {name: sa.bindparam(name, type_=room_events.c[name].type) for name in ("number", "type", "data", "created_at")}
        | {"room_id": _ROOM}
    )
)
EVENTS = Statement(
    sa.select(room_events.c.number, room_events.c.type, room_events.c.data, room_events.c.created_at)
    .where(room_events.c.room_id == _ROOM, room_events.c.number > sa.bindparam("behind", type_=sa.Integer))
    .order_by(room_events.c.number)
    .limit(100)
)
SET_CONVERSATION = Statement(
    sa.update(rooms).where(rooms.c.id == _ROOM).values(conversation_id=sa.bindparam("named", type_=sa.String))
)

IN_ROOM = Statement(
    sa.select(sa.func.count().label("participants")).where(room_participants.c.room_id == _ROOM, PRESENT)
)
ENTER: Statement[ParticipantRow] = Statement(
    sa.insert(room_participants)
    .values(
        {name: sa.bindparam(name, type_=room_participants.c[name].type) for name in ("room_id", "account_id", "name")}
        | {name: sa.bindparam(name, type_=room_participants.c[name].type) for name in ("kind", "node", "joined_at")}
        | {name: sa.bindparam(name, type_=room_participants.c[name].type) for name in ("identity", "sid")}
        | {"seen_at": unix_now()}
    )
    .returning(room_participants)
)
LEAVE: Statement[ParticipantRow] = Statement(
    sa.update(room_participants)
    .where(_ONE, PRESENT)
    .values(left_at=_MOMENT, seconds=sa.bindparam("length", type_=sa.Integer))
    .returning(room_participants)
)
PARTICIPANTS: Statement[ParticipantRow] = Statement(
    sa.select(room_participants)
    .where(room_participants.c.room_id == _ROOM)
    .order_by(room_participants.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT_PARTICIPANTS = Statement(
    sa.select(sa.func.count().label("participants")).where(room_participants.c.room_id == _ROOM)
)
_MEMBER = (_ONE, room_participants.c.room_id == _ROOM)
PARTICIPANT: Statement[ParticipantRow] = Statement(sa.select(room_participants).where(*_MEMBER))
SET_MUTED: Statement[ParticipantRow] = Statement(
    sa.update(room_participants)
    .where(*_MEMBER, PRESENT, room_participants.c.muted != sa.bindparam("mute", type_=sa.Boolean))
    .values(muted=sa.bindparam("mute", type_=sa.Boolean))
    .returning(room_participants)
)
REMOVE: Statement[ParticipantRow] = Statement(
    sa.update(room_participants).where(*_MEMBER).values(removed=True).returning(room_participants)
)
REMOVED = Statement(
    sa.select(room_participants.c.id)
    .where(
        room_participants.c.room_id == _ROOM,
        room_participants.c.identity == sa.bindparam("token", type_=sa.String),
        room_participants.c.removed,
    )
    .limit(1)
)
"""A participant who joined with a token and was removed."""

CONSTRAINED = Statement(
    sa.select(room_participants.c.id, room_participants.c.muted, room_participants.c.removed).where(
        room_participants.c.room_id == _ROOM, PRESENT
    )
)
"""The participants in a room, with their mute and removal flags."""

SET_SECONDS = Statement(
    sa.update(room_participants).where(_ONE).values(seconds=sa.bindparam("length", type_=sa.Integer))
)
SEEN = Statement(
    sa.update(room_participants).where(among(room_participants.c.id, "held"), PRESENT).values(seen_at=unix_now())
)
GONE: Statement[ParticipantRow] = Statement(
    sa.select(room_participants)
    .where(PRESENT, ~_AT_LIVEKIT, room_participants.c.seen_at < sa.select(unix_now() - SILENT_S).scalar_subquery())
    .order_by(room_participants.c.seen_at)
    .limit(50)
)
BILLED = Statement(
    sa.select(accounts.c.id).where(
        accounts.c.id == sa.bindparam("account", type_=BigInt), accounts.c.sandbox.is_(False)
    )
)
"""An account whose usage is billed, which excludes sandbox accounts."""

ELSEWHERE = Statement(
    sa.select(room_participants.c.node)
    .where(
        room_participants.c.room_id == _ROOM,
        PRESENT,
        room_participants.c.node != sa.bindparam("owner", type_=sa.String),
    )
    .limit(1)
)

BY_SID = Statement(
    sa.select(room_participants.c.id).where(
        room_participants.c.room_id == _ROOM, room_participants.c.sid == sa.bindparam("stay", type_=sa.String)
    )
)
"""A participant session at LiveKit, current or past."""

AT_LIVEKIT = Statement(
    sa.select(room_participants.c.id, room_participants.c.sid).where(
        room_participants.c.room_id == _ROOM, PRESENT, _AT_LIVEKIT
    )
)
BUSY_AT_LIVEKIT = Statement(sa.select(room_participants.c.room_id.label("id")).where(PRESENT, _AT_LIVEKIT))
NODES = Statement(
    sa.select(
        room_participants.c.node,
        sa.func.count().label("count"),
        sa.func.max(room_participants.c.seen_at).label("seen_at"),
    )
    .where(PRESENT, room_participants.c.node != sa.literal_column(f"'{LIVEKIT}'", sa.String))
    .group_by(room_participants.c.node)
)
"""Counts the participants of each server, with its last sign of life."""
