"""Simulations of conversations with agents."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.chat.service import Chats
from retinue.check.simulations import RULES
from retinue.core.work.retention import EndedRecords
from retinue.platform.resource_declaration import BackgroundWork, Resource, expire_with_runs
from retinue.simulations.router import api
from retinue.simulations.service import Simulations
from retinue.simulations.simulator import Simulator
from retinue.simulations.tables import OWNED, simulations
from retinue.simulations.worker import SimulationWorker

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    simulator = Simulator(platform.dispatch, platform.notifier, platform.rehearsals)

    def of(caller: Caller) -> Simulations:
        return Simulations(
            caller, platform.database, services.of(Agents, caller), services.of(Chats, caller), simulator
        )

    services.provide(Simulations, of)


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    simulator = Simulator(platform.dispatch, platform.notifier, platform.rehearsals)
    worker = SimulationWorker(platform.database, platform.notifier, platform.home.node, simulator)
    yield BackgroundWork(run=worker.run, keep_leases=worker.keep_leases, take_over_dead=worker.take_over_dead)


_ENDED = EndedRecords(simulations)

resource = Resource(
    name="simulations",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=expire_with_runs("simulations", _ENDED.remove),
    rules=RULES,
)
