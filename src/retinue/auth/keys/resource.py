"""API keys."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.auth.keys.router import api
from retinue.auth.keys.service import Keys
from retinue.auth.services import Services
from retinue.platform.resource_declaration import BackgroundWork, Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(Keys, lambda caller: Keys(caller, platform.database, platform.plans))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.last_use.run)


resource = Resource(name="keys", apis=(api,), provide=_provide, work=_work)
