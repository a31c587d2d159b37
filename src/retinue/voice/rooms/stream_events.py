"""The events of a room, as clients that follow it receive them."""

from typing import Literal

from pydantic import Field

from retinue.core.database.statements import Row
from retinue.core.http.envelope import Timestamp, View

Kind = Literal["browser", "phone"]


class RoomEvent(View):
    """An event of a room."""

    at: Timestamp = Field(description="Time of the event.")


class RoomSaid(RoomEvent):
    """A turn: a line of the transcript."""

    type: Literal["said"] = "said"
    speaker: str = Field(description="Speaker: the name of a participant or of the agent.")
    text: str = Field(description="Text of the turn.")


class ParticipantEvent(RoomEvent):
    """An event of a participant."""

    participant_id: int = Field(description="ID of the participant.")
    name: str = Field(description="Name of the participant.")


class ParticipantJoined(ParticipantEvent):
    """A participant joined."""

    type: Literal["joined"] = "joined"
    kind: Kind = Field(description="Whether the participant joined from a browser or by phone.")


class ParticipantLeft(ParticipantEvent):
    """A participant left or was removed."""

    type: Literal["left"] = "left"
    seconds: int = Field(description="Time in the room, in seconds.")


class ParticipantMuted(ParticipantEvent):
    """A participant was muted by the API: nobody hears them, and their speech is not transcribed."""

    type: Literal["muted"] = "muted"


class ParticipantUnmuted(ParticipantEvent):
    """A participant was unmuted by the API."""

    type: Literal["unmuted"] = "unmuted"


class RoomClosed(RoomEvent):
    """The room was closed. All participants leave after this event."""

    type: Literal["closed"] = "closed"


ROOM_EVENTS = (RoomSaid, ParticipantJoined, ParticipantLeft, ParticipantMuted, ParticipantUnmuted, RoomClosed)
_BY_TYPE = {kind.model_fields["type"].default: kind for kind in ROOM_EVENTS}


def read_event(row: Row) -> RoomEvent:
    """Build an event from its row."""
    return _BY_TYPE[row.type].model_validate({**row.data, "at": row.created_at})
