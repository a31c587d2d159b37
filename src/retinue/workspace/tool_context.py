"""Give tools that run inside the server access to one account."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from retinue.core.database.interface import Database
from retinue.files.file_access import FileAccess
from retinue.sandbox.sandboxes import Sandboxes
from retinue.workspace.records import Records, UntrustedNotes
from retinue.workspace.tree import FileTree
from retinue.workspace.typed_records import RecordKind, TypedRecords

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunAncestry:
    """The position of a new run among runs that started one another: `depth` levels below the first, `root`.

    `key_id` is the API key of the first request. `untrusted` describes untrusted content that the starting run read.
    `user` is the user of the app who talks with the first agent.
    """

    depth: int = 0
    root: int | None = None
    key_id: int | None = None
    untrusted: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """The account that a tool works for, with the scopes of the credential and the parent of new runs.

    In the `sandbox` no call reaches other hosts.
    """

    account_id: int
    scopes: frozenset[str]
    ancestry: RunAncestry = field(default_factory=RunAncestry)
    waited_for: bool = True
    """Whether a client waits for the result."""
    sandbox: bool = False
    notes: UntrustedNotes = field(default_factory=UntrustedNotes)
    answers: Mapping[str, Any] = field(default_factory=dict)
    """What a person answered to the server of an imported tool, as fields of the call."""


class PlatformApi(Protocol):
    """The account's resources outside its workspace, in the form in which the API returns them.

    Raises `InsufficientScope` if the credential lacks the scope that the API requires.
    """

    async def agents(self, most: int, skipped: int) -> tuple[list[dict[str, Any]], int]:
        """Agents, newest first, and their total number."""
        ...

    async def begin_run(self, agent_id: int, message: str, tools: Sequence[str] | None) -> dict[str, object]:
        """Start a background run of an agent; return the run."""
        ...

    async def ask_agent(self, agent_id: int, message: str) -> dict[str, Any]:
        """Run an agent and wait for its end; return its `reply`, `run_id`, `status` and `untrusted`."""
        ...

    async def run(self, run_id: int) -> dict[str, Any]:
        """Return a run."""
        ...

    async def fleets(self, most: int, skipped: int) -> tuple[list[dict[str, Any]], int]:
        """Fleets, newest first, and their total number."""
        ...

    async def deploy(self, fleet_id: int, task: str, strategy: str) -> dict[str, object]:
        """Deploy the agents of a fleet on a task; return the deployment."""
        ...

    async def deployment(self, fleet_id: int, deployment_id: int) -> dict[str, object]:
        """Return a deployment of a fleet."""
        ...

    async def find_tools(self, question: str, category: str | None, most: int) -> list[dict[str, object]]:
        """Return the tools that best match a question."""
        ...

    async def tool(self, name: str) -> dict[str, object]:
        """Return a tool with its schemas and examples. Raises `NotFound`."""
        ...

    async def usage(self) -> dict[str, Any]:
        """Return the account's usage in the current period, and the limits of its plan."""
        ...


@dataclass(frozen=True)
class ToolContext:
    """All that a tool can access, limited to one account."""

    principal: Principal
    records: Records
    tree: FileTree
    file_access: FileAccess
    platform: PlatformApi
    sandboxes: Sandboxes
    now: Callable[[], datetime]

    @property
    def account_id(self) -> int:
        """The id of the account."""
        return self.principal.account_id

    @property
    def database(self) -> Database:
        """For data that the workspace modules do not cover."""
        return self.records.database

    def items(self, kind: RecordKind[T]) -> TypedRecords[T]:
        """Return the account's items of a kind."""
        return TypedRecords(self.records, kind)
