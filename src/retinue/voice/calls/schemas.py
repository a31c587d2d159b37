"""Request and response schemas of phone calls."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from retinue.agents.schemas import Engine
from retinue.core.http.envelope import Body, Id, PathId, Timestamp, View
from retinue.core.http.period import Period
from retinue.voice.calls.events import Direction
from retinue.voice.calls.outcomes import EndedReason
from retinue.voice.calls.variables import Variables

CallStatus = Literal["queued", "ringing", "in_progress", "completed", "busy", "no_answer", "failed", "cancelled"]
MachineDetection = Literal["enable", "hangup", "detect_message_end"]


To = Annotated[
    str,
    Field(
        min_length=1,
        max_length=255,
        description="Phone number in E.164 format, such as +441632960123, or SIP URI.",
    ),
]


class CallTransfer(Body):
    """Request body for transferring a call."""

    to: To


class KeyPresses(Body):
    """Request body for sending DTMF digits."""

    digits: Annotated[
        str, Field(pattern=r"^[0-9A-D*#]{1,64}$", description="Up to 64 digits: `0` to `9`, `*`, `#`, and A to D.")
    ]


class CallOptions(Body):
    """Options of a call that do not depend on its recipient."""

    agent_id: (
        Annotated[Id, Field(description="ID of the agent that speaks. Defaults to the built-in assistant.")] | None
    ) = None
    voice_engine: Annotated[Engine, Field(description="Speech engine. Defaults to that of the agent.")] | None = None
    greeting: (
        Annotated[
            str,
            Field(
                max_length=500,
                description='Greeting that the agent says first. With "", the agent waits for the other person.',
            ),
        ]
        | None
    ) = None
    record: (
        Annotated[bool, Field(description="Whether to record the call. The recording becomes one of your files.")]
        | None
    ) = False
    max_seconds: Annotated[int, Field(ge=1, le=86_400, description="Maximum duration from the answer.")] | None = None
    machine_detection: (
        Annotated[
            MachineDetection,
            Field(
                description="Answering machine detection, before the agent greets. `enable` reports the result in "
                "`answered_by`. `hangup` ends the call if a machine answers. `detect_message_end` waits for "
                "a machine's beep, leaves the agent's `voice.voicemail_message`, or else the greeting, and ends the "
                "call."
            ),
        ]
        | None
    ) = None


class CallCreate(CallOptions):
    """Request body for starting a call."""

    to: To
    variables: Variables | None = None


def _is_none(value: object) -> bool:
    return value is None


def _restore_plus(text: str) -> str:
    return "+" + text[1:] if text.startswith(" ") else text


Address = Annotated[str, BeforeValidator(_restore_plus), Field(max_length=255)]
"""A number or address in a query. A plus sign that was sent without `%2B` arrives as a space."""


class CallFilter(Period):
    """Which calls."""

    status: CallStatus | None = Field(None, description="Only return calls with this status.")
    direction: Direction | None = Field(None, description="Only return calls in this direction.")
    agent_id: PathId | None = Field(None, description="Only return calls of this agent.")
    to: Address | None = Field(None, description="Only return calls to this number or address.")
    caller: Address | None = Field(None, description="Only return calls from this number or address.")


class CallAnalysis(View):
    """What a model found out about a call. Fields that were not asked for are omitted."""

    status: Literal["pending", "completed", "failed"] = Field(description="Whether the analysis has succeeded.")
    run_id: int | None = Field(description="ID of the run that read the transcript, once it has started.")
    summary: str | None = Field(None, exclude_if=_is_none, description="Summary of the call.")
    extracted: dict[str, object] | None = Field(
        None, exclude_if=_is_none, description="Extracted fields, which fit the JSON Schema of the settings."
    )
    success: bool | None = Field(None, exclude_if=_is_none, description="Whether the call was successful.")
    reason: str | None = Field(None, exclude_if=_is_none, description="Why it was or was not successful.")
    error: str | None = Field(None, exclude_if=_is_none, description="Why the analysis failed.")


class CallView(View):
    """A voice call."""

    id: int = Field(description="ID of the call.")
    room_name: str = Field(description="ID of the call, with the prefix `call-`.")
    status: CallStatus = Field(
        description="Status. `queued`, `ringing` and `in_progress` can still change; the others are final."
    )
    direction: Literal["outbound", "inbound"] = Field(description="Whether the platform made or received the call.")
    to: str = Field(description="Called number or address.")
    caller: str | None = Field(description="Number or address of the caller; null for calls that the platform made.")
    agent_id: int | None = Field(description="ID of the agent that speaks; null for the built-in assistant.")
    batch_id: int | None = Field(description="ID of the batch to which the call belongs, if any.")
    variables: dict[str, str] | None = Field(description="Variables of the call.")
    duration_seconds: int = Field(description="Seconds since the call was answered, rounded up.")
    participants: int = Field(description="Number of participants: 1 until the call is answered, then 2.")
    voice_engine: Engine = Field(description="Speech engine of the agent.")
    machine_detection: MachineDetection | None = Field(
        description="Mode of answering machine detection; null if it is off."
    )
    answered_by: Literal["human", "machine", "unknown"] | None = Field(
        description="Who answered, once known; null without `machine_detection`."
    )
    transcript: str = Field(description="Transcript with one line per turn: `agent: …` or `caller: …`.")
    conversation_id: str | None = Field(
        description="ID of the conversation with the messages and tool calls of this call."
    )
    analysis: CallAnalysis | None = Field(
        description="What was found out about the call after its end; null unless the agent's voice "
        "settings ask for it."
    )
    recording_file_id: str | None = Field(description="ID of the file with the recording, once the call has ended.")
    ended_reason: EndedReason | None = Field(
        description="Why the call ended. `other_side_hung_up`, `agent_hung_up`, and `api_hangup` (by the API or in the "
        "portal) say who hung up. `silence`: nobody spoke. `machine`: a machine answered, and `machine_detection` "
        "ended the call. `max_duration`: it reached its maximum duration. `transferred`: it went on with somebody "
        "else. `outside_hours`: it came in outside the agent's `voice.hours`. `busy`, `no_answer` and `failed` are as "
        "in `status`. Null until the end, and if it was not recorded."
    )
    error: str | None = Field(description="Reason why the call failed, or the response of the remote side.")
    created_at: Timestamp = Field(description="Time at which the call was dialled or arrived.")
    answered_at: Timestamp | None = Field(description="Time of the answer.")
    ended_at: Timestamp | None = Field(description="End time of the call.")


def _time(description: str) -> Any:
    return Field(None, exclude_if=lambda value: value is None, description=description)


class Timing(View):
    """Latencies of a turn, in milliseconds. Fields that do not apply are omitted."""

    transcription_ms: int | None = _time("For a caller's turn: duration of the transcription.")
    first_text_ms: int | None = _time("Time from the end of the question to the first words of the model.")
    first_audio_ms: int | None = _time(
        "Time from the end of the question to the first audio of the answer, which begins after any filler."
    )
    filler_audio_ms: int | None = _time(
        "Time from the end of the question to the first audio of a filler, such as `One moment, please.`"
    )
    barge_in_ms: int | None = _time("Time from an interruption until the agent stopped speaking.")


class TurnView(View):
    """A turn of a call: what one side said."""

    number: int = Field(description="Number of the turn in its call, starting at 1.")
    speaker: Literal["agent", "caller"] = Field(description="Who spoke.")
    text: str = Field(description="Text of the turn. If it was interrupted, the text up to the interruption.")
    interrupted: bool = Field(description="Whether the caller interrupted the turn.")
    run_id: int | None = Field(description="ID of the run that produced the answer, to retrieve its steps.")
    timing: Timing = Field(description="Latencies of the turn.")
    created_at: Timestamp = Field(description="Time at which the turn was recorded.")
