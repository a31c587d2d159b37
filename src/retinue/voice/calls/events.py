"""The events of calls."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from retinue.core.work.events import Event
from retinue.voice.calls.outcomes import EndedReason
from retinue.voice.calls.tables import CallRow

Direction = Literal["outbound", "inbound"]
AnsweredBy = Literal["human", "machine", "unknown"]


class _CallFields(BaseModel):
    """What every event says of its call."""

    call_id: int = Field(description="ID of the call.", examples=[12])
    direction: Direction = Field(
        description="Whether the agent called (`outbound`) or was called (`inbound`).", examples=["outbound"]
    )
    to: str = Field(description="The number or SIP address that was called.", examples=["sip:reception@example.com"])
    caller: str | None = Field(description="The number or SIP address that called; null if the agent called.")
    agent_id: int | None = Field(description="ID of the agent.", examples=[1])
    batch_id: int | None = Field(description="ID of the batch to which the call belongs, if any.", examples=[3])
    variables: dict[str, str] | None = Field(description="Variables of the call.", examples=[{"name": "Ada"}])


class _EndedCallFields(_CallFields):
    """What events say of a call that has ended."""

    status: str = Field(description="How the call ended.", examples=["completed"])
    ended_reason: EndedReason | None = Field(
        description="Why the call ended, and who hung up; null if that was not recorded.",
        examples=["other_side_hung_up"],
    )
    duration_seconds: int = Field(description="Length of the call from its answer, in seconds.", examples=[84])
    answered_by: AnsweredBy | None = Field(
        description="Who answered; null without `machine_detection`.", examples=["human"]
    )


class VoiceCallStarted(_CallFields, Event):
    """A voice call started, either outgoing or incoming."""

    event_name = "voice.call.started"
    voice_engine: str = Field(description="Speech engine of the agent.", examples=["hibari"])
    status: Literal["queued"] = Field(
        "queued", description="Status at the start: `queued`, before the call is answered.", examples=["queued"]
    )


class VoiceCallEnded(_EndedCallFields, Event):
    """A voice call ended, whether or not it was answered."""

    event_name = "voice.call.ended"
    voice_engine: str = Field(description="Speech engine of the agent.", examples=["hibari"])
    error: str | None = Field(description="Why the call failed; null if it did not.")


class VoiceCallAnalyzed(_EndedCallFields, Event):
    """The transcript of a call was analyzed, as the agent's voice settings ask."""

    event_name = "voice.call.analyzed"
    recording_file_id: str | None = Field(description="ID of the file with the recording; null if there is none yet.")
    run_id: int | None = Field(
        description="ID of the run that read the transcript; null if there was none.", examples=[42]
    )
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


def fields_of(call: CallRow) -> dict[str, Any]:
    """Return the fields that all events of a call have."""
    return {
        "call_id": call.id,
        "direction": call.direction,
        "to": call.to_address,
        "caller": call.from_address,
        "agent_id": call.agent_id,
        "batch_id": call.batch_id,
        "variables": call.variables,
    }


def fields_of_ended(call: CallRow) -> dict[str, Any]:
    """Return the fields that all events of a call that has ended have."""
    return {
        **fields_of(call),
        "status": call.status,
        "ended_reason": call.ended_reason,
        "duration_seconds": call.duration_seconds,
        "answered_by": call.answered_by,
    }
