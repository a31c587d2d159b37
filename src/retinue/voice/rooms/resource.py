"""Voice rooms and their participants."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from starlette.routing import Route

from retinue.account_data.expiry import remove_rooms
from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.check.rooms import RULES
from retinue.language.translation import gettext_noop
from retinue.platform.resource_declaration import BackgroundWork, Resource, expire_with_runs
from retinue.voice.rooms.consistency import find_wrong_seconds
from retinue.voice.rooms.presence import RoomPresence
from retinue.voice.rooms.router import api
from retinue.voice.rooms.service import Rooms
from retinue.voice.rooms.statements import NODES
from retinue.voice.rooms.tables import OWNED
from retinue.voice.rooms.whip import Whip

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    address = platform.settings.public_url or ""

    def rooms(caller: Caller) -> Rooms:
        parts = platform.local_rooms, platform.room_hosts, address
        return Rooms(caller, platform.database, services.of(Agents, caller), *parts)

    services.provide(Rooms, rooms)


def _routes(platform: "Platform") -> list[Route]:
    """Return the endpoints for joining a room by WHIP, and for LiveKit's webhooks if it is configured."""
    presence = RoomPresence(platform.database, platform.media, platform.settings.ice_servers)
    whip = Whip(platform.local_rooms, platform.vault, presence)
    return [*whip.routes(), *(platform.livekit.routes() if platform.livekit else ())]


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.local_rooms.run, keep_leases=platform.local_rooms.keep_leases)
    if platform.livekit:
        yield BackgroundWork(run=platform.livekit.run)


resource = Resource(
    name="rooms",
    apis=(api,),
    routes=_routes,
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=expire_with_runs("rooms", remove_rooms),
    leases={gettext_noop("Participants of rooms"): NODES},
    rules=RULES,
    find_faults=find_wrong_seconds,
)
