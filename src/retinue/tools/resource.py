"""The tools of the catalogue, and tools that the operator added."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.tools.router import api
from retinue.tools.service import Tools

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    parts = platform.database, platform.toolbox, platform.quotas, platform.budgets
    services.provide(Tools, lambda caller: Tools(caller, *parts))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.added_tools.run)


resource = Resource(name="tools", apis=(api,), provide=_provide, work=_work)
