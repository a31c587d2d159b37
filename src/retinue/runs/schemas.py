"""What callers see of runs."""

from typing import Any, Literal

from pydantic import Field

from retinue.core.envelope import Timestamp, View

RunStatus = Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]


class RunView(View):
    """A run."""

    id: int = Field(description="The run's id.")
    agent_id: int | None = Field(description="The agent at work; null for a chat.")
    status: RunStatus = Field(description="Where it stands.")
    message: str = Field(description="What was asked for.")
    reply: str | None = Field(description="What came of it; of a run that failed, what it had said so far.")
    tools_used: list[str] = Field(description="Names of the tools that were run.")
    tokens_used: int = Field(description="Tokens of all model calls together.")
    execution_time_ms: int | None = Field(description="How long it took.")
    error: str | None = Field(description="Why it failed or was cancelled.")
    created_at: Timestamp = Field(description="When it was asked for.")
    started_at: Timestamp | None = Field(description="When work on it began.")
    ended_at: Timestamp | None = Field(description="When it was over.")


class StepView(View):
    """One step of a run: the model spoke, or a tool was run."""

    seq: int = Field(description="Its place in the run.")
    type: Literal["model", "tool"] = Field(description="Whether the model spoke or a tool was run.")
    content: str = Field(description="What the model said, or the tool's result as JSON.")
    tool: str | None = Field(description="The tool's name.")
    arguments: Any = Field(description="The tool's arguments.")
    status: Literal["waiting", "started", "done", "failed"] = Field(description="What became of it.")
    tokens: int = Field(description="Tokens of the model call.")
    started_at: Timestamp = Field(description="When it began.")
    ended_at: Timestamp | None = Field(description="When it was over.")
    duration_ms: int | None = Field(description="How long it took.")


class RunDetails(RunView):
    """A run with every step."""

    steps: list[StepView] = Field(description="What was done, in order.")
