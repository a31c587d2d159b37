"""The events of simulations."""

from typing import Literal

from pydantic import Field

from retinue.core.work.events import Event


class SimulationCompleted(Event):
    """All conversations of a simulation have ended."""

    event_name = "simulation.completed"
    simulation_id: int = Field(description="ID of the simulation.", examples=[4])
    name: str = Field(description="Name of the simulation.", examples=["Bookings"])
    agent_id: int = Field(description="ID of the agent.", examples=[1])
    agent_version: str = Field(description="Fingerprint of the agent's settings.", examples=["3f9a1c07be52"])
    status: Literal["completed"] = Field("completed", description="Always `completed`.", examples=["completed"])
    counts: dict[str, int] = Field(
        description="The conversations by status.", examples=[{"completed": 19, "needs_approval": 1}]
    )
    goal_reached: float | None = Field(
        description="Share of the rated conversations in which the goal was reached; null if none was rated.",
        examples=[0.95],
    )
