"""Short-lived tokens with which a browser joins a room. They are sealed with the master key and not stored."""

import base64
import binascii
import secrets
import time
from dataclasses import dataclass

import orjson

from retinue.core.errors import AuthRequired
from retinue.core.runtime.vault import MasterKeyWrong, Vault

_PREFIX = "room_"
_PURPOSE = "voice room token"
_REFUSED = "The token is invalid or has expired. Get a new one from POST /voice/rooms/{id}/join."
REMOVED = "You were removed from this room. Ask the person who invited you for a new link."
LIFE_S = 600
"""Seconds until a token expires."""


@dataclass(frozen=True, slots=True)
class RoomTicket:
    """The content of a token: the room, the participant's name, the expiry as a Unix time in seconds, and a random id.

    A token that was issued before tokens had an id has the id "".
    """

    room_id: int
    name: str
    expires: float
    id: str = ""


def issue_token(vault: Vault, room_id: int, name: str) -> tuple[str, RoomTicket]:
    """Create a token. Returns the token and its content."""
    ticket = RoomTicket(room_id, name, time.time() + LIFE_S, secrets.token_urlsafe(12))
    sealed = vault.seal(orjson.dumps([ticket.room_id, ticket.name, ticket.expires, ticket.id]).decode(), _PURPOSE)
    return _PREFIX + base64.urlsafe_b64encode(sealed.encode()).decode().rstrip("="), ticket


def check_fresh(ticket: RoomTicket) -> None:
    """Raise `AuthRequired` if the ticket has expired."""
    if ticket.expires < time.time():
        raise AuthRequired(_REFUSED)


def open_token(vault: Vault, token: str) -> RoomTicket:
    """Open a token without checking its expiry. Raises `AuthRequired` if this server did not issue it."""
    body = token.removeprefix(_PREFIX)
    try:
        sealed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode()
        ticket = RoomTicket(*orjson.loads(vault.open_sealed(sealed, _PURPOSE)))
    except (binascii.Error, ValueError, TypeError, MasterKeyWrong) as error:
        raise AuthRequired(_REFUSED) from error
    if not token.startswith(_PREFIX):
        raise AuthRequired(_REFUSED)
    return ticket
