"""Request and response schemas of simulations."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.agents.definition import ModelName
from retinue.core.http.envelope import Body, Id, Page, PathId, Timestamp, View

Tools = Literal["none", "execute"]
Mode = Literal["text", "sound"]
Noise = Literal["none", "street", "office"]
SimulationStatus = Literal["running", "completed", "cancelled"]
ConversationStatus = Literal["running", "completed", "needs_approval", "failed", "cancelled"]
Ending = Literal["goal_reached", "gave_up", "max_turns"]

Share = Annotated[float, Field(ge=0, le=1)]
Criterion = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


class ScenarioCreate(Body):
    """Whom the agent talks with, what the person wants, and how the conversation is rated."""

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"\S", description="Name of the scenario.")]
    persona: Annotated[
        str, Field(min_length=1, max_length=2000, pattern=r"\S", description="Who the person is, and how they talk.")
    ]
    goal: Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S", description="What the person wants.")]
    opening: Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")] | None = Field(
        None, description="First message of the person. By default, the model writes it."
    )
    noise: Noise | None = Field(
        "none",
        description="Background noise around the person with the mode `sound`: `street` (10 dB below the voice) or "
        "`office` (15 dB below).",
    )
    success_criteria: Annotated[list[Criterion], Field(max_length=20)] | None = Field(
        default_factory=list[str],
        description="Sentences about the conversation that the judge finds true or false, such as `The agent named the "
        "price before it booked.`",
    )


class SimulationCreate(Body):
    """Request body for creating a simulation."""

    agent_id: Id = Field(description="ID of the agent to test.")
    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"\S")] | None = Field(
        None, description="Name of the simulation. By default, the name of the agent."
    )
    scenarios: Annotated[list[ScenarioCreate], Field(min_length=1, max_length=100, description="The scenarios.")]
    model: ModelName | None = Field(
        None,
        description="Name of the model that plays the people and judges, from GET /models. By default, "
        "`alfred-default`. The agent keeps its own.",
    )
    mode: Mode | None = Field(
        "text",
        description="`text`: person and agent write. `sound`: their words are spoken and transcribed as on a telephone "
        "call, and each side knows only what it understood of the other. Needs speech on the server.",
    )
    tools: Tools | None = Field(
        "none",
        description="`none`: the agent talks without its tools. `execute`: it uses them, and what they change or send "
        "is real.",
    )
    max_turns: Annotated[int, Field(ge=1, le=30)] | None = Field(
        8, description="Maximum number of the agent's replies in a conversation."
    )
    repeat: Annotated[int, Field(ge=1, le=10)] | None = Field(1, description="Number of conversations per scenario.")


class SimulationFilter(Page):
    """Filter of simulations."""

    agent_id: PathId | None = Field(None, description="Only simulations of this agent.")


class ConversationFilter(Page):
    """Filter of a simulation's conversations."""

    status: ConversationStatus | None = Field(None, description="Only conversations with this status.")


class SimulationCounts(View):
    """The conversations of a simulation by status."""

    total: int = Field(description="All conversations: the scenarios times `repeat`.")
    waiting: int = Field(description="Conversations that have not begun.")
    running: int = Field(description="Conversations in progress.")
    completed: int = Field(description="Conversations that the judge has rated.")
    needs_approval: int = Field(description="Conversations that ended because a tool call needed approval.")
    failed: int = Field(description="Conversations that ended with an error.")
    cancelled: int = Field(description="Conversations that were cancelled.")


class SimulationView(View):
    """A simulation."""

    id: int = Field(description="ID of the simulation.")
    name: str = Field(description="Name.")
    status: SimulationStatus = Field(description="Status.")
    agent_id: int = Field(description="ID of the agent.")
    agent_name: str = Field(description="Name of the agent at the start.")
    agent_version: str = Field(
        description="Fingerprint of the agent's settings. Simulations with the same one tested the same settings."
    )
    model: str = Field(description="Name of the model that plays the people and judges.")
    mode: Mode = Field(description="Whether person and agent write or speak.")
    tools: Tools = Field(description="Whether the agent uses its tools.")
    max_turns: int = Field(description="Maximum number of the agent's replies in a conversation.")
    repeat: int = Field(description="Number of conversations per scenario.")
    counts: SimulationCounts = Field(description="The conversations by status.")
    goal_reached: Share | None = Field(
        description="Share of the rated conversations in which the goal was reached; null before the first."
    )
    created_at: Timestamp = Field(description="Time at which the object was created.")
    ended_at: Timestamp | None = Field(description="End time.")


