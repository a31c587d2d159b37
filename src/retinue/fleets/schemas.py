"""Request and response schemas of fleets."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.agents.schemas import Role
from retinue.core.http.envelope import EMPTY_IF_NULL, IGNORED, Body, Changes, Name, Timestamp, View, absent
from retinue.core.work.fair_leases import Priority

Strategy = Literal["parallel", "sequential", "round-robin"]
DeploymentStatus = Literal["running", "completed", "failed", "timed_out", "cancelled"]
PartStatus = Literal["waiting", "running", "completed", "failed", "cancelled"]
Kind = Literal["plan", "work", "synthesis", "review"]

FleetName = Annotated[Name, Field(description="Name of the fleet.")]
Description = Annotated[str, Field(max_length=2000, description="Description of the fleet.")]
MaxAgents = Annotated[int, Field(ge=1, le=100, description="Maximum number of agents in the fleet.")]
AutoScale = Annotated[bool, Field(description="Whether to add temporary copies of its agents while parts are waiting.")]


class FleetCreate(Body):
    """Request body for creating a fleet."""

    name: FleetName
    description: Description | None = ""
    max_agents: MaxAgents | None = 5
    auto_scale: AutoScale | None = False


class FleetUpdate(Changes):
    """Fields to update. Omitted fields keep their values."""

    name: FleetName = Field(default_factory=absent)
    description: Annotated[Description | None, EMPTY_IF_NULL] = Field(default_factory=absent)
    max_agents: MaxAgents = Field(default_factory=absent)
    auto_scale: AutoScale = Field(default_factory=absent)
    id: object = IGNORED
    status: object = IGNORED
    agent_count: object = IGNORED
    tasks_completed: object = IGNORED
    created_at: object = IGNORED


class FleetView(View):
    """A fleet."""

    id: int = Field(description="ID of the fleet.")
    name: str = Field(description="Name.")
    description: str = Field(description="Description of the fleet.")
    status: Literal["active", "working"] = Field(description="`working` during a deployment, otherwise `active`.")
    max_agents: int = Field(description="Maximum number of agents in the fleet.")
    auto_scale: bool = Field(description="Whether to add temporary copies of its agents while parts are waiting.")
    agent_count: int = Field(description="Number of agents in the fleet.")
    tasks_completed: int = Field(description="Number of completed parts of deployments.")
    created_at: Timestamp = Field(description="Time at which the object was created.")


class FleetDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the fleet.")
    fleet_id: int = Field(description="Also the ID of the fleet.")
    deleted: Literal[True]


class FleetDeploy(Body):
    """Request body for deploying a fleet."""

    task: Annotated[str, Field(min_length=1, max_length=2000)] | None = Field(
        None, description="Task of the fleet. Without one, each agent works on its own task."
    )
    strategy: Strategy | None = Field("parallel", description="Strategy for distributing the work.")
    timeout: Annotated[int, Field(ge=1, le=86_400)] | None = Field(
        3600, description="Time limit in seconds. The deployment ends after it, even if parts are still running."
    )
    priority: Priority | None = Field(
        "normal", description="Priority of the deployment's runs among your own background runs."
    )


class Ordered(View):
    """A deployment of a fleet."""

    deployment_id: int = Field(description="ID of the deployment.")
    fleet_id: int = Field(description="ID of the fleet.")
    status: DeploymentStatus = Field(description="Status.")
    strategy: Strategy = Field(description="Strategy for distributing the work.")
    task: str | None = Field(description="Task of the fleet; null if each agent works on its own task.")
    timeout: int = Field(description="Time limit in seconds.")
    agents: list[int] = Field(description="IDs of the participating agents.")
    agents_deployed: int = Field(description="Number of participating agents.")
    started_at: Timestamp = Field(description="Start time.")


class DeploymentBegunView(Ordered):
    """A deployment that has just started."""

    message: str = Field(description="Description of the deployment in a sentence.")


class FailureView(View):
    """A part that failed."""

    part: int = Field(description="Number of the part.")
    agent_id: int = Field(description="ID of the agent that worked on the part.")
    agent_name: str = Field(description="Name of that agent.")
    error: str = Field(description="Reason for the failure.")


class ResultView(View):
    """The result of a deployment."""

    reply: str | None = Field(description="Final answer; null if no part was completed.")
    failures: list[FailureView] = Field(description="Parts that failed, with the reasons.")


class DeploymentView(Ordered):
    """A deployment."""

    result: ResultView | None = Field(description="Result; null while the deployment is running.")
    error: str | None = Field(description="Reason for the failure of the deployment.")
    ended_at: Timestamp | None = Field(description="End time.")


class PartView(View):
    """A part of a deployment, which one agent works on."""

    number: int = Field(description="Number of the part, starting at 1.")
    kind: Kind = Field(description="Kind of part: planning, working, merging results, or reviewing.")
    agent_id: int = Field(description="ID of the agent.")
    agent_name: str = Field(description="Name of that agent.")
    agent_role: Role = Field(description="Role of that agent.")
    is_copy: bool = Field(description="Whether a temporary copy of the agent does the work.")
    task: str | None = Field(description="Task of the part; null if it follows from the results of other parts.")
    run_id: int | None = Field(description="ID of the run that works on the part, to retrieve its steps.")
    status: PartStatus = Field(description="Status.")
    reply: str | None = Field(description="Result of the part.")
    error: str | None = Field(description="Reason for the failure.")
    started_at: Timestamp | None = Field(description="Start time.")
    ended_at: Timestamp | None = Field(description="End time.")


class DeploymentDetails(DeploymentView):
    """A deployment with all its parts."""

    parts: list[PartView] = Field(description="Parts in order.")
