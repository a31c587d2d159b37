"""What callers see of runs."""

from typing import Any, Literal

from pydantic import Field

from retinue.core.envelope import Timestamp, View

RunStatus = Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]


class RunView(View):
    """A run."""

    id: int
    agent_id: int | None
    status: RunStatus
    message: str
    reply: str | None
    tools_used: list[str]
    tokens_used: int
    execution_time_ms: int | None
    error: str | None
    created_at: Timestamp
    started_at: Timestamp | None
    ended_at: Timestamp | None


class StepView(View):
    """One step of a run: the model spoke, or a tool was run."""

    seq: int
    type: Literal["model", "tool"]
    content: str = Field(description="What the model said, or the tool's result as JSON.")
    tool: str | None
    arguments: Any
    status: Literal["started", "done", "failed"]
    tokens: int
    started_at: Timestamp
    ended_at: Timestamp | None
    duration_ms: int | None


class RunDetails(RunView):
    """A run with every step."""

    steps: list[StepView]
