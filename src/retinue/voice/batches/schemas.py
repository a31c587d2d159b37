"""Request and response schemas of batches of calls."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from retinue.core.http.envelope import Body, Counted, Page, Timestamp, View
from retinue.voice.batches.windows import CallWindow
from retinue.voice.calls.phone_numbers import Country
from retinue.voice.calls.schemas import CallOptions
from retinue.voice.calls.variables import Variables

MOST_RECIPIENTS = 5000
BatchStatus = Literal["draft", "running", "paused", "completed", "cancelled"]
RecipientStatus = Literal[
    "waiting", "calling", "completed", "machine", "busy", "no_answer", "failed", "refused", "cancelled"
]
Outcome = Literal["machine", "busy", "no_answer", "failed"]
USUAL_CALL_S = 60


class RecipientCreate(Body):
    """A recipient of a batch."""

    to: Annotated[
        str,
        Field(
            min_length=1,
            max_length=255,
            description="Phone number in any usual spelling, such as `+44 1632 960123`, or SIP URI. Without a country "
            "code, it belongs to the `country` of the batch.",
        ),
    ]
    variables: Variables | None = None


def _usual_outcomes() -> list[Outcome]:
    return ["busy", "no_answer"]


class RetryOptions(Body):
    """When a recipient is called again."""

    times: Annotated[int, Field(ge=0, le=5, description="Number of further calls.")] = 0
    after_minutes: Annotated[
        int, Field(ge=1, le=10_080, description="Minutes from the end of a call to the next one.")
    ] = 30
    on: Annotated[
        list[Outcome],
        Field(
            min_length=1,
            max_length=4,
            description="The statuses of recipients who are called again. Defaults to `busy` and `no_answer`, and with "
            "the `machine_detection` `hangup` also `machine`.",
        ),
    ] = Field(default_factory=_usual_outcomes)


class BatchOptions(CallOptions):
    """A batch without its recipients."""

    name: Annotated[str, Field(min_length=1, max_length=100, description="Name of the batch.")]
    country: Country | None = None
    at_once: Annotated[int, Field(ge=1, le=100, description="Maximum number of concurrent calls.")] | None = 1
    per_minute: (
        Annotated[int, Field(ge=1, le=600, description="Maximum number of calls that begin within 60 seconds.")] | None
    ) = 10
    window: CallWindow | None = Field(None, description="When calls may begin. Without a window, at any time.")
    retries: RetryOptions | None = Field(default_factory=RetryOptions, description="When recipients are called again.")
    start_at: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=40,
                description="Earliest time of the first call in ISO 8601. Without an offset, it is in the time zone "
                "of the window, or in UTC.",
            ),
        ]
        | None
    ) = None
    start: (
        Annotated[bool, Field(description="Whether to start at once. A draft calls nobody until it is started.")] | None
    ) = True


class BatchCreate(BatchOptions):
    """Request body for creating a batch: `recipients`, or a CSV file with them."""

    recipients: (
        Annotated[list[RecipientCreate], Field(min_length=1, max_length=MOST_RECIPIENTS, description="Whom to call.")]
        | None
    ) = None
    file_id: (
        Annotated[
            str,
            Field(
                max_length=60,
                description="ID of a CSV file of yours with a header. Its column `to` has the numbers; the others are "
                "variables.",
            ),
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if (self.recipients is None) == (self.file_id is None):
            raise ValueError("send either recipients or file_id")
        return self


class BatchCounts(View):
    """The recipients of a batch by status."""

    total: int = Field(description="All recipients.")
    waiting: int = Field(description="Recipients who will be called, for the first time or again.")
    calling: int = Field(description="Recipients who are being called.")
    completed: int = Field(
        description="Recipients who answered. Without `machine_detection`, answering machines are among them."
    )
    machine: int = Field(description="Recipients whose answering machine answered.")
    busy: int = Field(description="Recipients who were busy or declined.")
    no_answer: int = Field(description="Recipients who did not answer.")
    failed: int = Field(description="Recipients whose call failed.")
    refused: int = Field(description="Recipients who are not called, for the reason in `reason`.")
    cancelled: int = Field(description="Recipients who are not called because the batch or the call was cancelled.")


class BatchWindowView(View):
    """The window in which calls begin."""

    days: list[str] = Field(description="Days of the week.")
    start: str = Field(description="Start on each day.")
    end: str = Field(description="End on each day.")
    timezone: str = Field(description="IANA time zone of the days and times.")


class BatchRetriesView(View):
    """When a recipient is called again."""

    times: int = Field(description="Number of further calls.")
    after_minutes: int = Field(description="Minutes from the end of a call to the next one.")
    on: list[str] = Field(description="The statuses of recipients who are called again.")


class BatchView(View):
    """A batch of calls."""

    id: int = Field(description="ID of the batch.")
    name: str = Field(description="Name of the batch.")
    status: BatchStatus = Field(description="Status of the batch.")
    agent_id: int | None = Field(description="ID of the agent that speaks; null for the built-in assistant.")
    voice_engine: str | None = Field(description="Speech engine; null for that of the agent.")
    greeting: str | None = Field(description="Greeting; null for that of the agent.")
    record: bool = Field(description="Whether the calls are recorded.")
    max_seconds: int | None = Field(description="Maximum duration of a call from the answer.")
    machine_detection: str | None = Field(description="Mode of answering machine detection; null if it is off.")
    at_once: int = Field(description="Maximum number of concurrent calls.")
    per_minute: int = Field(description="Maximum number of calls that begin within 60 seconds.")
    window: BatchWindowView | None = Field(description="When calls may begin; null for any time.")
    retries: BatchRetriesView = Field(description="When recipients are called again.")
    counts: BatchCounts = Field(description="The recipients by status.")
    problem: str | None = Field(description="Why the batch makes no calls at the moment, although it is running.")
    next_call_at: Timestamp | None = Field(
        description="When the next call may begin, while a running batch waits for its hours, its `start_at` or a "
        "retry; else null."
    )
    start_at: Timestamp | None = Field(description="Earliest time of the first call.")
    created_at: Timestamp = Field(description="Time at which the batch was created.")
    started_at: Timestamp | None = Field(description="Time at which the batch was started.")
    ended_at: Timestamp | None = Field(description="Time at which the last call ended.")


class BatchRecipientView(View):
    """A recipient of a batch."""

    number: int = Field(description="Number of the recipient in the batch, starting at 1.")
    to: str = Field(description="Phone number in E.164 format, or SIP URI; as it was sent if it is neither.")
    variables: dict[str, str] = Field(description="Variables of the calls.")
    status: RecipientStatus = Field(description="`waiting` and `calling` can still change; the others are final.")
    reason: str | None = Field(description="Why the recipient is not called, or why the last call failed.")
    attempts: int = Field(description="Number of calls that were made.")
    call_id: int | None = Field(description="ID of the last call.")
    due_at: Timestamp | None = Field(description="Earliest time of the next call, if the recipient waits for one.")
    called_at: Timestamp | None = Field(description="Time at which the last call began.")


class RecipientFilter(Page):
    """Filter of a batch's recipients."""

    status: RecipientStatus | None = Field(None, description="Only recipients with this status.")


class PlanQuery(Page):
    """What a plan assumes."""

    call_seconds: Counted = Field(USUAL_CALL_S, ge=1, le=86_400, description="Assumed duration of each call.")


class PlannedCall(View):
    """What a batch would do about a recipient."""

    number: int = Field(description="Number of the recipient in the batch, starting at 1.")
    to: str = Field(description="Phone number or SIP URI.")
    calls_at: Timestamp | None = Field(
        description="When the recipient would be called, if each call takes `call_seconds` and none is made again; "
        "null if it is not called."
    )
    refused: str | None = Field(description="Why the recipient is not called; null if it is.")


class BatchDeleted(View):
    """ID of the deleted batch."""

    id: int = Field(description="ID of the batch.")
    deleted: Literal[True]
