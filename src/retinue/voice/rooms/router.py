"""HTTP of rooms."""

from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.core.envelope import Data, Listing, Page, PathId, listing, one, rendered
from retinue.core.operations import Api, path_id
from retinue.core.server_address import server_address
from retinue.voice.rooms.schemas import JoinView, RoomCreate, RoomJoin, RoomView
from retinue.voice.rooms.service import Rooms

RoomId = Annotated[PathId, Path(description="The room's id.")]
PageQuery = Annotated[Page, Query()]


async def _rooms(request: Request) -> Rooms:
    services = request.app.state.services
    address = server_address(request, services.settings.public_url)
    rooms: Rooms = services.rooms(request.scope["caller"], address)
    return rooms


async def _record(request: Request) -> object:
    return await (await _rooms(request)).get(path_id(request))


RoomsOfCaller = Annotated[Rooms, Depends(_rooms)]

api = Api("voice", record=_record)


async def _created(request: Request, effect: dict[str, Any]) -> Response:
    return rendered(Data[RoomView], await (await _rooms(request)).get(effect["room"]), 201)


@api.post("/voice/rooms", scope="voice:write", status=201, response_model=Data[RoomView], recover=_created)
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
