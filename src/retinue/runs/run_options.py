"""The request that a run carries out: its options and budget."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from retinue.auth.plans import ToolTier
from retinue.core.database.statements import Row
from retinue.core.work.fair_leases import Priority
from retinue.usage.ledger import Spenders


class Budget(BaseModel):
    """The limits of a run.

    `tokens` limits the sum over all model calls. `credits` limits the price of tool calls; None means no limit.
    `seconds` restarts whenever a process resumes the run, so that waiting for approval does not count.
    """

    steps: int = 16
    tokens: int = 200_000
    seconds: float = 600.0
    credits: int | None = None


class RunOptions(BaseModel):
    """Everything that a process needs to resume a run, stored with it.

    `tools` names the allowed tools; None offers the catalogue's best matches. `may_execute` is True if the credential
    that started the run may execute tools; `tier` is the tool tier of its plan. With `approval`, destructive and
    open-world calls need a person's approval. `attachments` are file ids.
    """

    temperature: float = 0.7
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
    begun: int = 0
    """The number of descendant runs; counted in the first ancestor only."""
    priority: Priority = "normal"
    tier: ToolTier = "free"
    sandbox: bool = False
    approval: bool = False
    context: dict[str, Any] | None = None
    attachments: list[str] = []
    agent_name: str | None = None
    role: str | None = None
    budget: Budget = Field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class Run:
    """A run that this process has claimed. `epoch` identifies the claim and is required for every write."""

    id: int
    epoch: int
    account_id: int
    agent_id: int | None
    conversation_id: int | None
    attached: bool
    model: str
    message: str
    options: RunOptions

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
        )

    @property
    def spenders(self) -> Spenders:
        """ID of the agent and of the API key whose budgets the run uses."""
        return Spenders(self.agent_id, self.options.key_id)
