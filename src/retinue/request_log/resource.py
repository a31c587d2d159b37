"""The log of API requests."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.request_log.router import api
from retinue.request_log.service import Requests, remove_requests
from retinue.request_log.tables import OWNED

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(Requests, lambda caller: Requests(caller, platform.database, platform.request_writer))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.request_writer.run)


resource = Resource(
    name="request_log",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=lambda settings: [RetentionRule("requests", timedelta(days=settings.request_log_days), remove_requests)],
)
