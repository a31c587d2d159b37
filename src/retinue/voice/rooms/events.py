"""The events of rooms."""

from pydantic import Field

from retinue.core.work.events import Event


class VoiceRoomCreated(Event):
    """A voice room was created."""

    event_name = "voice.room.created"
    room_id: int = Field(description="ID of the room.", examples=[4])
    name: str = Field(description="Name of the room.", examples=["Weekly meeting"])
    max_participants: int = Field(description="Maximum number of people in the room.", examples=[10])
    voice_engine: str = Field(description="Speech engine of the agent.", examples=["hibari"])
    agent_id: int | None = Field(description="ID of the agent in the room; null if there is none.", examples=[1])
    status: str = Field("active", description="Always `active`.", examples=["active"])
