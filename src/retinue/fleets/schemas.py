"""What callers send and see of fleets."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from retinue.agents.schemas import Role
from retinue.core.envelope import Body, Changes, Timestamp, View, absent
from retinue.core.fair_leases import Priority

Strategy = Literal["parallel", "sequential", "round-robin"]
DeploymentStatus = Literal["running", "completed", "failed", "timed_out", "cancelled"]
PartStatus = Literal["waiting", "running", "completed", "failed", "cancelled"]
Kind = Literal["plan", "work", "synthesis", "review"]

Name = Annotated[str, Field(min_length=1, max_length=100, description="What the fleet is called.")]
Description = Annotated[str, Field(max_length=2000, description="What it is for.")]
MaxAgents = Annotated[int, Field(ge=1, le=100, description="How many agents may be attached to it.")]
AutoScale = Annotated[bool, Field(description="Whether temporary copies of its agents help while parts wait.")]


class FleetCreate(Body):
    """A new fleet."""

    name: Name
    description: Description | None = ""
    max_agents: MaxAgents | None = 5
    auto_scale: AutoScale | None = False


class FleetUpdate(Changes):
    """The fields to change."""

    read_only: ClassVar[frozenset[str]] = frozenset({"id", "status", "agent_count", "tasks_completed", "created_at"})

    name: Name = Field(default_factory=absent)
    description: Description = Field(default_factory=absent)
    max_agents: MaxAgents = Field(default_factory=absent)
    auto_scale: AutoScale = Field(default_factory=absent)
    id: Any = Field(default_factory=absent, description="Ignored.")
    status: Any = Field(default_factory=absent, description="Ignored.")
    agent_count: Any = Field(default_factory=absent, description="Ignored.")
    tasks_completed: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")


class FleetView(View):
    """A fleet."""

    id: int = Field(description="The fleet's id.")
    name: str = Field(description="What it is called.")
    description: str = Field(description="What it is for.")
    status: Literal["active", "working"] = Field(description="`working` while a deployment runs, else `active`.")
    max_agents: int = Field(description="How many agents may be attached to it.")
    auto_scale: bool = Field(description="Whether temporary copies of its agents help while parts wait.")
    agent_count: int = Field(description="How many agents are attached to it.")
    tasks_completed: int = Field(description="How many parts of its deployments were completed.")
    created_at: Timestamp = Field(description="When it was made.")


class FleetDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The fleet's id.")
    fleet_id: int = Field(description="The same.")
    deleted: Literal[True]


class FleetDeploy(Body):
    """What the fleet is to do."""

    task: Annotated[str, Field(min_length=1, max_length=2000)] | None = Field(
        None, description="The task; without one, each agent works on its own."
    )
    strategy: Strategy | None = Field("parallel", description="How the agents share the work.")
    timeout: Annotated[int, Field(ge=1, le=86_400)] | None = Field(
        3600, description="Seconds after which the deployment is ended, even if parts are still running."
    )
    priority: Priority | None = Field("normal", description="Its runs' place among your own of the background.")


class Ordered(View):
    """What was asked of a fleet."""

    deployment_id: int = Field(description="The deployment's id.")
    fleet_id: int = Field(description="The fleet at work.")
    status: DeploymentStatus = Field(description="Where it stands.")
    strategy: Strategy = Field(description="How the agents share the work.")
    task: str | None = Field(description="The task; null where each agent works on its own.")
    timeout: int = Field(description="Seconds that it may take.")
    agents: list[int] = Field(description="Ids of the agents that take part.")
    agents_deployed: int = Field(description="How many they are.")
    started_at: Timestamp = Field(description="When it began.")


class DeploymentBegunView(Ordered):
    """A deployment that has just begun."""

    message: str = Field(description="The same in a sentence.")


class FailureView(View):
    """A part that came to nothing."""

    part: int = Field(description="The part's number.")
    agent_id: int = Field(description="Who worked on it.")
    agent_name: str = Field(description="What that agent is called.")
    error: str = Field(description="Why it came to nothing.")


class ResultView(View):
    """What came of a deployment."""

    reply: str | None = Field(description="The answer; null where no part was completed.")
    failures: list[FailureView] = Field(description="Who failed, and why.")


class DeploymentView(Ordered):
    """A deployment."""

    result: ResultView | None = Field(description="What came of it; null while it runs.")
    error: str | None = Field(description="Why it did not come to its end.")
    ended_at: Timestamp | None = Field(description="When it was over.")


class PartView(View):
    """What one agent does in a deployment."""

    number: int = Field(description="Its place.")
    kind: Kind = Field(description="Planning, work, bringing results together, or checking.")
    agent_id: int = Field(description="Who does it.")
    agent_name: str = Field(description="What that agent is called.")
    agent_role: Role = Field(description="Its role.")
    is_copy: bool = Field(description="Whether a temporary copy of the agent does it.")
    task: str | None = Field(description="What is to be done; null where that follows from the results of others.")
    run_id: int | None = Field(description="The run that does it, to look its steps up.")
    status: PartStatus = Field(description="Where it stands.")
    reply: str | None = Field(description="What came of it.")
    error: str | None = Field(description="Why it came to nothing.")
    started_at: Timestamp | None = Field(description="When it began.")
    ended_at: Timestamp | None = Field(description="When it was over.")


class DeploymentDetails(DeploymentView):
    """A deployment with every part."""

    parts: list[PartView] = Field(description="What each agent does, in order.")
