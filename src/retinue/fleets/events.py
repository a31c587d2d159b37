"""The events of fleets."""

from typing import Literal

from pydantic import Field

from retinue.core.work.events import Event


class FleetCreated(Event):
    """A fleet was created."""

    event_name = "fleet.created"
    fleet_id: int = Field(description="ID of the fleet.", examples=[2])
    name: str = Field(description="Name of the fleet.", examples=["Offer review"])
    max_agents: int = Field(description="Maximum number of agents in the fleet.", examples=[5])
    auto_scale: bool = Field(description="Whether the fleet adds agents under load.", examples=[False])
    status: Literal["active"] = Field("active", description="Always `active`.", examples=["active"])


class FleetDeployed(Event):
    """A fleet deployment started."""

    event_name = "fleet.deployed"
    fleet_id: int = Field(description="ID of the fleet.", examples=[2])
    deployment_id: int = Field(description="ID of the deployment.", examples=[9])
    strategy: str = Field(description="How the agents share the work.", examples=["parallel"])
    task: str | None = Field(
        description="The task of the deployment; null if each agent has its own.",
        examples=["Compare the three offers."],
    )
    agents: list[int] = Field(description="IDs of the agents that share the work.", examples=[[1, 2]])
