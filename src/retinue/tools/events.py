"""What customers are told of tools."""

from typing import Literal

from retinue.core.events import Event


class ToolExecuted(Event):
    """A tool was executed, by a caller or by an agent's run."""

    event_name = "tool.executed"
    tool: str
    status: Literal["success", "error"]
    execution_time_ms: int
    credits_used: int
    run_id: int | None
    agent_id: int | None
