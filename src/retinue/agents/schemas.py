"""Request and response schemas of agents."""

from typing import Annotated, Literal

import orjson
from pydantic import ConfigDict, Field, field_validator

from retinue.agents.definition import (
    AgentBudget,
    AgentSkills,
    CalledAgents,
    Effort,
    FallbackModels,
    Greeting,
    Instructions,
    Knowledge,
    MaxOutputTokens,
    Metadata,
    Model,
    OutputSchema,
    Remembers,
    RunBudget,
    Temperature,
    UserName,
)
from retinue.agents.voice_settings import VoiceSettings
from retinue.core.http.dollars import Dollars
from retinue.core.http.envelope import IGNORED, Body, Changes, Id, Message, MonthlyBudget, Name, Timestamp, View, absent
from retinue.core.work.fair_leases import Priority
from retinue.files.schemas import Attached
from retinue.runs.schemas import Totals

Role = Literal["leader", "specialist", "generalist", "reviewer"]
Engine = Literal["hibari", "kokoro", "piper", "openai"]
DEFAULT_ENGINE: Engine = "hibari"
Status = Literal["idle", "working", "error"]

CONTEXT_BYTES = 64 << 10
"""Maximum size of the additional context of a run, as JSON."""

AgentName = Annotated[Name, Field(description="Name of the agent.")]
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
StoredSchema = Annotated[dict[str, object], Field(description="JSON Schema that the reply must fit.")]
Budget = Annotated[RunBudget | None, Field(description="Limits of each of the agent's runs.")]
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
_MONTHLY_COST = (
    "Maximum price in USD of the model calls of the agent's runs per calendar month, as a decimal string; null means "
    "no limit. Calls whose price is unknown do not count."
)
MonthlyCost = Annotated[Dollars | None, Field(description=_MONTHLY_COST)]
VoiceEngine = Annotated[Engine, Field(description="Speech engine of the agent's voice.")]
CallSettings = Annotated[VoiceSettings | None, Field(description="Settings of the agent's telephone calls.")]


class AgentCreate(Body):
    """Request body for creating an agent."""

    agent_name: AgentName
    agent_role: AgentRole
    instructions: Instructions | None = None
    task: Task | None = None
    skills: Skills | None = Field(default=[])
    model: Model | None = None
    fallback_models: FallbackModels | None = Field(default=[])
    temperature: Temperature | None = None
    max_output_tokens: MaxOutputTokens | None = None
    reasoning_effort: Effort | None = None
    output_schema: OutputSchema | None = None
    budget: Budget = None
    agents: CalledAgents | None = Field(default=[])
    knowledge: Knowledge | None = Field(default=[])
    agent_skills: AgentSkills | None = Field(default=[])
    memory: Remembers | None = "none"
    greeting: Greeting | None = None
    metadata: Metadata | None = Field(default={})
    fleet_id: FleetId | None = None
    voice_enabled: Voice | None = False
    voice_engine: VoiceEngine | None = DEFAULT_ENGINE
    voice: CallSettings = None
    approval: Approval | None = None
    monthly_tokens: MonthlyTokens = None
    monthly_credits: MonthlyCredits = None
    monthly_cost_usd: MonthlyCost = None


class AgentUpdate(Changes):
    """Fields to update. `null` returns a field to its default, and detaches the agent from its fleet."""

    agent_name: AgentName = Field(default_factory=absent)
    agent_role: AgentRole = Field(default_factory=absent)
    instructions: Instructions | None = Field(default_factory=absent)
    task: Task | None = Field(default_factory=absent)
    skills: Skills = Field(default_factory=absent)
    model: Model | None = Field(default_factory=absent)
    fallback_models: FallbackModels | None = Field(default_factory=absent)
    temperature: Temperature | None = Field(default_factory=absent)
    max_output_tokens: MaxOutputTokens | None = Field(default_factory=absent)
    reasoning_effort: Effort | None = Field(default_factory=absent)
    output_schema: OutputSchema | None = Field(default_factory=absent)
    budget: Budget = Field(default_factory=absent)
    agents: CalledAgents | None = Field(default_factory=absent)
    knowledge: Knowledge | None = Field(default_factory=absent)
    agent_skills: AgentSkills | None = Field(default_factory=absent)
    memory: Remembers | None = Field(default_factory=absent)
    greeting: Greeting | None = Field(default_factory=absent)
    metadata: Metadata | None = Field(default_factory=absent)
    fleet_id: FleetId | None = Field(default_factory=absent)
    voice_enabled: Voice = Field(default_factory=absent)
    voice_engine: VoiceEngine = Field(default_factory=absent)
    voice: CallSettings = Field(default_factory=absent)
    approval: Approval | None = Field(default_factory=absent)
    monthly_tokens: MonthlyTokens = Field(default_factory=absent)
    monthly_credits: MonthlyCredits = Field(default_factory=absent)
    monthly_cost_usd: MonthlyCost = Field(default_factory=absent)
    monthly_tokens_used: object = IGNORED
    monthly_credits_used: object = IGNORED
    monthly_cost_usd_used: object = IGNORED
    id: object = IGNORED
    status: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


