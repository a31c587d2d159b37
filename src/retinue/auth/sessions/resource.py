"""Sessions of browsers and of the terminal."""

from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.auth.sessions.router import api
from retinue.auth.sessions.service import Sessions
from retinue.auth.sessions.tokens import remove_sessions
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(Sessions, lambda caller: Sessions(caller, platform.database))


resource = Resource(
    name="sessions",
    apis=(api,),
    provide=_provide,
    retention=lambda settings: [RetentionRule("sessions", timedelta(days=90), remove_sessions)],
)
