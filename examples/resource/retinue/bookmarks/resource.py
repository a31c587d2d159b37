"""What bookmarks add to the server."""

from typing import TYPE_CHECKING

from retinue.bookmarks.router import api
from retinue.bookmarks.service import Bookmarks
from retinue.bookmarks.tables import OWNED

from retinue.auth.services import Services
from retinue.platform.resource_declaration import Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(Bookmarks, lambda caller: Bookmarks(caller, platform.database))


resource = Resource(name="bookmarks", apis=(api,), provide=_provide, owned=OWNED)
