"""API keys."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.auth.keys.router import api
from retinue.auth.keys.service import Keys
from retinue.auth.services import Services
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.usage.budget_uses import BudgetUses

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    uses = BudgetUses(platform.database, "key")
    services.provide(Keys, lambda caller: Keys(caller, platform.database, platform.plans, uses))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.last_use.run)


resource = Resource(name="keys", apis=(api,), provide=_provide, work=_work)
