"""Provides the state that the join page shows: the room's name, its participants, and whether voice is ready."""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.core.database.interface import Database
from retinue.core.errors import AuthRequired, NotFound
from retinue.voice.media.service import MediaService
from retinue.voice.media.status_words import status_words
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.list_statements import PEOPLE
from retinue.voice.rooms.tables import ParticipantRow
from retinue.voice.rooms.tokens import REMOVED, RoomTicket, check_fresh


@dataclass(frozen=True)
class RoomPresence:
    """Shows rooms to holders of a token."""

    database: Database
    media: MediaService
    ice_servers: Sequence[str]

    async def state(self, ticket: RoomTicket, participant_id: int | None) -> dict[str, object]:
        """Return the state of a ticket's room. An expired ticket still works for the participant who joined with it.

        `voice` is for the script of the page, and `voice_state` for people, in the language of the page.

        Raises `AuthRequired` or `NotFound`.
        """
        room = await self.database.lookup(sql.HELD, room=ticket.room_id)
        people = await self.database.fetch(PEOPLE, room=ticket.room_id)
        if not any(one.id == participant_id and one.name == ticket.name for one in people):
            check_fresh(ticket)
        if room is None:
            raise NotFound("There is no such room.")
        if ticket.id and await self.database.lookup(sql.REMOVED, room=ticket.room_id, token=ticket.id):
            raise AuthRequired(REMOVED)
        status = self.media.status
        return {
            "name": room.name,
            "status": room.status,
            "you": ticket.name,
            "voice": status,
            "voice_state": status_words(status),
            "participants": [_view(one) for one in people],
            "ice_servers": [{"urls": url} for url in self.ice_servers],
        }


def _view(person: ParticipantRow) -> dict[str, object]:
    return {"id": person.id, "name": person.name, "kind": person.kind}
