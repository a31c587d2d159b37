"""The events of tools."""

from typing import Literal

from retinue.core.work.events import Event
from retinue.usage.ledger import UsageEntry


class ToolExecuted(Event):
    """A tool was executed by a caller or by an agent's run."""

    event_name = "tool.executed"
    tool: str
    status: Literal["success", "error"]
    execution_time_ms: int
    credits_used: int
    run_id: int | None
    agent_id: int | None


def tool_use(event: ToolExecuted) -> UsageEntry:
    """Return the usage record of an execution."""
    return UsageEntry(
        "tools",
        errors=int(event.status == "error"),
        credits=event.credits_used,
        milliseconds=event.execution_time_ms,
    )
