"""What a run was asked for, and its state while a process works on it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from retinue.auth.plans import ToolTier
from retinue.core.fair_leases import Priority
from retinue.core.statements import Row
from retinue.models.base import ToolCall
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
class ModelStep:
    """What the model said before it asked for tools: row `seq` of the journal."""

    seq: int
    text: str
    calls: Sequence[ToolCall]
    tokens: int
    began: datetime


@dataclass(slots=True)
class Run:
    """A run in the hands of this process. `epoch` is the claim under which it may write.

    `reply` is what it has said so far in the journal's row `reply_seq`. `unsaved` is a step that the journal does not
    have yet; until it does, `reply` is the text of that step. `ending` is set once the run's end is being written: from
    then on nothing may interrupt it.
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
    seq: int = 0
    tokens_used: int = 0
    credits_used: int = 0
    tools_used: list[str] = field(default_factory=list)
    reply: str = ""
    reply_seq: int = 0
    unsaved: ModelStep | None = None
    ending: bool = False
    took_ms: int = 0
    began: float = field(default_factory=time.monotonic)

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
            tokens_used=row.tokens_used,
            tools_used=list(row.tools_used),
            reply=row.reply or "",
            reply_seq=row.reply_seq or 0,
        )

    @property
    def spenders(self) -> Spenders:
        """Whose budgets it uses."""
        return Spenders(self.agent_id, self.options.key_id)

    def used(self, tool: str) -> None:
        """Note a tool once, in the order of first use."""
        if tool not in self.tools_used:
            self.tools_used.append(tool)

    def saved(self) -> None:
        """The journal has the step that was not saved."""
        self.unsaved, self.reply = None, ""

    def close(self) -> None:
        """From here on the end is being written; `took_ms` is how long this process worked on it."""
        self.ending = True
        self.took_ms = round((time.monotonic() - self.began) * 1000)
