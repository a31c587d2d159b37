"""Exports of an account, and the deletion of a user."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.account_data.deletion import Deletion
from retinue.account_data.export import Export
from retinue.account_data.router import api
from retinue.account_data.service import Deletions, Exports
from retinue.account_data.tables import OPEN, OWNED, jobs
from retinue.account_data.worker import JobWorker
from retinue.auth.services import Services
from retinue.core.work.fair_leases import count_leases
from retinue.language.translation import gettext_noop
from retinue.platform.resource_declaration import BackgroundWork, Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    parts = platform.database, platform.notifier, platform.store, platform.meter.touched
    services.share(Deletions, platform.deletions)
    services.provide(Exports, lambda caller: Exports(caller, *parts))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    database, notifier, owned = platform.database, platform.notifier, platform.owned
    grace = platform.settings.deletion_grace
    deletion = Deletion(database, platform.store, platform.orchestrator, notifier, owned, grace)
    export = Export(database, platform.store, platform.plans, owned, platform.meter.touched)
    yield BackgroundWork.of(JobWorker(database, notifier, platform.home.node, deletion, export))


resource = Resource(
    name="account_data",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    leases={gettext_noop("Exports and deletions"): count_leases(jobs, OPEN)},
)
