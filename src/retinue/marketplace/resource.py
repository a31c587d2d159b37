"""The marketplace, and what accounts installed from it."""

from typing import TYPE_CHECKING

from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.fleets.service import Fleets
from retinue.marketplace.deletion import OWNED
from retinue.marketplace.installing import Installations
from retinue.marketplace.router import api, installed_api
from retinue.marketplace.service import Marketplace
from retinue.marketplace.signatures import Signatures, check_master_key
from retinue.platform.resource_declaration import Resource
from retinue.schedules.service import Schedules
from retinue.tools.imports.service import Sources
from retinue.webhooks.service import Webhooks

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    database, signatures = platform.database, Signatures(platform.database, platform.vault)

    def installations(caller: Caller) -> Installations:
        return Installations(
            caller,
            database,
            services.of(Agents, caller),
            services.of(AgentWork, caller),
            services.of(Fleets, caller),
            services.of(Sources, caller),
            services.of(Schedules, caller),
            services.of(Webhooks, caller),
            signatures,
        )

    services.provide(Marketplace, lambda caller: Marketplace(caller, database, platform.directory, signatures))
    services.provide(Installations, installations)


resource = Resource(
    name="marketplace",
    apis=(installed_api, api),
    provide=_provide,
    owned=OWNED,
    check_master_key=check_master_key,
)
