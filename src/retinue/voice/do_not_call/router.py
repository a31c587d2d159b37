"""Routes of the do-not-call list."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.voice.do_not_call.schemas import DoNotCallCreate, DoNotCallDeleted, DoNotCallView
from retinue.voice.do_not_call.service import DoNotCall

EntryId = Annotated[PathId, Path(description="ID of the entry.")]

_numbers = of_caller(DoNotCall)

NumbersOfCaller = Annotated[DoNotCall, Depends(_numbers)]

api = Api("voice", record=record_of(_numbers))
_recover = recover_record(_numbers, "entry", Data[DoNotCallView], 201)


@api.post("/voice/do-not-call", scope="voice:write", status=201, response_model=Data[DoNotCallView], recover=_recover)
async def add_do_not_call(body: DoNotCallCreate, numbers: NumbersOfCaller) -> Envelope:
    """Add a number to your do-not-call list. Calls and transfers to it are refused."""
    return one(await numbers.add(body))


@api.get("/voice/do-not-call", scope="voice:read", response_model=Listing[DoNotCallView])
async def list_do_not_call(page: Annotated[Page, Query()], numbers: NumbersOfCaller) -> ListEnvelope:
    """List the numbers of your do-not-call list, newest first."""
    return listing(await numbers.page(page), page)


@api.get("/voice/do-not-call/{id}", scope="voice:read", response_model=Data[DoNotCallView])
async def get_do_not_call(id: EntryId, numbers: NumbersOfCaller) -> Envelope:
    """Retrieve an entry of your do-not-call list."""
    return one(await numbers.get(id))


@api.delete("/voice/do-not-call/{id}", scope="voice:write", response_model=Data[DoNotCallDeleted])
async def remove_do_not_call(id: EntryId, numbers: NumbersOfCaller) -> Envelope:
    """Remove a number from your do-not-call list."""
    await numbers.remove(id)
    return one({"id": id, "deleted": True})
