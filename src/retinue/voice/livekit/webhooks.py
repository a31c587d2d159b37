"""The endpoint for LiveKit's webhooks."""

from dataclasses import dataclass

from livekit import api
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from retinue.core.errors import ValidationFailed
from retinue.core.http.request_body import BadBody, read_body
from retinue.voice.livekit.presence import LiveKitPresence, room_of
from retinue.voice.livekit.server import LiveKitServer

_MOST_BYTES = 256 << 10


@dataclass(frozen=True)
class LiveKitWebhooks:
    """Receives events at `/livekit/webhook`. Events about other rooms are accepted and ignored."""

    server: LiveKitServer
    presence: LiveKitPresence

    def routes(self) -> list[Route]:
        """Return the routes to add to the application."""
        return [Route("/livekit/webhook", self._receive, methods=["POST"])]

    async def _receive(self, request: Request) -> Response:
        try:
            body = await read_body(request, _MOST_BYTES)
        except BadBody as error:
            raise ValidationFailed(str(error)) from error
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        event = self.server.read_webhook(body.decode(errors="replace"), token)
        if room_id := room_of(event.room.name):
            await self._note(room_id, event)
        return Response(status_code=200)

    async def _note(self, room_id: int, event: api.WebhookEvent) -> None:
        match event.event:
            case "participant_joined":
                await self.presence.enter(room_id, event.participant)
            case "participant_left" | "participant_connection_aborted":
                await self.presence.leave(room_id, event.participant.sid)
            case "room_finished":
                await self.presence.leave_all(room_id)
