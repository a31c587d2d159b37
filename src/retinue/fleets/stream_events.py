"""The events of a deployment's stream."""

from typing import Literal, Self

from pydantic import Field

from retinue.agents.schemas import Role
from retinue.core.database.statements import Row
from retinue.core.http.envelope import Timestamp, View
from retinue.fleets.schemas import DeploymentStatus, Kind, PartStatus, ResultView, Strategy


class StreamEvent(View):
    """An event of a deployment."""


class DeploymentStarted(StreamEvent):
    """A deployment started."""

    type: Literal["deployment_start"] = "deployment_start"
    deployment_id: int = Field(description="ID of the deployment.")
    fleet_id: int = Field(description="ID of the fleet.")
    strategy: Strategy = Field(description="Strategy for distributing the work.")
    task: str | None = Field(description="Task of the fleet; null if each agent works on its own task.")
    timeout: int = Field(description="Time limit in seconds.")
    agents: list[int] = Field(description="IDs of the participating agents.")
    started_at: Timestamp = Field(description="Start time.")

    @classmethod
    def of(cls, row: Row) -> Self:
        """Return the event for a deployment's row."""
        agents = [member[0] for member in row.members]
        return cls.of_row(row, deployment_id=row.id, agents=agents)


class PartEvent(StreamEvent):
    """An event of a part of a deployment."""

    number: int = Field(description="Number of the part.")
    kind: Kind = Field(description="Kind of part: planning, working, merging results, or reviewing.")
    agent_id: int = Field(description="Name of the agent that works on the part.")
    agent_name: str = Field(description="Name of that agent.")
    is_copy: bool = Field(description="Whether a temporary copy of the agent does the work.")


class PartStarted(PartEvent):
    """An agent, or a temporary copy of one, started a part."""

    type: Literal["part_start"] = "part_start"
    agent_role: Role = Field(description="Role of the agent.")
    task: str | None = Field(description="Task of the part; null if it follows from the results of other parts.")
    run_id: int = Field(description="ID of the run, whose own events have more details.")
    started_at: Timestamp = Field(description="Start time.")


class PartEnded(PartEvent):
    """A part ended."""

    type: Literal["part_end"] = "part_end"
    run_id: int | None = Field(description="ID of the run; null if it never started.")
    status: PartStatus = Field(description="Final status.")
    reply: str | None = Field(description="Result of the part.")
    error: str | None = Field(description="Reason for the failure.")
    ended_at: Timestamp = Field(description="End time.")


class DeploymentEnded(StreamEvent):
    """The deployment ended. This is the last event."""

    type: Literal["deployment_end"] = "deployment_end"
    deployment_id: int = Field(description="ID of the deployment.")
    status: DeploymentStatus = Field(description="Final status.")
    result: ResultView = Field(description="Result of the part.")
    error: str | None = Field(description="Reason for the failure of the deployment.")
    ended_at: Timestamp = Field(description="End time.")

    @classmethod
    def of(cls, row: Row) -> Self:
        """Return the event for a deployment's row."""
        return cls.of_row(row, deployment_id=row.id)
