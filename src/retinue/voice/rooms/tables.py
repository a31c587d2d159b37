"""Tables of rooms, their participants and events."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record

rooms = table(
    "rooms",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("max_participants", sa.Integer, nullable=False),
    sa.Column("voice_engine", sa.String(16), nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("pin", sa.String(8), nullable=False),
    sa.Column("transcript", sa.Text, nullable=False),
    sa.Column("conversation_id", sa.String(40)),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    sa.Column("events_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("media", sa.String(16), nullable=False, server_default="local"),
    sa.Index(None, "account_id", "id"),
    sa.Index("ix_rooms_account_ended", "account_id", "ended_at"),
)
"""`scopes` are those of the credential that created the room; they limit its agent. A telephone dials the room's id
and `pin`. `media` is where the audio is mixed: `local` or `livekit`.
"""

LOCAL, LIVEKIT = "local", "livekit"

OPEN = rooms.c.ended_at.is_(None)
sa.Index("ix_rooms_open_account", rooms.c.account_id, rooms.c.id, sqlite_where=OPEN, postgresql_where=OPEN)

room_participants = table(
    "room_participants",
    id_column(),
    sa.Column("room_id", BigInt, sa.ForeignKey("rooms.id", ondelete="CASCADE"), nullable=False),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("node", sa.String(32), nullable=False),
    sa.Column("seen_at", sa.Double, nullable=False),
    sa.Column("joined_at", Instant, nullable=False),
    sa.Column("left_at", Instant),
    sa.Column("seconds", sa.Integer, nullable=False, server_default="0"),
    sa.Column("muted", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("removed", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("identity", sa.String(128)),
    sa.Column("sid", sa.String(128)),
    sa.Index(None, "room_id", "id"),
)
"""`kind` is `browser` or `phone`. `seen_at` is the last sign of life of the node that hosts the audio, by the
database's clock: if the node dies, the participant counts as gone since then. `removed` means that the API asked to
remove the participant. `identity` is the id of the token with which a browser joined. For participants at LiveKit, who
have the node `livekit`, `identity` and `sid` are LiveKit's ids of the participant and of the session.
"""

PRESENT = room_participants.c.left_at.is_(None)
sa.Index("ix_room_participants_open_seen", room_participants.c.seen_at, sqlite_where=PRESENT, postgresql_where=PRESENT)

room_events = table(
    "room_events",
    id_column(),
    sa.Column("room_id", BigInt, sa.ForeignKey("rooms.id", ondelete="CASCADE"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("type", sa.String(16), nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("room_id", "number"),
)
"""`number` counts a room's events from 1. `stream_events.py` defines `type` and `data`."""

_ROOMS = Owned(rooms.c.account_id, hidden=("pin",))
OWNED = (
    Owned(room_events.c.room_id, _ROOMS, cascades=True),
    Owned(room_participants.c.room_id, _ROOMS, cascades=True),
    _ROOMS,
)


class RoomRow(Record, Protocol):
    """A room."""

    id: int
    account_id: int
    scopes: Sequence[str]
    name: str
    status: str
    max_participants: int
    voice_engine: str
    agent_id: int | None
    pin: str
    transcript: str
    conversation_id: str | None
    created_at: datetime
    ended_at: datetime | None
    events_count: int
    media: str


class OccupiedRoom(RoomRow, Protocol):
    """A room with the number of people in it."""

    participants: int


class ParticipantRow(Record, Protocol):
    """A participant of a room, now or before."""

    id: int
    room_id: int
    account_id: int
    name: str
    kind: str
    node: str
    seen_at: float
    joined_at: datetime
    left_at: datetime | None
    seconds: int
    muted: bool
    removed: bool
    identity: str | None
    sid: str | None
