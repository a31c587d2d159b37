"""Model providers and their keys."""

from typing import TYPE_CHECKING

from retinue.agents.uses import AgentUses
from retinue.auth.services import Services
from retinue.knowledge.provider_uses import CollectionUses
from retinue.platform.resource_declaration import Resource
from retinue.providers.keyring import check_master_key
from retinue.providers.router import api
from retinue.providers.service import Providers
from retinue.providers.tables import OWNED
from retinue.providers.uses import UsesOfModels

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    uses = UsesOfModels(AgentUses(), CollectionUses())
    parts = platform.database, platform.vault, platform.guard, platform.hosting, uses
    services.provide(Providers, lambda caller: Providers(caller, *parts))


resource = Resource(name="providers", apis=(api,), provide=_provide, owned=OWNED, check_master_key=check_master_key)
