"""Response schemas of runs."""

from typing import Any, Literal

from pydantic import Field

from retinue.core.http.envelope import Timestamp, View
from retinue.models.base import FinishReason

RunStatus = Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]


def _is_none(value: object) -> bool:
    return value is None


class TokenUsage(View):
    """Tokens of all model calls. `input_tokens` includes cached ones, `output_tokens` those used for reasoning."""

    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int


class Figures(View):
    """How a run ended, and what it used."""

    usage: TokenUsage | None = Field(None, exclude_if=_is_none, description="Tokens of all model calls.")
    cost_usd: str | None = Field(None, exclude_if=_is_none, description="Price of all model calls in USD, if known.")
    finish_reason: FinishReason | None = Field(None, exclude_if=_is_none, description="Why the reply ended.")
    output: Any = Field(None, exclude_if=_is_none, description="The reply, parsed, if it had to fit a JSON Schema.")


class RunView(View):
    """A run."""

    id: int = Field(description="ID of the run.")
    agent_id: int | None = Field(description="ID of the agent; null for a chat.")
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


class StepView(View):
    """A step of a run: a model call or a tool call."""

    seq: int = Field(description="Position of the step in the run.")
    type: Literal["model", "tool"] = Field(description="Whether the step is a model call or a tool call.")
    content: str = Field(description="Output of the model, or result of the tool as JSON.")
    tool: str | None = Field(description="Name of the tool.")
    arguments: Any = Field(description="Arguments of the tool.")
    status: Literal["waiting", "started", "done", "failed"] = Field(description="Outcome of the step.")
    tokens: int = Field(description="Tokens used by the model call.")
    started_at: Timestamp = Field(description="Start time.")
    ended_at: Timestamp | None = Field(description="End time.")
    duration_ms: int | None = Field(description="Duration in milliseconds.")


class RunDetails(RunView):
    """A run with all its steps."""

    steps: list[StepView] = Field(description="Steps in order.")
