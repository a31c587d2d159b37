"""The settings of an agent's telephone calls: how it talks, what it may do, and what to find out afterwards."""

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from retinue.agents.daily_windows import DailyWindow, Window, Zone, next_opening
from retinue.agents.definition import check_output_schema
from retinue.core.http.envelope import Body

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
"""Languages of the server's own sentences, such as "Are you still there?"."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_ADDRESS = re.compile(r"\+[1-9][0-9]{1,14}|sips?:[^\s@<>?\"]{1,64}@[^\s@<>?\"]{1,253}", re.IGNORECASE)


def _is_none(value: object) -> bool:
    return value is None


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(
            "must be up to 32 lower-case letters, digits, hyphens and underscores, such as sales: the model calls the "
            "destination by this name"
        )
    return name


def _check_address(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        raise ValueError(
            "must be a phone number in E.164 format, such as +441632960123, or a SIP URI, such as sip:sales@example.com"
        )
    return address


def _check_language(language: str) -> str:
    if language not in LANGUAGES:
        raise ValueError(f"must be one of {', '.join(LANGUAGES)}")
    return language


Sentence = Annotated[str, Field(min_length=1, max_length=300, pattern=r"\S")]
Phrase = Annotated[str, Field(min_length=1, max_length=60, pattern=r"\w")]


class TransferDestination(Body):
    """A destination to which the agent may transfer a call."""

    name: Annotated[str, AfterValidator(_check_name), Field(description="Name by which the model chooses it.")]
    to: Annotated[
        str,
        AfterValidator(_check_address),
        Field(description="Phone number or SIP URI. The operator must allow it, as for calls."),
    ]
    description: str | None = Field(
        None, max_length=200, exclude_if=_is_none, description="When the agent should transfer there."
    )


def _check_distinct(transfers: list[TransferDestination]) -> list[TransferDestination]:
    names = [one.name for one in transfers]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"has several destinations named {', '.join(twice)}: give each its own name")
    return transfers


def _check_object(schema: dict[str, object]) -> dict[str, object]:
    if schema.get("type") != "object":
        raise ValueError('must describe an object: add "type": "object"')
    return schema


class EndOfTurn(Body):
    """How long the agent waits after the caller's last word before it answers. The words decide within these limits."""

    min_seconds: float = Field(0.3, ge=0.2, le=5.0, allow_inf_nan=False, description="Shortest wait.")
    max_seconds: float = Field(2.0, ge=0.2, le=5.0, allow_inf_nan=False, description="Longest wait.")

    @model_validator(mode="after")
    def _check_order(self) -> "EndOfTurn":
        if self.min_seconds > self.max_seconds:
            raise ValueError("has a min_seconds above its max_seconds")
        return self


class Hours(Body):
    """When the agent answers incoming calls, and what happens to calls at other times."""

    timezone: Annotated[Zone, Field(description="IANA time zone of the windows, such as `Europe/Berlin`.")]
    windows: Annotated[
        list[DailyWindow], Field(min_length=1, max_length=14, description="The agent answers within any of these.")
    ]
    say: Annotated[Sentence, Field(description="Sentence that a caller hears at other times. Nothing interrupts it.")]
    transfer: str | None = Field(
        None,
        exclude_if=_is_none,
        description="Name of the destination in `transfers` to which the call is then transferred. By default, the "
        "call ends.",
    )

    def is_open(self, moment: datetime) -> bool:
        """Whether a moment is within a window."""
        return any(
            next_opening(Window(days=one.days, start=one.start, end=one.end, timezone=self.timezone), moment) == moment
            for one in self.windows
        )


