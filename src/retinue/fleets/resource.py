"""Fleets and their deployments."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.account_data.expiry import remove_deployments
from retinue.auth.services import Services
from retinue.check.fleets import RULES
from retinue.core.work.fair_leases import count_leases
from retinue.fleets.deployments import Deployments
from retinue.fleets.router import api
from retinue.fleets.service import Fleets
from retinue.fleets.tables import OPEN, OWNED, deployments
from retinue.fleets.worker import DeploymentWorker
from retinue.platform.resource_declaration import BackgroundWork, Resource, expire_with_runs

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    touched = platform.meter.touched
    services.provide(Fleets, lambda caller: Fleets(caller, platform.database, platform.orchestrator, touched))
    services.provide(Deployments, lambda caller: Deployments(services.of(Fleets, caller)))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    worker = DeploymentWorker(platform.database, platform.notifier, platform.orchestrator, platform.home.node)
    yield BackgroundWork.of(worker, claims_runs=True)


resource = Resource(
    name="fleets",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    deleted_after=frozenset({"agents"}),
    retention=expire_with_runs("deployments", remove_deployments),
    leases={"Deployments": count_leases(deployments, OPEN)},
    rules=RULES,
)
