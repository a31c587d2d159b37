"""The events of calls."""

from typing import Any, Literal

from retinue.core.work.events import Event

Direction = Literal["outbound", "inbound"]


class VoiceCallStarted(Event):
    """A voice call started, either outgoing or incoming."""

    event_name = "voice.call.started"
    call_id: int
    direction: Direction
    to: str
    agent_id: int | None
    voice_engine: str
    status: Literal["queued"] = "queued"


class VoiceCallEnded(Event):
    """A voice call ended, whether or not it was answered."""

    event_name = "voice.call.ended"
    call_id: int
    direction: Direction
    to: str
    agent_id: int | None
    voice_engine: str
    status: str
    duration_seconds: int
    error: str | None


class VoiceCallAnalyzed(Event):
    """The transcript of a call was analyzed, as the agent's voice settings ask."""

    event_name = "voice.call.analyzed"
    call_id: int
    direction: Direction
    to: str
    agent_id: int | None
    status: str
    duration_seconds: int
    run_id: int | None
    summary: str | None
    extracted: dict[str, Any] | None
    success: bool | None
    reason: str | None
    error: str | None
