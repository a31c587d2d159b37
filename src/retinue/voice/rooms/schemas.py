"""Request and response schemas of rooms."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.agents.schemas import Engine
from retinue.core.http.envelope import Body, Id, Timestamp, View
from retinue.voice.rooms.stream_events import Kind

RoomName = Annotated[str, Field(min_length=1, max_length=100, description="Name of the room.")]


class RoomCreate(Body):
    """Request body for creating a room."""

    name: RoomName
    max_participants: (
        Annotated[
            int,
            Field(
                ge=1,
                le=100,
                description="Maximum number of people in the room at the same time, not counting the agent.",
            ),
        ]
        | None
    ) = 10
    voice_engine: Annotated[Engine, Field(description="Speech engine. Defaults to that of the agent.")] | None = None
    agent_id: (
        Annotated[Id, Field(description="ID of the agent that participates. By default, no agent does.")] | None
    ) = None


class RoomJoin(Body):
    """Request body for joining a room."""

    name: (
        Annotated[
            str, Field(min_length=1, max_length=60, description="Name of the participant, as shown in the transcript.")
        ]
        | None
    ) = "guest"


class RoomView(View):
    """A voice room."""

    id: int = Field(description="ID of the room.")
    name: str = Field(description="Name.")
    status: Literal["active", "closed"] = Field(description="Status; `closed` once the room is deleted.")
    max_participants: int = Field(description="Maximum number of people in the room at the same time.")
    participants: int = Field(description="Number of people in the room now.")
    voice_engine: Engine = Field(description="Speech engine of the agent.")
    agent_id: int | None = Field(description="ID of the agent that participates.")
    join_url: str = Field(description="URL of the page for joining in a browser, with a token after `#`.")
    transcript: str = Field(description="Transcript so far, with one line per turn: `name: …`.")
    media: Literal["local", "livekit"] = Field(description="Server that handles the audio: this server or LiveKit.")
    conversation_id: str | None = Field(description="ID of the conversation of the room's agent.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    ended_at: Timestamp | None = Field(description="Time at which the room was closed.")


class ParticipantView(View):
    """A current or former participant of a room. The agent is not a participant."""

    id: int = Field(description="ID of the participant.")
    name: str = Field(description="Name of the participant, as shown in the transcript.")
    kind: Kind = Field(description="Whether the participant joined from a browser or by phone.")
    muted: bool = Field(description="Whether the participant is muted by the API.")
    joined_at: Timestamp = Field(description="Time at which the participant joined.")
    left_at: Timestamp | None = Field(
        description="Time at which the participant left; null while they are in the room."
    )
    seconds: int = Field(description="Seconds in the room; 0 until the participant leaves.")


class IceServerView(View):
    """A STUN or TURN server for browsers."""

    urls: str = Field(description="URL, such as `stun:stun.example.com:3478`.")


class JoinView(View):
    """How to join a room. Valid once, until `expires_at`."""

    token: str = Field(description="Bearer token for `whip_url`, or access token for `livekit_url`.")
    whip_url: str | None = Field(
        description="URL to which a browser posts its SDP offer as `application/sdp` (RFC 9725); null for rooms "
        "on LiveKit."
    )
    livekit_url: str | None = Field(
        description="URL to which LiveKit clients connect with the token; null for other rooms."
    )
    join_url: str = Field(description="URL of a page that joins in the browser.")
    sip_address: str | None = Field(description="SIP address for joining by phone; null if SIP is disabled.")
    ice_servers: list[IceServerView] = Field(description="ICE servers for the browser.")
    expires_at: Timestamp = Field(description="Time until which the token can be used to join.")
