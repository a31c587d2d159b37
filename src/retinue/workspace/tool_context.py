"""What a tool that runs inside the server works with: the desk of one account."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from retinue.bubbles.bubbles import Bubbles
from retinue.core.database import Database
from retinue.files.file_access import Lender
from retinue.workspace.records import Records
from retinue.workspace.tree import Tree
from retinue.workspace.typed_records import Items, Kind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a new run stands among runs that began one another: `depth` runs away from the first, which is `root`.

    `key_id` is the API key that the first request came with.
    """

    depth: int = 0
    root: int | None = None
    key_id: int | None = None


@dataclass(frozen=True, slots=True)
class Behalf:
    """On whose behalf a tool works: the account, the scopes of the credential, and whose descendants runs will be.

    In the `sandbox` no call goes out to other hosts.
    """

    account_id: int
    scopes: frozenset[str]
    lineage: Lineage = field(default_factory=Lineage)
    waited_for: bool = True
    """Whether a client waits for the result."""
    sandbox: bool = False


class Around(Protocol):
    """What the account has on the platform beside its workspace. Everything is as the API would show it.

    Raises `InsufficientScope` where the credential lacks the scope that the API would ask for.
    """

    async def agents(self, most: int, skipped: int) -> tuple[list[dict[str, Any]], int]:
        """Agents, newest first, and how many there are."""
        ...

    async def begin_run(self, agent_id: int, message: str, tools: Sequence[str] | None) -> dict[str, Any]:
        """Put an agent to work in the background; returns its run."""
        ...

    async def run(self, run_id: int) -> dict[str, Any]:
        """A run."""
        ...

    async def fleets(self, most: int, skipped: int) -> tuple[list[dict[str, Any]], int]:
        """Fleets, newest first, and how many there are."""
        ...

    async def deploy(self, fleet_id: int, task: str, strategy: str) -> dict[str, Any]:
        """Set the agents of a fleet to work on a task; returns the deployment."""
        ...

    async def deployment(self, fleet_id: int, deployment_id: int) -> dict[str, Any]:
        """A deployment of a fleet."""
        ...

    async def find_tools(self, question: str, category: str | None, most: int) -> list[dict[str, Any]]:
        """The tools that fit a question best."""
        ...

    async def tool(self, name: str) -> dict[str, Any]:
        """A tool with its schemas and examples, or `NotFound`."""
        ...

    async def usage(self) -> dict[str, Any]:
        """What the account has used in the running period, and the limits of its plan."""
        ...


@dataclass(frozen=True)
class Desk:
    """All that a tool may touch. Nothing of another account is ever seen."""

    behalf: Behalf
    records: Records
    tree: Tree
    lender: Lender
    around: Around
    bubbles: Bubbles
    now: Callable[[], datetime]

    @property
    def account_id(self) -> int:
        """Whose desk it is."""
        return self.behalf.account_id

    @property
    def database(self) -> Database:
        """For what the parts of the workspace do not do."""
        return self.records.database

    def items(self, kind: Kind[T]) -> Items[T]:
        """The account's things of a kind."""
        return Items(self.records, kind)