class ScenarioView(View):
    """A scenario."""

    name: str = Field(description="Name of the scenario.")
    persona: str = Field(description="Who the person is, and how they talk.")
    goal: str = Field(description="What the person wants.")
    opening: str | None = Field(description="First message of the person; null if the model writes it.")
    noise: Noise | None = Field(None, description="Background noise around the person with the mode `sound`.")
    success_criteria: list[str] = Field(description="What the judge finds true or false.")


class CriterionSummary(View):
    """A criterion over all rated conversations of a scenario."""

    criterion: str = Field(description="The criterion.")
    passed: Share | None = Field(description="Share of the conversations that meet it; null before the first.")


class ScenarioSummary(View):
    """The rated conversations of a scenario."""

    scenario: int = Field(description="Number of the scenario, starting at 1.")
    name: str = Field(description="Name of the scenario.")
    conversations: int = Field(description="Number of conversations that the judge has rated.")
    goal_reached: Share | None = Field(description="Share in which the goal was reached; null before the first.")
    criteria: list[CriterionSummary] = Field(description="The criteria in order.")


class SimulationSummary(View):
    """The results of all conversations so far. Means and shares are those of the rated ones; null before the first."""

    goal_reached: Share | None = Field(description="Share in which the goal was reached.")
    criteria_passed: Share | None = Field(description="Share of all verdicts on criteria that are positive.")
    scenarios: list[ScenarioSummary] = Field(description="The scenarios in order.")
    mean_turns: float | None = Field(description="Mean number of the agent's replies.")
    mean_first_text_ms: int | None = Field(
        description="Mean time from the beginning of the agent's run to the first text of its reply."
    )
    mean_reply_ms: int | None = Field(description="Mean time from the beginning of the agent's run to its end.")
    tokens_used: int = Field(description="Tokens of the agent, the people and the judge, in all conversations.")
    cost_usd: str | None = Field(description="Cost of the same in USD; null if a price is unknown.")


class SimulationDetails(SimulationView):
    """A simulation with its scenarios and results."""

    scenarios: list[ScenarioView] = Field(description="The scenarios in order.")
    summary: SimulationSummary = Field(description="Results so far.")


class LineView(View):
    """A message of a conversation."""

    role: Literal["person", "agent"] = Field(description="Who speaks.")
    text: str = Field(description="The message.")
    heard: str | None = Field(
        description="What the other side understood of the spoken message; null if it was written, or was the person's "
        "last.",
    )
    run_id: int | None = Field(description="ID of the run that wrote it; null for the opening of the scenario.")
    tools_used: list[str] = Field(description="Names of the tools that the agent used for it.")
    first_text_ms: int | None = Field(
        description="Time from the beginning of the agent's run to its first text; null for the person."
    )
    reply_ms: int | None = Field(description="Time that the agent's run took; null for the person.")


class VerdictView(View):
    """What the judge says about a criterion."""

    criterion: str = Field(description="The criterion.")
    passed: bool = Field(description="Whether the conversation meets it.")
    reason: str = Field(description="Why, with a quotation from the transcript.")


class SimulatedView(View):
    """A conversation of a simulation."""

    number: int = Field(description="Number of the conversation, starting at 1.")
    scenario: int = Field(description="Number of its scenario, starting at 1.")
    scenario_name: str = Field(description="Name of its scenario.")
    status: ConversationStatus = Field(
        description="`completed` conversations are rated. `needs_approval`: a tool call needed approval, and was not "
        "carried out."
    )
    ending: Ending | None = Field(description="How the person ended the conversation; `max_turns` if they did not.")
    turns: int = Field(description="Number of the agent's replies.")
    goal_reached: bool | None = Field(description="Whether the goal was reached, as the judge finds.")
    reason: str | None = Field(description="Why, with a quotation from the transcript.")
    verdicts: list[VerdictView] | None = Field(description="The verdicts on the criteria, in order.")
    error: str | None = Field(description="Why the conversation has no verdict.")
    transcript: list[LineView] = Field(description="The messages in order.")
    conversation_id: str | None = Field(
        description="ID of the chat with the agent, for GET /chat/{conversation_id}; null if the agent was deleted."
    )
    tokens_used: int = Field(description="Tokens of the agent, the person and the judge.")
    cost_usd: str | None = Field(description="Cost of the same in USD; null if a price is unknown.")
    created_at: Timestamp = Field(description="Start time.")
    ended_at: Timestamp | None = Field(description="End time.")


class SimulationDeleted(View):
    """ID of the deleted simulation."""

    id: int = Field(description="ID of the simulation.")
    deleted: Literal[True]