class VoiceSettings(Body):
    """Settings of an agent's telephone calls. Fields that are left out have their defaults."""

    voice: str | None = Field(
        None,
        min_length=1,
        max_length=64,
        exclude_if=_is_none,
        description="Voice of the engine. `kokoro` has `jf_alpha`, `jf_gongitsune`, `jf_nezumi`, `jf_tebukuro` and "
        "`jm_kumo`; `openai` has those of its server. By default, the server's voice.",
    )
    speed: float | None = Field(
        None,
        ge=0.5,
        le=2.0,
        allow_inf_nan=False,
        exclude_if=_is_none,
        description="Speed of speech: 1 is the usual pace.",
    )
    language: Annotated[str, AfterValidator(_check_language)] | None = Field(
        None,
        exclude_if=_is_none,
        description="Language that the agent speaks: `en`, `de`, `fr`, `es`, `it` or `pt`. The server's own sentences "
        "follow, and the transcription server is asked for it. The included recognition knows only English.",
    )
    end_of_turn: EndOfTurn | None = Field(
        None, exclude_if=_is_none, description="How long the agent waits after the caller's last word."
    )
    interruptible: bool | None = Field(
        None,
        exclude_if=_is_none,
        description="Whether the caller can interrupt the agent. If not, what the caller says meanwhile is answered "
        "afterwards. By default, true.",
    )
    end_phrases: list[Phrase] | None = Field(
        None,
        max_length=20,
        exclude_if=_is_none,
        description="Phrases that end the call: if the agent or the caller says one, the agent hangs up after its "
        "current answer, unless that is a question. A goodbye of the caller always does.",
    )
    transfers: Annotated[list[TransferDestination], AfterValidator(_check_distinct)] | None = Field(
        None, max_length=20, exclude_if=_is_none, description="Destinations to which the agent may transfer a call."
    )
    hours: Hours | None = Field(
        None,
        exclude_if=_is_none,
        description="When the agent answers incoming calls, and what happens at other times. By default, it always "
        "answers.",
    )
    fillers: list[Sentence] | None = Field(
        None,
        max_length=10,
        exclude_if=_is_none,
        description="Sentences of which the agent says one, in turn, when a tool takes long. An empty list means none.",
    )
    filler_after_seconds: float | None = Field(
        None,
        ge=0.0,
        le=30.0,
        allow_inf_nan=False,
        exclude_if=_is_none,
        description="Seconds after which a tool takes long. By default, 1.",
    )
    max_seconds: int | None = Field(
        None, ge=10, le=86_400, exclude_if=_is_none, description="Maximum duration of a call from the answer."
    )
    consent: Sentence | None = Field(
        None,
        exclude_if=_is_none,
        description="Sentence that the agent says first in a call that is recorded, such as `This call is recorded.` "
        "Nothing interrupts it.",
    )
    voicemail_message: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")] | None = Field(
        None,
        exclude_if=_is_none,
        description="Message that the agent leaves on an answering machine instead of the greeting, if the call's "
        "`machine_detection` is `detect_message_end`. Nothing interrupts it. It can contain `{{variables}}` of the "
        "call.",
    )
    summary: bool | None = Field(
        None, exclude_if=_is_none, description="Whether to write a summary after each call. By default, false."
    )
    extract: Annotated[dict[str, Any], AfterValidator(check_output_schema), AfterValidator(_check_object)] | None = (
        Field(
            None,
            exclude_if=_is_none,
            description="JSON Schema (2020-12, at most 32 KiB) of an object with what to extract from each call after "
            "its end.",
        )
    )
    success: str | None = Field(
        None,
        min_length=1,
        max_length=2000,
        exclude_if=_is_none,
        description="What makes a call successful, such as `The caller has an appointment.` A model judges it after "
        "the end.",
    )

    @model_validator(mode="after")
    def _check_transfer_of_hours(self) -> "VoiceSettings":
        names = [one.name for one in self.transfers or ()]
        if self.hours and self.hours.transfer is not None and self.hours.transfer not in names:
            raise ValueError(
                "the transfer of hours must be the name of a destination: add one of that name to transfers"
            )
        return self

    @classmethod
    def of(cls, stored: dict[str, Any] | None) -> "VoiceSettings":
        """Return an agent's stored settings, or the defaults."""
        return cls.model_validate(stored or {})

    @property
    def is_analyzed(self) -> bool:
        """Whether a model reads the transcript after each call."""
        return bool(self.summary or self.extract or self.success)
