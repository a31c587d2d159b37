"""The events of a call, as clients that follow it receive them."""

from typing import Literal

from pydantic import Field

from retinue.core.database.statements import Row
from retinue.core.http.envelope import Timestamp, View
from retinue.voice.calls.outcomes import EndedReason


class CallEvent(View):
    """An event of a call."""

    at: Timestamp = Field(description="Time of the event.")


class CallRinging(CallEvent):
    """The telephone of the other side rings."""

    type: Literal["ringing"] = "ringing"


class CallAnswered(CallEvent):
    """The call was answered."""

    type: Literal["answered"] = "answered"


class CallIdentified(CallEvent):
    """Answering machine detection has decided who answered."""

    type: Literal["identified"] = "identified"
    answered_by: Literal["human", "machine", "unknown"] = Field(description="Who answered.")


class CallSaid(CallEvent):
    """A turn: a line of the transcript."""

    type: Literal["said"] = "said"
    turn: int = Field(description="Number of the turn in the call, starting at 1.")
    speaker: Literal["agent", "caller"] = Field(description="Who spoke.")
    text: str = Field(description="Text of the turn. If it was interrupted, the text up to the interruption.")
    interrupted: bool = Field(description="Whether the caller interrupted the turn.")
    run_id: int | None = Field(description="ID of the run that produced the answer.")


class CallToolStarted(CallEvent):
    """The agent called a tool."""

    type: Literal["tool_started"] = "tool_started"
    tool: str = Field(description="Name of the tool.")
    run_id: int = Field(description="ID of the run, whose steps have the arguments and the result.")


class CallToolEnded(CallEvent):
    """A tool has ended."""

    type: Literal["tool_ended"] = "tool_ended"
    tool: str = Field(description="Name of the tool.")
    run_id: int = Field(description="ID of the run, whose steps have the arguments and the result.")
    status: Literal["done", "failed"] = Field(description="Whether the tool succeeded.")


class CallDigits(CallEvent):
    """The other side pressed keys that a tool asked for. Other keys are turns, such as `[pressed 1 2]`."""

    type: Literal["digits"] = "digits"
    digits: str | None = Field(description="The keys; null if they are kept secret.")
    count: int = Field(description="Number of keys.")


class CallTransferred(CallEvent):
    """The agent transferred the call."""

    type: Literal["transferred"] = "transferred"
    destination: str = Field(description="Name of the destination in the agent's voice settings.")


class CallEnded(CallEvent):
    """The call ended."""

    type: Literal["ended"] = "ended"
    status: str = Field(description="Status of the call.")
    duration_seconds: int = Field(description="Seconds since the call was answered, rounded up.")
    ended_reason: EndedReason | None = Field(
        None, description="Why the call ended; null if that was not recorded at its end."
    )
    error: str | None = Field(description="Reason why the call failed, or the response of the remote side.")


class CallAnalyzed(CallEvent):
    """The transcript was analyzed as the agent's voice settings ask."""

    type: Literal["analyzed"] = "analyzed"
    status: Literal["completed", "failed"] = Field(description="Whether the analysis succeeded.")


CALL_EVENTS = (
    CallRinging, CallAnswered, CallIdentified, CallSaid, CallToolStarted, CallToolEnded, CallDigits, CallTransferred,
    CallEnded, CallAnalyzed,
)  # fmt: skip
_BY_TYPE: dict[str, type[CallEvent]] = {kind.model_fields["type"].default: kind for kind in CALL_EVENTS}


def read_event(row: Row) -> CallEvent:
    """Build an event from its row."""
    return _BY_TYPE[row.type].model_validate({**row.data, "at": row.created_at})
