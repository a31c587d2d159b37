"""HTTP of runs."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Request

from retinue.auth.services import of_caller
from retinue.core.envelope import Data, PathId, one
from retinue.core.errors import Unavailable
from retinue.core.operations import Api, path_id
from retinue.core.sse import DONE, EventStream
from retinue.runs.execution.broadcast import Chunk
from retinue.runs.schemas import RunDetails, RunView
from retinue.runs.service import Runs
from retinue.runs.watching.sse_responses import frame

RunId = Annotated[PathId, Path(description="The run's id.")]


_runs = of_caller(Runs)


async def _record(request: Request) -> object:
    return await (await _runs(request)).get(path_id(request))


api = Api("runs", record=_record)
RunsOfCaller = Annotated[Runs, Depends(_runs)]


@api.get("/runs/{id}", scope="agents:read", response_model=Data[RunDetails])
async def get_run(id: RunId, runs: RunsOfCaller) -> Any:
    """Get a run with every step that it has made so far."""
    return one(await runs.details(id))


@api.post("/runs/{id}/cancel", scope="agents:write", response_model=Data[RunView])
async def cancel_run(id: RunId, runs: RunsOfCaller) -> Any:
    """End a run; what it has said so far is kept. One that is over stays as it is."""
    return one(await runs.cancel(id))


@api.get("/runs/{id}/events", scope="agents:read", response_class=EventStream, streams=True)
async def stream_run(
    id: RunId,
    runs: RunsOfCaller,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="The id of the last event seen, to go on from there.")
    ] = None,
) -> EventStream:
    """Follow a run live as server-sent events; a client that comes back goes on where it left."""
    return EventStream(_frames(runs.events(await runs.get(id), last_event_id)))


async def _frames(events: AsyncIterator[tuple[str, Chunk]]) -> AsyncGenerator[bytes]:
    """The events. At a shutdown they break off without an end, and the client comes back with the last id."""
    with suppress(Unavailable):
        async for event_id, chunk in events:
            yield b"id: " + event_id.encode() + b"\n" + frame(chunk)
        yield DONE
