"""Webhook endpoints, events and deliveries."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.check.webhooks import RULES
from retinue.core.work.fair_leases import count_leases
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.settings import Settings
from retinue.webhooks.deliveries import Deliveries
from retinue.webhooks.expiry import remove_deliveries, remove_events, remove_task_endpoints
from retinue.webhooks.fan_out import FanOut
from retinue.webhooks.revocation import disable_webhooks
from retinue.webhooks.router import api
from retinue.webhooks.service import Webhooks, check_master_key
from retinue.webhooks.tables import OPEN, OWNED, deliveries
from retinue.webhooks.worker import DeliveryWorker

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    parts = platform.database, platform.vault, platform.guard
    services.provide(Webhooks, lambda caller: Webhooks(caller, *parts))
    services.provide(Deliveries, lambda caller: Deliveries(services.of(Webhooks, caller), platform.notifier))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    database, notifier, schedule = platform.database, platform.notifier, platform.settings.webhook_schedule
    yield BackgroundWork.of(
        DeliveryWorker(database, notifier, platform.vault, platform.guard, platform.home.node, schedule)
    )
    yield BackgroundWork(run=FanOut(database, notifier).run)


def _retention(settings: Settings) -> Iterator[RetentionRule]:
    history = timedelta(days=settings.history_days)
    yield RetentionRule("deliveries", history, remove_deliveries)
    yield RetentionRule("events", history, remove_events)
    yield RetentionRule("task endpoints", history, remove_task_endpoints)


resource = Resource(
    name="webhooks",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=_retention,
    revoke=disable_webhooks,
    check_master_key=check_master_key,
    leases={"Deliveries": count_leases(deliveries, OPEN)},
    rules=RULES,
)
