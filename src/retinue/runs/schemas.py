"""Response schemas of runs."""

from typing import Annotated, Any, Literal

from pydantic import Field

from retinue.core.http.envelope import Body, PathId, Timestamp, View
from retinue.core.http.period import Period
from retinue.models.base import FinishReason
from retinue.usage.schemas import TokenUsage

UserFilter = Annotated[str, Field(min_length=1, max_length=200)]
"""The name of a user of the app, in a query string."""

RunStatus = Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]


Usage = Annotated[
    TokenUsage | None,
    Field(description="Token counts of all model calls, without calls that were cut; null if nothing is known."),
]
Cost = Annotated[
    str | None,
    Field(description="Price of the model calls in USD, as a decimal number; null if a price or a usage is unknown."),
]
Finish = Annotated[
    FinishReason | None,
    Field(
        description="Why the reply ended: complete, at the limit of output tokens, by the provider's content filter, "
        "or declined by the model. Null if there is no complete reply."
    ),
]


class RunFilter(Period):
    """Which runs of an agent."""

    status: RunStatus | None = Field(None, description="Only return runs with this status.")
    user: UserFilter | None = Field(None, description="Only return runs for this user of your app.")
    key_id: PathId | None = Field(None, description="Only return runs that requests with this API key started.")


class AccountRunFilter(RunFilter):
    """Which runs of an account."""

    agent_id: PathId | None = Field(None, description="Only return runs of this agent.")


def _is_none(value: object) -> bool:
    return value is None


class Citation(View):
    """A passage that a reply refers to."""

    number: int = Field(description="Number in the reply, such as [1].")
    document_id: int = Field(description="ID of the document.")
    collection_id: int = Field(description="ID of its collection.")
    title: str = Field(description="Title of the document.")
    page: int | None = Field(description="Page or slide, from 1.")
    section: str | None = Field(description="Headings above the passage, the chapter or the sheet.")
    passage: int = Field(description="Position of the passage in the document, from 1.")
    quote: str = Field(description="The sentence of the passage that is nearest to the statement.")


class Totals(View):
    """What a run used, and how its reply ended."""

    usage: Usage
    cost_usd: Cost
    finish_reason: Finish
    output: object = Field(description="Reply parsed as JSON, if the run has an output schema.")
    citations: list[Citation] | None = Field(
        None,
        exclude_if=_is_none,
        description="Passages that the reply refers to; omitted if the agent has no knowledge.",
    )


class RunView(Totals):
    """A run."""

    id: int = Field(description="ID of the run.")
    agent_id: int | None = Field(description="ID of the agent; null for a chat.")
    conversation_id: str | None = Field(description="ID of the conversation to which the run belongs.")
    model: str = Field(description="Name of the requested model.")
    user: str | None = Field(description="User of your app for whom the run works, as the request named the user.")
    key_id: int | None = Field(description="ID of the API key with which it was requested, also by way of other runs.")
    status: RunStatus = Field(description="Status.")
    message: str = Field(description="Input of the run.")
    reply: str | None = Field(description="Reply of the run; for a failed run, the reply so far.")
    tools_used: list[str] = Field(description="Names of the tools that were executed.")
    tokens_used: int = Field(description="Total number of tokens of all model calls.")
    execution_time_ms: int | None = Field(description="Duration in milliseconds.")
    error: str | None = Field(description="Reason for the failure or the cancellation.")
    created_at: Timestamp = Field(description="Time of the request.")
    started_at: Timestamp | None = Field(description="Time at which the run started.")
    ended_at: Timestamp | None = Field(description="End time.")


class ModelAttempt(View):
    """A failed attempt to call a model."""

    model: str = Field(description="Name of the model.")
    reason: str = Field(description="Reason for the failure.")


class StepView(View):
    """A step of a run."""

    seq: int = Field(description="Position of the step in the run.")
    type: Literal["model", "tool", "compaction", "message"] = Field(
        description="A model call, a tool call, a summary that replaced older messages, or a message to the run."
    )
    content: str = Field(description="Output of the model, result of the tool as JSON, summary, or message.")
    tool: str | None = Field(description="Name of the tool.")
    arguments: Any = Field(description="Arguments of the tool.")
    status: Literal["waiting", "started", "done", "failed"] = Field(description="Outcome of the step.")
    tokens: int = Field(description="Tokens used by the model call.")
    model: str | None = Field(description="Name of the model that answered; null if none did.")
    usage: TokenUsage | None = Field(
        description="Token counts of the model call; null if it was cut before the provider told them."
    )
    cost_usd: str | None = Field(description="Price of the model call in USD; null if it is unknown.")
    finish_reason: FinishReason | None = Field(description="Why the model's answer ended.")
    reasoning: str | None = Field(description="Reasoning of the model, at most 32,000 characters.")
    attempts: list[ModelAttempt] = Field(
        description="Failed attempts before the model answered, or all of them if none did."
    )
    next_attempt_at: Timestamp | None = Field(description="When the run repeats the model call, if this one failed.")
    started_at: Timestamp = Field(description="Start time.")
    ended_at: Timestamp | None = Field(description="End time.")
    duration_ms: int | None = Field(description="Duration in milliseconds.")


class RunDetails(RunView):
    """A run with all its steps."""

    error: str | None = Field(
        description="Reason for the failure or the cancellation. While the run is open: why its last model call failed."
    )
    next_attempt_at: Timestamp | None = Field(
        description="When the run calls its model again, if it waits because the last call failed."
    )
    steps: list[StepView] = Field(description="Steps in order.")


Message = Annotated[str, Field(min_length=1, max_length=10_000)]


class RunMessage(Body):
    """Request body for sending a message to a run."""

    message: Message = Field(description="The message.")


class RunFork(Body):
    """Request body for forking a run."""

    step: int = Field(
        ge=0,
        le=1_000_000,
        description="Position of the last step to share, with all results of its tool calls. 0 shares only the "
        "run's input.",
    )
    message: Message | None = Field(None, description="Message to go on with. Required after a reply.")
