"""What callers of the API send and see of rooms."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.agents.schemas import Engine
from retinue.core.envelope import Body, Id, Timestamp, View

RoomName = Annotated[str, Field(min_length=1, max_length=100, description="What the room is called.")]


class RoomCreate(Body):
    """A new room."""

    name: RoomName
    max_participants: (
        Annotated[
            int, Field(ge=1, le=100, description="How many people may be in it at once; the agent is not counted.")
        ]
        | None
    ) = 10
    voice_engine: Annotated[Engine, Field(description="The engine that speaks, in place of the agent's.")] | None = None
    agent_id: (
        Annotated[Id, Field(description="The agent that takes part; without one, people are among themselves.")] | None
    ) = None


class RoomJoin(Body):
    """Who wants to join."""

    name: Annotated[str, Field(min_length=1, max_length=60, description="The name in the transcript.")] | None = "guest"


class RoomView(View):
    """A voice room."""

    id: int = Field(description="The room's id.")
    name: str = Field(description="What it is called.")
    status: Literal["active", "closed"] = Field(description="`closed` once it was deleted.")
    max_participants: int = Field(description="How many people may be in it at once.")
    participants: int = Field(description="How many people are in it now.")
    voice_engine: Engine = Field(description="The engine that speaks.")
    agent_id: int | None = Field(description="The agent that takes part.")
    join_url: str = Field(description="The page in which a browser joins, with a token after `#`.")
    transcript: str = Field(description="What was said so far, a line a turn: `name: …`.")
    conversation_id: str | None = Field(description="The conversation of the room's agent.")
    created_at: Timestamp = Field(description="When it was made.")
    ended_at: Timestamp | None = Field(description="When it was closed.")


class IceServerView(View):
    """A STUN or TURN server for browsers."""

    urls: str = Field(description="Its URL, such as `stun:stun.example.com:3478`.")


class JoinView(View):
    """How to join a room, once, until `expires_at`."""

    token: str = Field(description="The bearer token for `whip_url`.")
    whip_url: str = Field(description="Where a browser posts its SDP offer as `application/sdp` (RFC 9725).")
    join_url: str = Field(description="The page that does all of this in a browser.")
    sip_address: str | None = Field(description="The address that a telephone calls; null where SIP is off.")
    ice_servers: list[IceServerView] = Field(description="The ICE servers to use.")
    expires_at: Timestamp = Field(description="Until when one may join with it.")
