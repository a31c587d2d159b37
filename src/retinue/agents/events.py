"""The events of agents."""

from typing import Literal

from pydantic import Field

from retinue.core.work.events import Event


class AgentCreated(Event):
    """An agent was created."""

    event_name = "agent.created"
    agent_id: int = Field(description="ID of the agent.", examples=[1])
    agent_name: str = Field(description="Name of the agent.", examples=["Research desk"])
    agent_role: str = Field(description="Role of the agent.", examples=["specialist"])
    fleet_id: int | None = Field(description="ID of the fleet; null if there is none.")
    status: Literal["idle"] = Field("idle", description="Always `idle`.", examples=["idle"])


class AgentDeployed(Event):
    """An agent was deployed or started."""

    event_name = "agent.deployed"
    agent_id: int = Field(description="ID of the agent.", examples=[1])
    agent_name: str = Field(description="Name of the agent.", examples=["Research desk"])
    fleet_id: int | None = Field(description="ID of the fleet; null if there is none.")
    status: Literal["working"] = Field("working", description="Always `working`.", examples=["working"])
