"""The events of runs."""

from typing import Annotated

from pydantic import Field

from retinue.core.work.events import Event

UserOfApp = Annotated[
    str | None,
    Field(description="User of your app, as the request named the user; null if none.", examples=["cust-42"]),
]


class AgentCompleted(Event):
    """An agent completed a task."""

    event_name = "agent.completed"
    agent_id: int = Field(description="ID of the agent.", examples=[1])
    agent_name: str = Field(description="Name of the agent.", examples=["Research desk"])
    run_id: int = Field(description="ID of the run. `GET /runs/{id}` returns its steps.", examples=[42])
    user: UserOfApp
    reply: str = Field(description="The agent's answer.", examples=["A /21 network has 2,046 usable hosts."])
    tools_used: list[str] = Field(
        description="Names of the tools that the run called.", examples=[["network_calculate_subnet"]]
    )
    tokens_used: int = Field(description="Tokens that the run used, of prompts and replies.", examples=[812])
    execution_time_ms: int = Field(description="Time that it took, in milliseconds.", examples=[1840])


class ApprovalRequested(Event):
    """A run is waiting for a person to approve a tool call."""

    event_name = "approval.requested"
    approval_id: int = Field(description="ID of the approval. Decide with `POST /approvals/{id}`.", examples=[7])
    run_id: int = Field(description="ID of the run. `GET /runs/{id}` returns its steps.", examples=[42])
    agent_id: int | None = Field(description="ID of the agent.", examples=[1])
    tool: str = Field(description="Name of the tool that the agent wants to call.", examples=["file_write"])
    untrusted: str | None = Field(description="The first untrusted content that the run had read; null if none.")
    question: str | None = Field(description="What the tool's server asks a person; null if the call needs approval.")


class AgentWaiting(Event):
    """An agent's run has paused until a person decides on tool calls or answers questions of their servers."""

    event_name = "agent.waiting"
    agent_id: int = Field(description="ID of the agent.", examples=[1])
    agent_name: str = Field(description="Name of the agent.", examples=["Research desk"])
    run_id: int = Field(description="ID of the run.", examples=[42])
    approval_ids: list[int] = Field(
        description="IDs of the approvals for which it waits. Decide with `POST /approvals/{id}`.", examples=[[7]]
    )
    user: UserOfApp


class AgentCancelled(Event):
    """An agent's run was cancelled before it was complete."""

    event_name = "agent.cancelled"
    agent_id: int = Field(description="ID of the agent.", examples=[1])
    agent_name: str = Field(description="Name of the agent.", examples=["Research desk"])
    run_id: int = Field(description="ID of the run. `GET /runs/{id}` returns its steps.", examples=[42])
    user: UserOfApp


class AgentError(Event):
    """An agent's run failed."""

    event_name = "agent.error"
    agent_id: int = Field(description="ID of the agent.", examples=[1])
    agent_name: str = Field(description="Name of the agent.", examples=["Research desk"])
    run_id: int = Field(description="ID of the run. `GET /runs/{id}` returns its steps.", examples=[42])
    user: UserOfApp
    error: str = Field(description="Why it failed.", examples=["The model provider did not respond within 60 seconds."])