def _is_none(value: object) -> bool:
    return value is None


class AgentView(View):
    """An agent. `task` is omitted if the agent has none. Settings that the agent leaves to their defaults are null."""

    id: int = Field(description="ID of the agent.")
    agent_name: str = Field(description="Name.")
    agent_role: Role = Field(description="Role of the agent.")
    task: str | None = Field(None, exclude_if=_is_none, description="Task of the agent when it is deployed.")
    skills: list[str] = Field(description="Names of the tools that the agent may use.")
    instructions: Instructions | None
    model: Model | None
    fallback_models: FallbackModels
    temperature: Temperature | None
    max_output_tokens: MaxOutputTokens | None
    reasoning_effort: Effort | None
    output_schema: StoredSchema | None
    budget: AgentBudget | None = Field(description="Limits of each of the agent's runs.")
    agents: CalledAgents
    knowledge: Knowledge
    agent_skills: AgentSkills
    memory: Remembers
    greeting: Greeting | None
    metadata: Metadata
    fleet_id: int | None = Field(description="ID of the fleet to which the agent belongs.")
    status: Status = Field(
        description="`working` while a run is in progress or the agent is deployed, `error` after a failure."
    )
    voice_enabled: bool = Field(description="Whether the agent accepts incoming calls.")
    voice_engine: Engine = Field(description="Speech engine of the agent's voice.")
    voice: dict[str, object] | None = Field(
        description="Settings of the agent's telephone calls that differ from the defaults."
    )
    approval: Approval
    monthly_tokens: MonthlyTokens
    monthly_credits: MonthlyCredits
    monthly_cost_usd: str | None = Field(description=_MONTHLY_COST)
    monthly_tokens_used: int = Field(description="Tokens that the agent used in this calendar month (UTC).")
    monthly_credits_used: int = Field(description="Credits that the agent used in this calendar month (UTC).")
    monthly_cost_usd_used: str = Field(
        description="Price in USD of the agent's model calls in this calendar month (UTC), as a decimal string."
    )
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class AgentDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the agent.")
    agent_id: int = Field(description="Also the ID of the agent.")
    deleted: Literal[True]


class ExecuteRequest(Body):
    """Request body for executing an agent."""

    message: Message = Field(description="Message to the agent.")
    tools: Annotated[list[Skill], Field(max_length=100)] | None = Field(
        None, description="Tools for this run, instead of the agent's skills. An empty list allows no tools."
    )
    context: dict[str, object] | None = Field(None, description="Additional context as JSON, at most 64 KiB.")
    model: Model | None = Field(None, description="Model of this run, instead of the agent's.")
    temperature: Temperature | None = Field(None, description="Temperature of this run, instead of the agent's.")
    max_output_tokens: MaxOutputTokens | None = Field(
        None, description="Maximum number of tokens of one reply in this run, instead of the agent's."
    )
    output_schema: OutputSchema | None = Field(
        None, description="JSON Schema that the reply of this run must fit, instead of the agent's."
    )
    budget: RunBudget | None = Field(None, description="Limits of this run; each replaces that of the agent.")
    attachments: Attached | None = Field(None, description="IDs of your files to attach to the message.")
    user: UserName | None = None
    stream: bool | None = Field(False, description="Whether to stream the reply as server-sent events, as in chat.")
    background: bool | None = Field(
        False, description="Whether to return 202 with the run at once, and to execute it in the background."
    )
    priority: Priority | None = Field("normal", description="Priority among your own background runs.")

    @field_validator("context")
    @classmethod
    def _check_size(cls, value: dict[str, object] | None) -> dict[str, object] | None:
        if value is not None and len(orjson.dumps(value)) > CONTEXT_BYTES:
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
