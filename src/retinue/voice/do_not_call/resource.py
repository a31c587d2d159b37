"""Do-not-call lists."""

from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.platform.resource_declaration import Resource
from retinue.voice.do_not_call.router import api
from retinue.voice.do_not_call.service import DoNotCall
from retinue.voice.do_not_call.tables import OWNED

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(
        DoNotCall, lambda caller: DoNotCall(caller, platform.database, platform.switchboard.outbound.trunks.country)
    )


resource = Resource(name="do_not_call", apis=(api,), provide=_provide, owned=OWNED)
