"""Agents, and the work that they do on request."""

from typing import TYPE_CHECKING

from retinue.agents.router import api
from retinue.agents.service import Agents
from retinue.agents.tables import OWNED
from retinue.agents.views import AgentViews
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.fleets.membership import FleetMembership
from retinue.platform.resource_declaration import Resource
from retinue.usage.budget_uses import BudgetUses

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    database, touched = platform.database, platform.meter.touched
    membership = FleetMembership()

    def work(caller: Caller) -> AgentWork:
        parts = platform.dispatch, platform.notifier, platform.file_access, platform.budgets
        return AgentWork(caller, database, services.of(Agents, caller), *parts)

    services.provide(
        Agents, lambda caller: Agents(caller, database, platform.directory, touched, membership, platform.models)
    )
    services.provide(AgentWork, work)
    uses = BudgetUses(database, "agent")
    services.provide(AgentViews, lambda caller: AgentViews(services.of(Agents, caller), uses))


resource = Resource(name="agents", apis=(api,), provide=_provide, owned=OWNED)
