"""What callers send and see of agents."""

from typing import Annotated, Any, ClassVar, Literal

import orjson
from pydantic import ConfigDict, Field, field_validator

from retinue.core.envelope import Body, Changes, Id, MonthlyBudget, Timestamp, View, absent
from retinue.core.fair_leases import Priority
from retinue.files.schemas import Attached

Role = Literal["leader", "specialist", "generalist", "reviewer"]
Engine = Literal["hibari", "kokoro", "piper", "openai"]
Status = Literal["idle", "working", "error"]

_CONTEXT_BYTES = 64 << 10

Name = Annotated[str, Field(min_length=1, max_length=100, description="What the agent is called.")]
AgentRole = Annotated[Role, Field(description="How it works: plans, works on its part, takes any part, or checks.")]
Task = Annotated[str, Field(min_length=1, max_length=2000, description="What it works on when it is deployed.")]
Skill = Annotated[str, Field(min_length=1, max_length=64)]
Skills = Annotated[list[Skill], Field(max_length=100, description="Names of the tools that it may use.")]
FleetId = Annotated[Id, Field(description="The fleet that it is attached to.")]
Voice = Annotated[bool, Field(description="Whether calls may come in to it.")]
Approval = Annotated[
    Literal["none", "required"],
    Field(
        description="`required`: a person must approve each call that deletes or overwrites what is there, or goes out "
        "to the world."
    ),
]
MonthlyTokens = Annotated[
    MonthlyBudget | None, Field(description="Tokens that its runs may use in a calendar month; null means any number.")
]
MonthlyCredits = Annotated[
    MonthlyBudget | None, Field(description="Credits that its runs may use in a calendar month; null means any number.")
]
VoiceEngine = Annotated[Engine, Field(description="The engine that speaks for it.")]


class AgentCreate(Body):
    """A new agent."""

    agent_name: Name
    agent_role: AgentRole
    task: Task | None = None
    skills: Skills | None = Field(default=[])
    fleet_id: FleetId | None = None
    voice_enabled: Voice | None = False
    voice_engine: VoiceEngine | None = "hibari"
    approval: Approval | None = "none"
    monthly_tokens: MonthlyTokens = None
    monthly_credits: MonthlyCredits = None


class AgentUpdate(Changes):
    """The fields to change; `null` clears the task and the budgets, and detaches from the fleet."""

    read_only: ClassVar[frozenset[str]] = frozenset({"id", "status", "created_at", "updated_at"})

    agent_name: Name = Field(default_factory=absent)
    agent_role: AgentRole = Field(default_factory=absent)
    task: Task | None = Field(default_factory=absent)
    skills: Skills = Field(default_factory=absent)
    fleet_id: FleetId | None = Field(default_factory=absent)
    voice_enabled: Voice = Field(default_factory=absent)
    voice_engine: VoiceEngine = Field(default_factory=absent)
    approval: Approval = Field(default_factory=absent)
    monthly_tokens: MonthlyTokens = Field(default_factory=absent)
    monthly_credits: MonthlyCredits = Field(default_factory=absent)
    id: Any = Field(default_factory=absent, description="Ignored.")
    status: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    updated_at: Any = Field(default_factory=absent, description="Ignored.")


def _is_none(value: object) -> bool:
    return value is None


class AgentView(View):
    """An agent. `task` is absent until it has one."""

    id: int = Field(description="The agent's id.")
    agent_name: str = Field(description="What it is called.")
    agent_role: Role = Field(description="How it works.")
    task: str | None = Field(None, exclude_if=_is_none, description="What it works on when it is deployed.")
    skills: list[str] = Field(description="Names of the tools that it may use.")
    fleet_id: int | None = Field(description="The fleet that it is attached to.")
    status: Status = Field(description="`working` while a run goes on or it stands deployed, `error` after a failure.")
    voice_enabled: bool = Field(description="Whether calls may come in to it.")
    voice_engine: Engine = Field(description="The engine that speaks for it.")
    approval: Approval
    monthly_tokens: MonthlyTokens
    monthly_credits: MonthlyCredits
    created_at: Timestamp = Field(description="When it was made.")
    updated_at: Timestamp = Field(description="When it was last changed.")


class AgentDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The agent's id.")
    agent_id: int = Field(description="The same.")
    deleted: Literal[True]


class RunBudget(Body):
    """Bounds of one run. It fails at the first that it reaches."""

    steps: int | None = Field(None, ge=1, le=100, description="Model calls.")
    tokens: int | None = Field(None, ge=1, le=10_000_000, description="Tokens of all model calls together.")
    seconds: float | None = Field(None, gt=0, le=86_400, allow_inf_nan=False, description="How long it is worked on.")
    credits: int | None = Field(None, ge=0, le=1_000_000, description="Credits of its tools together.")


class ExecuteRequest(Body):
    """What the agent is to do now."""

    message: Annotated[str, Field(min_length=1, max_length=10_000, description="What to do.")]
    tools: Annotated[list[Skill], Field(max_length=100)] | None = Field(
        None, description="Tools for this run in place of the agent's skills; an empty list means none."
    )
    context: dict[str, Any] | None = Field(None, description="Extra context as JSON, at most 64 KiB.")
    budget: RunBudget | None = Field(None, description="Where this run ends at the latest.")
    attachments: Attached | None = Field(None, description="Ids of your files that go with the message.")
    stream: bool | None = Field(False, description="Answer with server-sent events, as chat does.")
    background: bool | None = Field(False, description="Answer 202 with the run, and work on it in the background.")
    priority: Priority | None = Field("normal", description="Its place among your own runs of the background.")

    @field_validator("context")
    @classmethod
    def _bounded(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None and len(orjson.dumps(value)) > _CONTEXT_BYTES:
            raise ValueError("may hold at most 64 KiB of JSON")
        return value


class DeployRequest(Body):
    """How the agent is to be deployed. Other fields are let pass, as ever on this path."""

    model_config = ConfigDict(extra="ignore", strict=True)

    priority: Priority | None = Field("normal", description="The run's place among your own runs of the background.")


class Executed(View):
    """The answer of a run that the caller waited for."""

    reply: str = Field(description="What the agent answered.")
    tools_used: list[str] = Field(description="Names of the tools that were run.")
    execution_time_ms: int = Field(description="How long it took.")
    run_id: int = Field(description="The run, to look its steps up.")
    tokens_used: int = Field(description="Tokens of all model calls together.")
