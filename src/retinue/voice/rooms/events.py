"""The events of rooms."""

from retinue.core.work.events import Event


class VoiceRoomCreated(Event):
    """A voice room was created."""

    event_name = "voice.room.created"
    room_id: int
    name: str
    max_participants: int
    voice_engine: str
    agent_id: int | None
    status: str = "active"
