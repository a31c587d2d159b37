"""The events of fleets."""

from typing import Literal

from retinue.core.work.events import Event


class FleetCreated(Event):
    """A fleet was created."""

    event_name = "fleet.created"
    fleet_id: int
    name: str
    max_agents: int
    auto_scale: bool
    status: Literal["active"] = "active"


class FleetDeployed(Event):
    """A fleet deployment started."""

    event_name = "fleet.deployed"
    fleet_id: int
    deployment_id: int
    strategy: str
    task: str | None
    agents: list[int]
