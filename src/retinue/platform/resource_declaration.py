"""What a package adds to the server.

A package with endpoints, tables or background work declares it in its `resource.py`, and `retinue.platform.resources`
lists these declarations. A `resource.py` is the outermost module of its package: it may import the platform, and only
the list imports it.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from retinue.auth.revocation import Revoke
from retinue.auth.services import Services
from retinue.core.database.interface import Database, Tx
from retinue.core.database.owned import Owned
from retinue.core.database.statements import Statement
from retinue.core.http.operations import Api
from retinue.core.runtime.vault import Vault
from retinue.core.work.leased_worker import LeasedWorker
from retinue.core.work.retention import RetentionRule
from retinue.core.work.stored_features import StoredFeature
from retinue.gate.gate import Dialect
from retinue.settings import Settings

if TYPE_CHECKING:
    from retinue.platform.platform import Platform

Start = Callable[[], Coroutine[object, None, None]]


@dataclass(frozen=True, kw_only=True)
class BackgroundWork:
    """Work that runs until the server stops, with the renewal of its leases if it holds any.

    `run` starts again if it fails. `take_over_dead` receives the name of the process that had the data folder before,
    and voids the leases of processes that are certainly dead. Work that `claims_runs` ends first when the server
    drains.
    """

    run: Start | None = None
    keep_leases: Start | None = None
    take_over_dead: Callable[[str | None], Awaitable[None]] | None = None
    claims_runs: bool = False

    @classmethod
    def of(cls, worker: LeasedWorker[Any], *, claims_runs: bool = False) -> "BackgroundWork":
        """Return the work of a worker with leases."""
        return cls(
            run=worker.run,
            keep_leases=worker.keep_leases,
            take_over_dead=worker.take_over_dead,
            claims_runs=claims_runs,
        )


@dataclass(frozen=True, kw_only=True)
class Resource:
    """The declarations of one package. Each field has a default, for packages that do not need it."""

    name: str

    apis: tuple[Api, ...] = ()
    """The operations of the API, in the order of the reference."""

    protocols: tuple[Api, ...] = ()
    """Operations of other protocols, whose documents others publish."""

    dialects: tuple[Dialect, ...] = ()
    """How errors and challenges are worded below the paths of its protocols."""

    routes: Callable[["Platform"], Iterable[Route]] = lambda platform: ()
    """Builds its routes that belong to no API, such as those of OAuth."""

    provide: Callable[["Platform", Services], None] = lambda platform, services: None
    """Registers the services that its endpoints and pages use."""

    work: Callable[["Platform"], Iterable[BackgroundWork]] = lambda platform: ()
    """Builds the background work."""

    owned: tuple[Owned, ...] = ()
    """Its rows of users: exported on request, and deleted with the user in this order."""

    deleted_after: frozenset[str] = frozenset()
    """The resources whose rows are deleted before these, because they count these or refer to them."""

    retention: Callable[[Settings], Iterable[RetentionRule]] = lambda settings: ()
    """The records that are removed or merged by age."""

    revoke: Revoke | None = None
    """Revokes what lets others in under the name of a user: credentials, shared links and the like."""

    check_master_key: Callable[[Database, Vault], Awaitable[None]] | None = None
    """Raises `MasterKeyWrong` if its values were encrypted with another master key."""

    leases: Mapping[str, Statement] = field(default_factory=dict)
    """Kinds of work as the page *Health* names them, and the statements that count the leases of each server."""

    rules: Mapping[str, Statement] = field(default_factory=dict)
    """Rules that the rows must keep, for `retinue check`: each statement finds the rows that break one."""

    find_faults: Callable[[Database], Awaitable[list[str]]] | None = None
    """Finds faults that no single statement can find, as sentences."""

    features: Callable[[], Iterable[StoredFeature]] = lambda: ()
    """Features of rows that are stored, and made again if the code that makes them has changed."""

    repair: Callable[[Database], Awaitable[None]] | None = None
    """Does at once what `retinue check --repair` must not leave to the workers of a server."""


def expire_with_runs(
    name: str, remove: Callable[[Tx, datetime, Any], Awaitable[object]]
) -> Callable[[Settings], Iterable[RetentionRule]]:
    """Return the `retention` of records that are kept as long as runs. By default, they are kept forever."""

    def rules(settings: Settings) -> Iterable[RetentionRule]:
        if settings.runs_days:
            yield RetentionRule(name, timedelta(days=settings.runs_days), remove)

    return rules
