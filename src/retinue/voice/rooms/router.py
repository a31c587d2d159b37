"""HTTP of rooms."""

from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.envelope import Data, Listing, Page, PathId, json_response, listing, one
from retinue.core.errors import Unavailable
from retinue.core.operations import Api, path_id
from retinue.core.server_address import server_address
from retinue.core.sse import DONE, EventStream
from retinue.voice.rooms.feed import Event
from retinue.voice.rooms.participants import Participants
from retinue.voice.rooms.schemas import JoinView, ParticipantView, RoomCreate, RoomJoin, RoomView
from retinue.voice.rooms.service import Rooms

RoomId = Annotated[PathId, Path(description="The room's id.")]
ParticipantId = Annotated[PathId, Path(description="The participant's id.")]
PageQuery = Annotated[Page, Query()]


async def _rooms(request: Request) -> Rooms:
    rooms = await of_caller(Rooms)(request)
    return replace(rooms, address=server_address(request, rooms.address))


async def _record(request: Request) -> object:
    return await (await _rooms(request)).get(path_id(request))


async def _participants(request: Request) -> Participants:
    return Participants(await _rooms(request))


RoomsOfCaller = Annotated[Rooms, Depends(_rooms)]
ParticipantsOfCaller = Annotated[Participants, Depends(_participants)]

api = Api("voice", record=_record)


async def _recover_create(request: Request, effect: dict[str, Any]) -> Response:
    return json_response(Data[RoomView], await (await _rooms(request)).get(effect["room"]), 201)


@api.post("/voice/rooms", scope="voice:write", status=201, response_model=Data[RoomView], recover=_recover_create)
async def create_room(body: RoomCreate, rooms: RoomsOfCaller) -> Any:
    """Open a conference room."""
    return one(await rooms.create(body))


@api.get("/voice/rooms", scope="voice:read", response_model=Listing[RoomView])
async def list_rooms(page: PageQuery, rooms: RoomsOfCaller) -> Any:
    """List your active rooms, newest first."""
    return listing(await rooms.page(page), page)


@api.get("/voice/rooms/{id}", scope="voice:read", response_model=Data[RoomView])
async def get_room(id: RoomId, rooms: RoomsOfCaller) -> Any:
    """Get one room, with its transcript so far. Closed rooms are still shown."""
    return one(await rooms.get(id))


@api.delete("/voice/rooms/{id}", scope="voice:write", response_model=Data[RoomView])
async def close_room(id: RoomId, rooms: RoomsOfCaller) -> Any:
    """Close the room, and send everybody out. It is no longer listed."""
    return one(await rooms.close(id))


@api.post("/voice/rooms/{id}/join", scope="voice:write", response_model=Data[JoinView], hands_out_secret=True)
async def join_room(id: RoomId, body: RoomJoin, rooms: RoomsOfCaller) -> Any:
    """Get a way to join: a short-lived token for a browser, and an address for a telephone."""
    return one(await rooms.join(id, body))


@api.get("/voice/rooms/{id}/events", scope="voice:read", response_class=EventStream, streams=True)
async def stream_room(
    id: RoomId,
    participants: ParticipantsOfCaller,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="The id of the last event seen, to go on from there.")
    ] = None,
) -> EventStream:
    """Follow a room live as server-sent events, from its beginning; a client that comes back goes on where it left."""
    return EventStream(_frames(await participants.follow(id, last_event_id)))


async def _frames(events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    """The events. At a shutdown they break off without an end, and the client comes back with the last id."""
    with suppress(Unavailable):
        async for number, happening in events:
            yield f"id: {number}\ndata: {happening.model_dump_json()}\n\n".encode()
        yield DONE


@api.get("/voice/rooms/{id}/participants", scope="voice:read", response_model=Listing[ParticipantView])
async def list_participants(id: RoomId, page: PageQuery, participants: ParticipantsOfCaller) -> Any:
    """List who is in the room and who was, the last who joined first."""
    return listing(await participants.page(id, page), page)


_ONE = "/voice/rooms/{id}/participants/{participant_id}"


@api.post(f"{_ONE}/mute", scope="voice:write", response_model=Data[ParticipantView])
async def mute_participant(id: RoomId, participant_id: ParticipantId, participants: ParticipantsOfCaller) -> Any:
    """Mute somebody at the server: nobody hears them, and what they say is not written down."""
    return one(await participants.mute(id, participant_id, muted=True))


@api.post(f"{_ONE}/unmute", scope="voice:write", response_model=Data[ParticipantView])
async def unmute_participant(id: RoomId, participant_id: ParticipantId, participants: ParticipantsOfCaller) -> Any:
    """Let somebody be heard again."""
    return one(await participants.mute(id, participant_id, muted=False))


@api.delete(_ONE, scope="voice:write", response_model=Data[ParticipantView])
async def remove_participant(id: RoomId, participant_id: ParticipantId, participants: ParticipantsOfCaller) -> Any:
    """Send somebody out. Somebody who has left stays as they are."""
    return one(await participants.remove(id, participant_id))
