"""The events of agents."""

from typing import Literal

from retinue.core.work.events import Event


class AgentCreated(Event):
    """An agent was created."""

    event_name = "agent.created"
    agent_id: int
    agent_name: str
    agent_role: str
    fleet_id: int | None
    status: Literal["idle"] = "idle"


class AgentDeployed(Event):
    """An agent was deployed or started."""

    event_name = "agent.deployed"
    agent_id: int
    agent_name: str
    fleet_id: int | None
    status: Literal["working"] = "working"
