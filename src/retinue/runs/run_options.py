"""What a run was asked for."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from retinue.auth.plans import ToolTier
from retinue.core.fair_leases import Priority
from retinue.core.statements import Row
from retinue.usage.ledger import Spenders


class Budget(BaseModel):
    """Where a run ends at the latest.

    `tokens` sums all its model calls, `credits` the price of its tools, None without a bound; `seconds` counts anew
    whenever work on it begins, so that waiting for a person costs nothing.
    """

    steps: int = 16
    tokens: int = 200_000
    seconds: float = 600.0
    credits: int | None = None


class RunOptions(BaseModel):
    """Stored with the run: everything that whoever goes on with it needs to know.

    `tools` names what may be used; None offers the catalogue's best matches. `may_execute` tells whether the credential
    that started the run may execute tools at all, `tier` which ones its plan includes. `approval`: a person must agree
    to what destroys or goes out. `attachments` are ids of files.
    """

    temperature: float = 0.7
    tools: list[str] | None = None
    may_execute: bool = False
    scopes: list[str] = []
    """What that credential may do, for tools that reach into the platform."""
    depth: int = 0
    """How many runs began one another before this one."""
    root: int | None = None
    """The first of those runs; None for a run that no other one began."""
    key_id: int | None = None
    """The API key whose request led to this run, for its budget."""
    begun: int = 0
    """Of a first run: how many runs were begun by it, by those, and so on."""
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
    """A run that this process has claimed: what was asked for. `epoch` is the claim under which it may write."""

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
        """From a claimed row."""
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
        """Whose budgets it uses."""
        return Spenders(self.agent_id, self.options.key_id)
