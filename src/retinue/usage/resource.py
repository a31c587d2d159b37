"""Usage, budgets and their thresholds."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.check.usage import RULES
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.usage.ledger import merge_old
from retinue.usage.router import api
from retinue.usage.service import UsageReport
from retinue.usage.tables import OWNED
from retinue.usage.thresholds import Thresholds

if TYPE_CHECKING:
    from retinue.platform.platform import Platform

_DETAILED = timedelta(days=40)
"""How long each entry of the ledger is kept before those of a day are merged."""


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(UsageReport, lambda caller: UsageReport(caller, platform.database, platform.meter))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.meter.run)
    yield BackgroundWork(run=Thresholds(platform.database, platform.plans, platform.meter.touched).run)


resource = Resource(
    name="usage",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=lambda settings: [RetentionRule("usage", _DETAILED, merge_old)],
    rules=RULES,
)
