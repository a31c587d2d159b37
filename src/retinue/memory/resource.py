"""What agents remember."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.agents.service import Agents
from retinue.auth.services import Services
from retinue.memory.router import api
from retinue.memory.service import Memories
from retinue.memory.stored_features import fact_features
from retinue.memory.tables import OWNED
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.runs.execution.memorizing import MemoryWorker

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(Memories, lambda caller: Memories(caller, platform.database, services.of(Agents, caller).record))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    common = platform.database, platform.notifier, platform.home.node
    yield BackgroundWork.of(MemoryWorker(*common, platform.journal, platform.models))


resource = Resource(name="memory", apis=(api,), provide=_provide, work=_work, owned=OWNED, features=fact_features)
