"""Assembles the LiveKit integration."""

from starlette.routing import Route

from retinue.core.database.interface import Database
from retinue.voice.livekit.options import LiveKitOptions
from retinue.voice.rooms.local_rooms import CheckMinutes, LocalRooms


class LiveKitParts:
    """One LiveKit server: the room host, the webhook routes, and the synchronisation of records."""

    def __init__(
        self, options: LiveKitOptions, database: Database, local_rooms: LocalRooms, check_minutes: CheckMinutes
    ) -> None:
        # LiveKit's library takes 0.25 s to import, so only servers with LiveKit import it.
        from retinue.voice.livekit.host import LiveKitHost
        from retinue.voice.livekit.presence import LiveKitPresence
        from retinue.voice.livekit.server import LiveKitServer
        from retinue.voice.livekit.webhooks import LiveKitWebhooks

        self._server = LiveKitServer(options)
        self._presence = LiveKitPresence(database, local_rooms, self._server)
        self.host = LiveKitHost(self._server, self._presence, check_minutes)
        self._webhooks = LiveKitWebhooks(self._server, self._presence)

    def routes(self) -> list[Route]:
        """Return the webhook routes, which are not part of the API."""
        return self._webhooks.routes()

    async def run(self) -> None:
        """Synchronise the records with LiveKit, until cancelled."""
        try:
            await self._presence.run()
        finally:
            await self._server.close()
