"""Publishable keys, with which visitors of a website chat with an agent."""

from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.platform.resource_declaration import Resource
from retinue.sharing.router import api
from retinue.sharing.service import PublishableKeys, revoke_publishable_keys
from retinue.sharing.tables import OWNED

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(PublishableKeys, lambda caller: PublishableKeys(caller, platform.database))


resource = Resource(name="sharing", apis=(api,), provide=_provide, owned=OWNED, revoke=revoke_publishable_keys)
