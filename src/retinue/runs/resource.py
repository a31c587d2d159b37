"""Runs, their steps and their approvals."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from retinue.account_data.expiry import remove_runs
from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.chat.service import public_ids
from retinue.check.runs import RULES
from retinue.core.work.fair_leases import count_leases, fair_share
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.runs.approvals.expiry import remove_approvals
from retinue.runs.approvals.router import api as approvals
from retinue.runs.approvals.service import Approvals
from retinue.runs.continuation import Continuations
from retinue.runs.execution.worker import RunWorker
from retinue.runs.router import api
from retinue.runs.service import Runs
from retinue.runs.tables import OPEN, OWNED, runs
from retinue.runs.views import RunViews
from retinue.runs.watching.remote_publish import RemotePublisher
from retinue.settings import Settings

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    database, notifier = platform.database, platform.notifier

    def continuations(caller: Caller) -> Continuations:
        count_run = services.of(Agents, caller).count_run
        return Continuations(caller, database, platform.dispatch, platform.budgets, count_run)

    services.provide(Runs, lambda caller: Runs(caller, database, platform.runner, notifier))
    services.provide(
        RunViews, lambda caller: RunViews(services.of(Runs, caller), partial(public_ids, database, caller.account_id))
    )
    services.provide(Continuations, continuations)
    services.provide(Approvals, lambda caller: Approvals(caller, database, notifier, platform.directory))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    database, notifier, runner = platform.database, platform.notifier, platform.runner
    at_once = platform.settings.run_concurrency
    per_user = platform.settings.run_concurrency_per_user or fair_share(at_once)
    worker = RunWorker(database, notifier, runner, platform.home.node, at_once, per_user)
    yield BackgroundWork.of(worker, claims_runs=True)
    yield BackgroundWork(run=RemotePublisher(database, notifier, runner).run)


def _retention(settings: Settings) -> Iterator[RetentionRule]:
    yield RetentionRule("approvals", timedelta(days=settings.history_days), remove_approvals)
    if settings.runs_days:
        yield RetentionRule("runs", timedelta(days=settings.runs_days), remove_runs)


resource = Resource(
    name="runs",
    apis=(api, approvals),
    provide=_provide,
    work=_work,
    owned=OWNED,
    deleted_after=frozenset({"agents", "chat", "fleets", "schedules", "calls", "rooms"}),
    retention=_retention,
    leases={"Runs": count_leases(runs, OPEN)},
    rules=RULES,
)
