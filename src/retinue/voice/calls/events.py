"""The events of calls."""

from typing import Literal

from pydantic import Field

from retinue.core.work.events import Event

Direction = Literal["outbound", "inbound"]


class VoiceCallStarted(Event):
    """A voice call started, either outgoing or incoming."""

    event_name = "voice.call.started"
    call_id: int = Field(description="ID of the call.", examples=[12])
    direction: Direction = Field(
        description="Whether the agent called (`outbound`) or was called (`inbound`).", examples=["outbound"]
    )
    to: str = Field(description="The number or SIP address that was called.", examples=["sip:reception@example.com"])
    agent_id: int | None = Field(description="ID of the agent.", examples=[1])
    voice_engine: str = Field(description="Speech engine of the agent.", examples=["hibari"])
    status: Literal["queued"] = Field("queued", description="Always `queued`.", examples=["queued"])


class VoiceCallEnded(Event):
    """A voice call ended, whether or not it was answered."""

    event_name = "voice.call.ended"
    call_id: int = Field(description="ID of the call.", examples=[12])
    direction: Direction = Field(
        description="Whether the agent called (`outbound`) or was called (`inbound`).", examples=["outbound"]
    )
    to: str = Field(description="The number or SIP address that was called.", examples=["sip:reception@example.com"])
    agent_id: int | None = Field(description="ID of the agent.", examples=[1])
    voice_engine: str = Field(description="Speech engine of the agent.", examples=["hibari"])
    status: str = Field(description="How the call ended.", examples=["completed"])
    duration_seconds: int = Field(description="Length of the call from its answer, in seconds.", examples=[84])
    error: str | None = Field(description="Why the call failed; null if it did not.")


class VoiceCallAnalyzed(Event):
    """The transcript of a call was analyzed, as the agent's voice settings ask."""

    event_name = "voice.call.analyzed"
    call_id: int = Field(description="ID of the call.", examples=[12])
    direction: Direction = Field(
        description="Whether the agent called (`outbound`) or was called (`inbound`).", examples=["outbound"]
    )
    to: str = Field(description="The number or SIP address that was called.", examples=["sip:reception@example.com"])
    agent_id: int | None = Field(description="ID of the agent.", examples=[1])
    status: str = Field(description="How the call ended.", examples=["completed"])
    duration_seconds: int = Field(description="Length of the call from its answer, in seconds.", examples=[84])
    run_id: int | None = Field(description="ID of the run of the conversation; null if nobody spoke.", examples=[42])
    summary: str | None = Field(
        description="Summary of the call; null if the agent writes none.", examples=["A visit was moved to Friday."]
    )
    extracted: dict[str, object] | None = Field(
        description="The fields that the agent extracts; null if it extracts none.", examples=[{"day": "Friday"}]
    )
    success: bool | None = Field(
        description="Whether the call reached its goal; null if that was not judged.", examples=[True]
    )
    reason: str | None = Field(
        description="Why it counts as successful or not; null if that was not judged.", examples=["A day was agreed."]
    )
    error: str | None = Field(description="Why there is no analysis; null if there is one.")
