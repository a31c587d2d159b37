"""Request and response schemas of agents."""

from typing import Annotated, Any, ClassVar, Literal

import orjson
from pydantic import ConfigDict, Field, field_validator

from retinue.core.http.envelope import Body, Changes, Id, MonthlyBudget, Timestamp, View, absent
from retinue.core.work.fair_leases import Priority
from retinue.files.schemas import Attached
from retinue.runs.schemas import Totals

Role = Literal["leader", "specialist", "generalist", "reviewer"]
Engine = Literal["hibari", "kokoro", "piper", "openai"]
Status = Literal["idle", "working", "error"]

_CONTEXT_BYTES = 64 << 10

Name = Annotated[str, Field(min_length=1, max_length=100, description="Name of the agent.")]
AgentRole = Annotated[
    Role, Field(description="Role of the agent: plans the work, works on its own part, takes any part, or reviews.")
]
Task = Annotated[str, Field(min_length=1, max_length=2000, description="Task of the agent when it is deployed.")]
Skill = Annotated[str, Field(min_length=1, max_length=64)]
Skills = Annotated[list[Skill], Field(max_length=100, description="Names of the tools that the agent may use.")]
FleetId = Annotated[Id, Field(description="ID of the fleet to which the agent belongs.")]
Voice = Annotated[bool, Field(description="Whether the agent accepts incoming calls.")]
Approval = Annotated[
    Literal["none", "tainted", "required"],
    Field(
        description="`required`: a person must approve each tool call that deletes or overwrites data or reaches "
        "external systems. `tainted`: a person must approve each call that changes anything or reaches external "
        "systems, but only after the run has read untrusted content. By default, `tainted` if the skills both read "
        "from external systems and change something or read your data, else `none`; null restores this default."
    ),
]
MonthlyTokens = Annotated[
    MonthlyBudget | None,
    Field(
        description="Maximum number of tokens that the agent's runs may use per calendar month; null means no limit."
    ),
]
MonthlyCredits = Annotated[
    MonthlyBudget | None,
    Field(
        description="Maximum number of credits that the agent's runs may use per calendar month; null means no limit."
    ),
]
VoiceEngine = Annotated[Engine, Field(description="Speech engine of the agent's voice.")]


class AgentCreate(Body):
    """Request body for creating an agent."""

    agent_name: Name
    agent_role: AgentRole
    task: Task | None = None
    skills: Skills | None = Field(default=[])
    fleet_id: FleetId | None = None
    voice_enabled: Voice | None = False
    voice_engine: VoiceEngine | None = "hibari"
    approval: Approval | None = None
    monthly_tokens: MonthlyTokens = None
    monthly_credits: MonthlyCredits = None


class AgentUpdate(Changes):
    """Fields to update. `null` clears the task and the budgets, detaches the agent from its fleet, and restores the
    default of `approval`.
    """

    read_only: ClassVar[frozenset[str]] = frozenset({"id", "status", "created_at", "updated_at"})

    agent_name: Name = Field(default_factory=absent)
    agent_role: AgentRole = Field(default_factory=absent)
    task: Task | None = Field(default_factory=absent)
    skills: Skills = Field(default_factory=absent)
    fleet_id: FleetId | None = Field(default_factory=absent)
    voice_enabled: Voice = Field(default_factory=absent)
    voice_engine: VoiceEngine = Field(default_factory=absent)
    approval: Approval | None = Field(default_factory=absent)
    monthly_tokens: MonthlyTokens = Field(default_factory=absent)
    monthly_credits: MonthlyCredits = Field(default_factory=absent)
    id: Any = Field(default_factory=absent, description="Ignored.")
    status: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")
    updated_at: Any = Field(default_factory=absent, description="Ignored.")


def _is_none(value: object) -> bool:
    return value is None


class AgentView(View):
    """An agent. `task` is omitted if the agent has none."""

    id: int = Field(description="ID of the agent.")
    agent_name: str = Field(description="Name.")
    agent_role: Role = Field(description="Role of the agent.")
    task: str | None = Field(None, exclude_if=_is_none, description="Task of the agent when it is deployed.")
    skills: list[str] = Field(description="Names of the tools that the agent may use.")
    fleet_id: int | None = Field(description="ID of the fleet to which the agent belongs.")
    status: Status = Field(
        description="`working` while a run is in progress or the agent is deployed, `error` after a failure."
    )
    voice_enabled: bool = Field(description="Whether the agent accepts incoming calls.")
    voice_engine: Engine = Field(description="Speech engine of the agent's voice.")
    approval: Approval
    monthly_tokens: MonthlyTokens
    monthly_credits: MonthlyCredits
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class AgentDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the agent.")
    agent_id: int = Field(description="The same.")
    deleted: Literal[True]


class RunBudget(Body):
    """Limits of one run. The run fails when it reaches any of them."""

    steps: int | None = Field(None, ge=1, le=100, description="Model calls.")
    tokens: int | None = Field(None, ge=1, le=10_000_000, description="Total number of tokens of all model calls.")
    seconds: float | None = Field(None, gt=0, le=86_400, allow_inf_nan=False, description="Maximum processing time.")
    credits: int | None = Field(None, ge=0, le=1_000_000, description="Total credits of tool calls.")


class ExecuteRequest(Body):
    """Request body for executing an agent."""

    message: Annotated[str, Field(min_length=1, max_length=10_000, description="Message to the agent.")]
    tools: Annotated[list[Skill], Field(max_length=100)] | None = Field(
        None, description="Tools for this run, instead of the agent's skills. An empty list allows no tools."
    )
    context: dict[str, Any] | None = Field(None, description="Additional context as JSON, at most 64 KiB.")
    budget: RunBudget | None = Field(None, description="Limits of this run.")
    attachments: Attached | None = Field(None, description="IDs of your files to attach to the message.")
    stream: bool | None = Field(False, description="Whether to stream the reply as server-sent events, as in chat.")
    background: bool | None = Field(
        False, description="Whether to return 202 with the run at once, and to execute it in the background."
    )
    priority: Priority | None = Field("normal", description="Priority among your own background runs.")

    @field_validator("context")
    @classmethod
    def _check_size(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None and len(orjson.dumps(value)) > _CONTEXT_BYTES:
            raise ValueError("must be at most 64 KiB of JSON")
        return value


class DeployRequest(Body):
    """Request body for deploying an agent. Unknown fields are ignored for backward compatibility."""

    model_config = ConfigDict(extra="ignore", strict=True)

    priority: Priority | None = Field("normal", description="Priority of the run among your own background runs.")


class Executed(Totals):
    """The result of a run that the caller waited for."""

    reply: str = Field(description="Reply of the agent.")
    tools_used: list[str] = Field(description="Names of the tools that were executed.")
    execution_time_ms: int = Field(description="Duration in milliseconds.")
    run_id: int = Field(description="ID of the run, to retrieve its steps.")
    tokens_used: int = Field(description="Total number of tokens of all model calls.")
