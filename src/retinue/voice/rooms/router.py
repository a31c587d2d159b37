"""Routes of rooms."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.core.http.server_address import server_address
from retinue.core.http.sse import EventStream, LastEventId, encode_model, resumable_frames
from retinue.voice.rooms.participants import Participants
from retinue.voice.rooms.schemas import JoinView, ParticipantView, RoomCreate, RoomJoin, RoomView
from retinue.voice.rooms.service import Rooms

RoomId = Annotated[PathId, Path(description="ID of the room.")]
ParticipantId = Annotated[PathId, Path(description="ID of the participant.")]
PageQuery = Annotated[Page, Query()]


async def _rooms(request: Request) -> Rooms:
    rooms = await of_caller(Rooms)(request)
    return replace(rooms, address=server_address(request, rooms.address))


async def _participants(request: Request) -> Participants:
    return Participants(await _rooms(request))


RoomsOfCaller = Annotated[Rooms, Depends(_rooms)]
ParticipantsOfCaller = Annotated[Participants, Depends(_participants)]

api = Api("voice", record=record_of(_rooms))
_recover_create = recover_record(_rooms, "room", Data[RoomView], 201)


@api.post("/voice/rooms", scope="voice:write", status=201, response_model=Data[RoomView], recover=_recover_create)
async def create_room(body: RoomCreate, rooms: RoomsOfCaller) -> Envelope:
    """Create a conference room."""
    return one(await rooms.create(body))


@api.get("/voice/rooms", scope="voice:read", response_model=Listing[RoomView])
async def list_rooms(page: PageQuery, rooms: RoomsOfCaller) -> ListEnvelope:
    """List your active rooms, newest first."""
    return listing(await rooms.page(page), page)


@api.get("/voice/rooms/{id}", scope="voice:read", response_model=Data[RoomView])
async def get_room(id: RoomId, rooms: RoomsOfCaller) -> Envelope:
    """Retrieve a room with its transcript so far. Closed rooms remain available."""
    return one(await rooms.get(id))


@api.delete("/voice/rooms/{id}", scope="voice:write", response_model=Data[RoomView])
async def close_room(id: RoomId, rooms: RoomsOfCaller) -> Envelope:
    """Close a room and disconnect all participants. It is then no longer listed."""
    return one(await rooms.close(id))


@api.post("/voice/rooms/{id}/join", scope="voice:write", response_model=Data[JoinView], hands_out_secret=True)
async def join_room(id: RoomId, body: RoomJoin, rooms: RoomsOfCaller) -> Envelope:
    """Invite a person to a room: returns a short-lived token for a browser and an address for a phone."""
    return one(await rooms.join(id, body))


@api.get("/voice/rooms/{id}/events", scope="voice:read", response_class=EventStream, streams=True)
async def stream_room(id: RoomId, participants: ParticipantsOfCaller, last_event_id: LastEventId = None) -> EventStream:
    """Stream the events of a room as server-sent events, from its beginning.

    Clients that reconnect resume where they stopped.
    """
    return EventStream(resumable_frames(await participants.follow(id, last_event_id), encode_model))


@api.get("/voice/rooms/{id}/participants", scope="voice:read", response_model=Listing[ParticipantView])
async def list_participants(id: RoomId, page: PageQuery, participants: ParticipantsOfCaller) -> ListEnvelope:
    """List the current and former participants of a room, most recently joined first."""
    return listing(await participants.page(id, page), page)


_ONE = "/voice/rooms/{id}/participants/{participant_id}"


@api.post(f"{_ONE}/mute", scope="voice:write", response_model=Data[ParticipantView])
async def mute_participant(id: RoomId, participant_id: ParticipantId, participants: ParticipantsOfCaller) -> Envelope:
    """Mute a participant on the server: nobody hears them, and their speech is not transcribed."""
    return one(await participants.mute(id, participant_id, muted=True))


@api.post(f"{_ONE}/unmute", scope="voice:write", response_model=Data[ParticipantView])
async def unmute_participant(id: RoomId, participant_id: ParticipantId, participants: ParticipantsOfCaller) -> Envelope:
    """Unmute a participant."""
    return one(await participants.mute(id, participant_id, muted=False))


@api.delete(_ONE, scope="voice:write", response_model=Data[ParticipantView])
async def remove_participant(id: RoomId, participant_id: ParticipantId, participants: ParticipantsOfCaller) -> Envelope:
    """Remove a participant from the room. Participants who have left are not changed."""
    return one(await participants.remove(id, participant_id))
