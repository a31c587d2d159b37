"""The parts of LiveKit, put together."""

from starlette.routing import BaseRoute

from retinue.core.database import Database
from retinue.voice.livekit.options import LiveKitOptions
from retinue.voice.rooms.hall import CheckMinutes, RoomHall


class LiveKitParts:
    """One LiveKit server: the host of rooms, the routes of its webhooks, and the comparison with our records."""

    def __init__(
        self, options: LiveKitOptions, database: Database, hall: RoomHall, check_minutes: CheckMinutes
    ) -> None:
        # Their library takes a quarter of a second to import: only servers with LiveKit spend it.
        from retinue.voice.livekit.host import LiveKitHost  # noqa: PLC0415
        from retinue.voice.livekit.presence import Presence  # noqa: PLC0415
        from retinue.voice.livekit.server import LiveKitServer  # noqa: PLC0415
        from retinue.voice.livekit.webhooks import LiveKitWebhooks  # noqa: PLC0415

        self._server = LiveKitServer(options)
        self._presence = Presence(database, hall, self._server)
        self.host = LiveKitHost(self._server, self._presence, check_minutes)
        self._webhooks = LiveKitWebhooks(self._server, self._presence)

    def routes(self) -> list[BaseRoute]:
        """The routes beside the API."""
        return self._webhooks.routes()

    async def run(self) -> None:
        """Keep the records as LiveKit has it, until cancelled."""
        try:
            await self._presence.run()
        finally:
            await self._server.close()
