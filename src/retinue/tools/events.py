"""The events of tools."""

from typing import Literal

from pydantic import Field

from retinue.core.work.events import Event
from retinue.usage.ledger import UsageEntry


class ToolExecuted(Event):
    """A tool was executed by a caller or by an agent's run."""

    event_name = "tool.executed"
    tool: str = Field(description="Name of the tool.", examples=["network_calculate_subnet"])
    status: Literal["success", "error"] = Field(description="Whether the tool succeeded.", examples=["success"])
    execution_time_ms: int = Field(description="Time that it took, in milliseconds.", examples=[1840])
    credits_used: int = Field(description="Price of the call in credits.", examples=[1])
    run_id: int | None = Field(description="ID of the run that called it; null if a program did.", examples=[42])
    agent_id: int | None = Field(description="ID of the agent that called it; null if a program did.", examples=[1])


def tool_use(event: ToolExecuted) -> UsageEntry:
    """Return the usage record of an execution."""
    return UsageEntry(
        "tools",
        errors=int(event.status == "error"),
        credits=event.credits_used,
        milliseconds=event.execution_time_ms,
    )
