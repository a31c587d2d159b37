"""Routes for browsers only: the page that joins a room, and the WHIP endpoint for its SDP offer (RFC 9725)."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from retinue.core.errors import AuthRequired, NotFound, RetinueError, ValidationFailed
from retinue.core.http.request_body import BadBody, media_type, read_body
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.core.runtime.vault import Vault
from retinue.language.error_words import error_words
from retinue.language.request_language import use_language_of
from retinue.language.translation import current_language, script_content, translate_templates
from retinue.voice.rooms.local_rooms import LocalRooms
from retinue.voice.rooms.presence import RoomPresence
from retinue.voice.rooms.tokens import RoomTicket, check_fresh, open_token

_MOST_BYTES = 64 << 10
_PAGES = files("retinue.voice.rooms").joinpath("pages")
_ASSETS = {
    "room.js": "text/javascript",
    "line.js": "text/javascript",
    "levels.js": "text/javascript",
    "room.css": "text/css",
}
_CHECKED = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
_ID = re.compile(r"[0-9]{1,18}")
_Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Whip:
    """The browser routes outside the API."""

    local_rooms: LocalRooms
    vault: Vault
    presence: RoomPresence

    def routes(self) -> list[Route]:
        """Return the routes to add to the application."""
        return [
            *(Route(f"/rooms/{name}", _asset) for name in _ASSETS),
            Route("/rooms/translation.js", _translation),
            Route("/rooms/{room_id}", _page),
            Route("/rooms/{room_id}/state", _in_language_of_page(self._state)),
            Route("/rooms/{room_id}/whip", _in_language_of_page(self._offer), methods=["POST"]),
        ]

    async def _offer(self, request: Request) -> Response:
        """Answer an SDP offer with 201 and the answer."""
        ticket = self._ticket(request)
        check_fresh(ticket)
        if media_type(request) != "application/sdp":
            raise ValidationFailed("Send the SDP offer as application/sdp.")
        offer = await _read(request)
        participant, answer = await self.local_rooms.join_browser(ticket, offer)
        headers = {"Location": f"/rooms/{ticket.room_id}/whip/{participant}", "Cache-Control": "no-store"}
        return Response(answer, 201, headers, media_type="application/sdp")

    async def _state(self, request: Request) -> Response:
        """Return the room's state for the page. The query parameter `participant` is the id from the `Location`."""
        given = request.query_params.get("participant", "")
        participant = int(given) if _ID.fullmatch(given) else None
        state = await self.presence.state(self._ticket(request), participant)
        return Response(orjson.dumps(state), headers={"Cache-Control": "no-store"}, media_type="application/json")

    def _ticket(self, request: Request) -> RoomTicket:
        """Read the bearer token without checking its expiry. Raises `AuthRequired`; `NotFound` for another room."""
        room_id = _room_id(request)
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            raise AuthRequired("Send the token from POST /voice/rooms/{id}/join as a bearer token.")
        ticket = open_token(self.vault, token)
        if ticket.room_id != room_id:
            raise NotFound("The token is for another room.")
        return ticket


def _in_language_of_page(handle: _Handler) -> _Handler:
    """Return a handler that responds in the language of the page, whose script shows errors as they are."""

    async def handle_in_language(request: Request) -> Response:
        await use_language_of(request)
        try:
            return await handle(request)
        except RetinueError as error:
            error.message = error_words(error.message)
            raise

    return handle_in_language


async def _read(request: Request) -> str:
    try:
        return (await read_body(request, _MOST_BYTES)).decode()
    except BadBody as error:
        raise ValidationFailed(str(error)) from error
    except UnicodeDecodeError as error:
        raise ValidationFailed("An SDP offer must be UTF-8 text.") from error


def _room_id(request: Request) -> int:
    """Return the room id in the path. Raises `NotFound`."""
    given = request.path_params["room_id"]
    # Not Starlette's `int` convertor: it raises `ValueError` for more than 4,300 digits.
    if not _ID.fullmatch(given):
        raise NotFound("There is no such room.")
    return int(given)


async def _page(request: Request) -> Response:
    _room_id(request)
    policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src blob: mediastream:"
    headers = {
        "Content-Security-Policy": f"{policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "microphone=(self)",
    }
    await use_language_of(request)
    content = await run_on_compute_thread(_content_in, current_language.get())
    return Response(content, 200, headers, media_type="text/html; charset=utf-8")


@cache
def _content_in(language: str) -> str:
    """Return the page in the language of the current request."""
    from jinja2 import Environment  # noqa: PLC0415 - a start can do without it

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    translate_templates(environment)
    return environment.from_string(_PAGES.joinpath("room.html").read_text("utf-8")).render()


async def _asset(request: Request) -> Response:
    name = request.url.path.rpartition("/")[2]
    return Response(_PAGES.joinpath(name).read_bytes(), headers=_CHECKED, media_type=_ASSETS[name])


async def _translation(request: Request) -> Response:
    return Response(script_content(), headers=_CHECKED, media_type="text/javascript")
