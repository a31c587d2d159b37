"""Schedules and the due times that they fired."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.check.schedules import RULES
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.schedules.consistency import find_wrong_times
from retinue.schedules.executor import ScheduleExecutor
from retinue.schedules.expiry import remove_schedule_runs
from retinue.schedules.router import api
from retinue.schedules.service import Schedules
from retinue.schedules.tables import OWNED
from retinue.schedules.worker import ScheduleWorker
from retinue.workspace.tool_context import RunAncestry

if TYPE_CHECKING:
    from retinue.platform.platform import Platform

_NO_ANCESTORS = RunAncestry()
"""The ancestry of work that no run started."""


def _provide(platform: "Platform", services: Services) -> None:
    starter_of = platform.on_behalf.starter_of
    services.provide(
        Schedules,
        lambda caller: Schedules(caller, platform.database, platform.notifier, starter_of(caller, _NO_ANCESTORS)),
    )


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    executor = ScheduleExecutor(platform.database, platform.on_behalf.starter)
    worker = ScheduleWorker(platform.database, platform.notifier, executor, platform.home.node)
    # A batch fires within milliseconds, so its leases are not renewed.
    yield BackgroundWork(run=worker.run, take_over_dead=worker.take_over_dead)


resource = Resource(
    name="schedules",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=lambda settings: [
        RetentionRule("schedule runs", timedelta(days=settings.history_days), remove_schedule_runs)
    ],
    rules=RULES,
    find_faults=find_wrong_times,
)
