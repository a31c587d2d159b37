"""Routes of calls."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.core.http.sse import EventStream, LastEventId, encode_model, resumable_frames
from retinue.voice.calls.schemas import CallCreate, CallFilter, CallTransfer, CallView, KeyPresses, TurnView
from retinue.voice.calls.service import Calls

CallId = Annotated[PathId, Path(description="ID of the call.")]
PageQuery = Annotated[Page, Query()]

_calls = of_caller(Calls)

CallsOfCaller = Annotated[Calls, Depends(_calls)]

api = Api("voice", record=record_of(_calls))
_recover_start = recover_record(_calls, "call", Data[CallView], 201)


@api.post("/voice/calls", scope="voice:write", status=201, response_model=Data[CallView], recover=_recover_start)
async def start_call(body: CallCreate, calls: CallsOfCaller) -> Envelope:
    """Call a phone number or a SIP address, and let an agent speak. Returns while the call is still queued."""
    return one(await calls.start(body))


@api.get("/voice/calls", scope="voice:read", response_model=Listing[CallView])
async def list_calls(wanted: Annotated[CallFilter, Query()], calls: CallsOfCaller) -> ListEnvelope:
    """List your calls, newest first."""
    return listing(await calls.page(wanted), wanted)


@api.get("/voice/calls/{id}", scope="voice:read", response_model=Data[CallView])
async def get_call(id: CallId, calls: CallsOfCaller) -> Envelope:
    """Retrieve a call with its transcript so far."""
    return one(await calls.get(id))


@api.get("/voice/calls/{id}/turns", scope="voice:read", response_model=Listing[TurnView])
async def list_turns(id: CallId, page: PageQuery, calls: CallsOfCaller) -> ListEnvelope:
    """List the turns of a call in order, with the latencies of each."""
    return listing(await calls.turns(id, page), page)


@api.get("/voice/calls/{id}/events", scope="voice:read", response_class=EventStream, streams=True)
async def stream_call(id: CallId, calls: CallsOfCaller, last_event_id: LastEventId = None) -> EventStream:
    """Stream the events of a call as server-sent events, from its beginning: its states, turns and tools.

    Clients that reconnect resume where they stopped.
    """
    return EventStream(resumable_frames(await calls.follow(id, last_event_id), encode_model))


@api.post("/voice/calls/{id}/hangup", scope="voice:write", response_model=Data[CallView])
async def hang_up_call(id: CallId, calls: CallsOfCaller) -> Envelope:
    """End a call: `cancelled` before it is answered, otherwise `completed`. A call that has ended is not changed."""
    return one(await calls.hang_up(id))


@api.post("/voice/calls/{id}/hold", scope="voice:write", response_model=Data[CallView])
async def hold_call(id: CallId, calls: CallsOfCaller) -> Envelope:
    """Put a call on hold. No audio is sent or received until the call is resumed."""
    return one(await calls.control(id, "hold"))


@api.post("/voice/calls/{id}/resume", scope="voice:write", response_model=Data[CallView])
async def resume_call(id: CallId, calls: CallsOfCaller) -> Envelope:
    """Resume a call that is on hold. The agent continues where it stopped."""
    return one(await calls.control(id, "resume"))


@api.post("/voice/calls/{id}/dtmf", scope="voice:write", response_model=Data[CallView])
async def press_keys(id: CallId, body: KeyPresses, calls: CallsOfCaller) -> Envelope:
    """Send DTMF digits, such as those requested by a menu."""
    return one(await calls.control(id, "press", keys=body.digits))


@api.post("/voice/calls/{id}/transfer", scope="voice:write", response_model=Data[CallView])
async def transfer_call(id: CallId, body: CallTransfer, calls: CallsOfCaller) -> Envelope:
    """Transfer a call to another number or address, and leave the call. If the transfer fails, the call continues."""
    return one(await calls.transfer(id, body))
