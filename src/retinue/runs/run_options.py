"""The request that a run carries out: its options and budget."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field, PlainSerializer

from retinue.auth.plans import ToolTier
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.work.fair_leases import Priority
from retinue.models.base import Message, ReasoningEffort, ToolCall, ToolOffer
from retinue.usage.ledger import BudgetOwners, UsageOrigin

Memory = Literal["none", "agent", "user"]
"""Whose facts an agent remembers: none, those of all who talk with it together, or those of each user alone."""

ATTACHMENT = "an attached file"
"""The untrusted source of a run whose conversation has attachments."""

CLIENT_RESULT = "a result of the client's tool"
"""The untrusted source of a run that got such a result."""


class Budget(BaseModel):
    """The limits of a run.

    `tokens` limits the sum over all model calls, by default to 50 times a window of 200,000. `credits` limits the price
    of tool calls, and `cost_usd` that of model calls whose prices are known; None means no limit. `seconds` restarts
    whenever a process resumes the run, so that waiting for approval does not count.
    """

    steps: int = 50
    tokens: int = 10_000_000
    seconds: float = 600.0
    credits: int | None = None
    cost_usd: Annotated[Decimal, PlainSerializer(str)] | None = None


class ClientCall(BaseModel):
    """A tool call in a message that the client sent. `arguments` is JSON text."""

    id: str
    name: str
    arguments: str


class ClientMessage(BaseModel):
    """A message of a conversation that the client keeps and sends with each request."""

    role: Literal["user", "assistant", "tool"]
    content: str = ""
    calls: list[ClientCall] = []
    call_id: str | None = None
    """The id of the call that a `tool` message answers."""
    name: str | None = None
    """The name of that call's tool."""
    attachments: list[str] = []
    """The ids of files that belong to a message of the user or of a tool."""

    def message(self) -> Message:
        """Return the message for a model."""
        calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in self.calls)
        return Message(self.role, self.content, calls, self.call_id, self.name)


class ClientTool(BaseModel):
    """A tool that the client executes, so that a call of it ends the run, or that the run's session executes.

    `parameters` is a JSON Schema.
    """

    name: str
    description: str = ""
    parameters: dict[str, object] = {}
    namespace: str | None = None
    """The client's group of tools. Names are unique in a group only, so `name` joins the two."""
    client_name: str | None = None
    """The client's name of a tool in a namespace."""
    free_text: bool = False
    """Whether the client takes text instead of arguments. `parameters` then have only `input`."""

    def offer(self) -> ToolOffer:
        """Return the offer for a model."""
        return ToolOffer(self.name, self.description, self.parameters)


