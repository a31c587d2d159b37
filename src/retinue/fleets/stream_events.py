"""The events of a deployment's stream."""

from typing import Literal, Self

from pydantic import Field

from retinue.agents.schemas import Role
from retinue.core.envelope import Timestamp, View
from retinue.core.statements import Row
from retinue.fleets.schemas import DeploymentStatus, Kind, PartStatus, ResultView, Strategy


class Happening(View):
    """One event of a deployment."""


class DeploymentStarted(Happening):
    """The fleet was set to work."""

    type: Literal["deployment_start"] = "deployment_start"
    deployment_id: int = Field(description="The deployment's id.")
    fleet_id: int = Field(description="The fleet at work.")
    strategy: Strategy = Field(description="How the agents share the work.")
    task: str | None = Field(description="The task; null where each agent works on its own.")
    timeout: int = Field(description="Seconds that it may take.")
    agents: list[int] = Field(description="Ids of the agents that take part.")
    started_at: Timestamp = Field(description="When it began.")

    @classmethod
    def of(cls, row: Row) -> Self:
        """From a deployment's row."""
        agents = [member[0] for member in row.members]
        return cls.model_validate({**row._asdict(), "deployment_id": row.id, "agents": agents})


class PartHappening(Happening):
    """One event of a part of the work."""

    number: int = Field(description="The part's place.")
    kind: Kind = Field(description="Planning, work, bringing results together, or checking.")
    agent_id: int = Field(description="Whose part it is.")
    agent_name: str = Field(description="What that agent is called.")
    is_copy: bool = Field(description="Whether a temporary copy of the agent does it.")


class PartStarted(PartHappening):
    """An agent, or a temporary copy of one, begins a part of the work."""

    type: Literal["part_start"] = "part_start"
    agent_role: Role = Field(description="The agent's role.")
    task: str | None = Field(description="What is to be done; null where that follows from the results of others.")
    run_id: int = Field(description="The run that does it; its events tell more.")
    started_at: Timestamp = Field(description="When it began.")


class PartEnded(PartHappening):
    """A part of the work is over."""

    type: Literal["part_end"] = "part_end"
    run_id: int | None = Field(description="The run that did it; null where it was never begun.")
    status: PartStatus = Field(description="How it ended.")
    reply: str | None = Field(description="What came of it.")
    error: str | None = Field(description="Why it came to nothing.")
    ended_at: Timestamp = Field(description="When it was over.")


class DeploymentEnded(Happening):
    """The deployment is over: nothing follows."""

    type: Literal["deployment_end"] = "deployment_end"
    deployment_id: int = Field(description="The deployment's id.")
    status: DeploymentStatus = Field(description="How it ended.")
    result: ResultView = Field(description="What came of it.")
    error: str | None = Field(description="Why it did not come to its end.")
    ended_at: Timestamp = Field(description="When it was over.")

    @classmethod
    def of(cls, row: Row) -> Self:
        """From a deployment's row."""
        return cls.model_validate({**row._asdict(), "deployment_id": row.id})
