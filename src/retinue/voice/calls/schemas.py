"""What callers of the API send and see of telephone calls."""

from typing import Annotated, Any, Literal

from pydantic import Field

from retinue.agents.schemas import Engine
from retinue.core.envelope import Body, Id, Timestamp, View

CallStatus = Literal["queued", "ringing", "in_progress", "completed", "busy", "no_answer", "failed", "cancelled"]
MachineDetection = Literal["enable", "hangup", "detect_message_end"]


To = Annotated[
    str,
    Field(
        min_length=1,
        max_length=255,
        description="A telephone number in E.164 form, such as +441632960123, or a SIP URI.",
    ),
]


class CallTransfer(Body):
    """Where a call goes on."""

    to: To


class KeyPresses(Body):
    """Keys of a telephone."""

    digits: Annotated[
        str, Field(pattern=r"^[0-9A-D*#]{1,64}$", description="Up to 64 keys: digits, `*`, `#`, and A to D.")
    ]


class CallCreate(Body):
    """A call to make."""

    to: To
    agent_id: Annotated[Id, Field(description="The agent that speaks; without one, the built-in assistant.")] | None = (
        None
    )
    voice_engine: Annotated[Engine, Field(description="The engine that speaks, in place of the agent's.")] | None = None
    greeting: (
        Annotated[str, Field(max_length=500, description='What the agent says first; "" lets the other side begin.')]
        | None
    ) = None
    record: Annotated[bool, Field(description="Keep a recording as a file of yours.")] | None = False
    max_seconds: (
        Annotated[int, Field(ge=1, le=86_400, description="The longest that the call may last from its answer on.")]
        | None
    ) = None
    machine_detection: (
        Annotated[
            MachineDetection,
            Field(
                description="Find out whether a person or an answering machine answers, before the agent greets. "
                "`enable` tells it in `answered_by`. `hangup` hangs up on machines. `detect_message_end` waits for a "
                "machine's beep, says the greeting as a message, and hangs up."
            ),
        ]
        | None
    ) = None


class CallView(View):
    """A voice call."""

    id: int = Field(description="The call's id.")
    room_name: str = Field(description="`call-` and the id.")
    status: CallStatus = Field(description="`queued`, `ringing` and `in_progress`; the others are final.")
    direction: Literal["outbound", "inbound"] = Field(description="Who called: the platform, or the other side.")
    to: str = Field(description="Who is called.")
    caller: str | None = Field(description="Who called the platform; null on a call that the platform made.")
    agent_id: int | None = Field(description="The agent that speaks; null for the built-in assistant.")
    duration_seconds: int = Field(description="Seconds since the answer, a begun one counted whole.")
    participants: int = Field(description="How many take part, or took part: 1 until the answer, then 2.")
    voice_engine: Engine = Field(description="The engine that speaks.")
    machine_detection: MachineDetection | None = Field(description="How answering machines are looked for, if at all.")
    answered_by: Literal["human", "machine", "unknown"] | None = Field(
        description="Who answered, once that is known; null without `machine_detection`."
    )
    transcript: str = Field(description="What was said, a line a turn: `agent: …` or `caller: …`.")
    conversation_id: str | None = Field(description="The conversation with the messages and tools of this call.")
    recording_file_id: str | None = Field(description="The file with the recording, once the call has ended.")
    error: str | None = Field(description="Why the call failed, or what the other side answered.")
    created_at: Timestamp = Field(description="When the call was dialled, or came in.")
    answered_at: Timestamp | None = Field(description="When it was answered.")
    ended_at: Timestamp | None = Field(description="When it ended.")


def _time(description: str) -> Any:
    return Field(None, exclude_if=lambda value: value is None, description=description)


class Timing(View):
    """Times of a turn, in milliseconds; a turn that has no such moment leaves it out."""

    transcription_ms: int | None = _time("Of a caller's turn: how long writing it down took.")
    first_text_ms: int | None = _time("From the end of the question to the model's first words.")
    first_audio_ms: int | None = _time("From the end of the question to the answer's first sound.")
    barge_in_ms: int | None = _time("From the start of an interruption to the agent's silence.")


class TurnView(View):
    """What one side said."""

    number: int = Field(description="The turn's number in its call, from 1.")
    speaker: Literal["agent", "caller"] = Field(description="Who spoke.")
    text: str = Field(description="What was said; of an interrupted turn, what was said until then.")
    interrupted: bool = Field(description="Whether the caller interrupted it.")
    run_id: int | None = Field(description="The run that made the answer, to look its steps up.")
    timing: Timing = Field(description="How long its parts took.")
    created_at: Timestamp = Field(description="When it was written down.")
