"""The events of runs."""

from retinue.core.work.events import Event


class AgentCompleted(Event):
    """An agent completed a task."""

    event_name = "agent.completed"
    agent_id: int
    agent_name: str
    run_id: int
    reply: str
    tools_used: list[str]
    tokens_used: int
    execution_time_ms: int


class ApprovalRequested(Event):
    """A run is waiting for a person to approve a tool call."""

    event_name = "approval.requested"
    approval_id: int
    run_id: int
    agent_id: int | None
    tool: str
    untrusted: str | None


class AgentError(Event):
    """An agent's run failed."""

    event_name = "agent.error"
    agent_id: int
    agent_name: str
    run_id: int
    error: str