class RunOptions(BaseModel):
    """Everything that a process needs to resume a run, stored with it.

    `tools` names the allowed tools; None offers the catalogue's best matches. `may_execute` is True if the credential
    that started the run may execute tools; `tier` is the tool tier of its plan. With `approval`, destructive and
    open-world calls need a person's approval; with `ask_if_untrusted`, calls that change anything and open-world calls
    do, once the run has read untrusted content. `attachments` are file ids.
    """

    temperature: float | None = 0.7
    fallback_models: list[str] = []
    max_output_tokens: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    output_schema: dict[str, object] | None = None
    """The JSON Schema that the reply must fit."""
    instructions: str | None = None
    """The agent's system prompt."""
    task: str | None = None
    """The agent's task."""
    knowledge: list[int] = []
    """IDs of the collections that the model answers from."""
    agent_skills: list[int] = []
    """IDs of the skills that the model may read, and whose scripts it may run."""
    memory: Memory = "none"
    """Whether the agent remembers facts: for everybody, or about each user."""
    user: str | None = None
    """The user of the app who talks with the agent; None for the owner of the account, or if nobody knows."""
    agents: list[int] = []
    """IDs of the agents that the model may call as tools."""
    in_fleet: bool = False
    """Whether the run is a part of the work of a fleet."""
    forked_from: int | None = None
    """The id of the run whose steps this run continues."""
    history_of: tuple[int, int] | None = None
    """The conversation, and the run before which it is read, of a run that belongs to no conversation itself."""
    shows_reasoning: bool = False
    """Whether the stream for clients includes the model's reasoning."""
    tools: list[str] | None = None
    may_execute: bool = False
    scopes: list[str] = []
    """The scopes of that credential, for tools that call the platform."""
    depth: int = 0
    """The number of ancestor runs."""
    root: int | None = None
    """The id of the first ancestor; None for a run that no other run started."""
    key_id: int | None = None
    """The id of the API key whose budget this run uses."""
    request_id: str | None = None
    """The `X-Request-ID` of the request that started this run; None for descendant runs."""
    begun: int = 0
    """The number of descendant runs; counted in the first ancestor only."""
    priority: Priority = "normal"
    tier: ToolTier = "free"
    sandbox: bool = False
    approval: bool = False
    ask_if_untrusted: bool = False
    untrusted: str | None = None
    """The untrusted source of the message itself: another run that read untrusted content, or a voice call."""
    context: dict[str, object] | None = None
    before: list[ClientMessage] = []
    """The messages before the run's own, from a client that keeps the conversation."""
    after: list[ClientMessage] = []
    """The messages after it: calls of the client's tools and their results."""
    stop: list[str] = []
    """Texts before which the model ends its reply."""
    client_tools: list[ClientTool] = []
    must_call: bool = False
    """Whether the model must call one of them."""
    repeated_fields: dict[str, object] = {}
    """Fields of the client's request that its protocol repeats in every answer about the run."""
    single_call: bool = False
    """Whether the model may call only one of them in a reply."""
    waits_for_client: bool = False
    """Whether the run waits for the results of their calls, instead of ending with the calls."""
    session: str | None = None
    """The session in which the run takes place, such as a telephone call; this process hosts it."""
    session_tools: list[ClientTool] = []
    """The tools that exist only in this session."""
    verbatim: bool = False
    """Whether the instructions are the whole system prompt."""
    day: str | None = None
    """The day on which the run was created, as YYYY-MM-DD in UTC. It never changes, so that prompts can be cached."""
    attachments: list[str] = []
    agent_name: str | None = None
    role: str | None = None
    budget: Budget = Field(default_factory=Budget)

    @property
    def all_attachments(self) -> list[str]:
        """The ids of the files of the run's message, and of the messages around it with the oldest last."""
        file_ids = [file_id for message in (*self.after, *self.before[::-1]) for file_id in message.attachments]
        return [*self.attachments, *file_ids]

    @property
    def may_pause(self) -> bool:
        """Whether calls may wait for a person or the client. Then each call gets a journal row before it starts."""
        return self.approval or self.ask_if_untrusted or self.waits_for_client


def approval_options(agent: Row, untrusted: str | None) -> dict[str, object]:
    """Return the run options for an agent's `approval`. `untrusted` is the source of a message from another agent.

    Such a message also counts for an agent whose own skills do not call for `tainted`, unless its owner chose `none`.
    """
    inherits = agent.approval_derived and untrusted is not None
    return {"approval": agent.approval == "required", "ask_if_untrusted": agent.approval == "tainted" or inherits}


@dataclass(frozen=True, slots=True)
class Run:
    """A run that this process has claimed. `epoch` identifies the claim and is required for every write.

    `untrusted` describes the first untrusted content in its conversation, or is None.
    """

    id: int
    epoch: int
    account_id: int
    agent_id: int | None
    conversation_id: int | None
    attached: bool
    model: str
    message: str
    options: RunOptions
    untrusted: str | None = None
    created_at: datetime = field(default_factory=now)

    @classmethod
    def of(cls, row: Row) -> "Run":
        """Create a run from a claimed row."""
        return cls(
            id=row.id,
            epoch=row.epoch,
            account_id=row.account_id,
            agent_id=row.agent_id,
            conversation_id=row.conversation_id,
            attached=row.attached,
            model=row.model,
            message=row.message,
            options=RunOptions.model_validate(row.options),
            untrusted=row.untrusted,
            created_at=row.created_at,
        )

    @property
    def history_place(self) -> tuple[int, int] | None:
        """The conversation whose messages are this run's history, and the run before which they stand."""
        if self.conversation_id is None:
            return self.options.history_of
        return self.conversation_id, self.id

    @property
    def spenders(self) -> BudgetOwners:
        """ID of the agent and of the API key whose budgets the run uses."""
        return BudgetOwners(self.agent_id, self.options.key_id)

    @property
    def origin(self) -> UsageOrigin:
        """The model and the user to which the usage of the run belongs."""
        return UsageOrigin(self.model, self.options.user)
