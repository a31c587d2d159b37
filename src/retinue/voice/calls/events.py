"""The events of calls."""

from typing import Literal

from retinue.core.events import Event

Direction = Literal["outbound", "inbound"]


class VoiceCallStarted(Event):
    """A voice call starts: the platform dials, or a call comes in."""

    event_name = "voice.call.started"
    call_id: int
    direction: Direction
    to: str
    agent_id: int | None
    voice_engine: str
    status: Literal["queued"] = "queued"


class VoiceCallEnded(Event):
    """A voice call ended, answered or not."""

    event_name = "voice.call.ended"
    call_id: int
    direction: Direction
    to: str
    agent_id: int | None
    voice_engine: str
    status: str
    duration_seconds: int
    error: str | None
