"""Routes of runs."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Header, Path, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.errors import Unavailable
from retinue.core.http.envelope import Data, Envelope, PathId, json_response, one
from retinue.core.http.operations import Api, path_id
from retinue.core.http.sse import DONE, EventStream
from retinue.core.idempotency.keys import RecordIds
from retinue.runs.continuation import Continuations
from retinue.runs.execution.broadcast import Chunk
from retinue.runs.schemas import RunDetails, RunFork, RunMessage, RunView
from retinue.runs.service import Runs
from retinue.runs.watching.sse_responses import frame

RunId = Annotated[PathId, Path(description="ID of the run.")]


_runs = of_caller(Runs)


async def _record(request: Request) -> object:
    return await (await _runs(request)).get(path_id(request))


api = Api("runs", record=_record)
RunsOfCaller = Annotated[Runs, Depends(_runs)]
ContinuationsOfCaller = Annotated[Continuations, Depends(of_caller(Continuations))]


@api.get("/runs/{id}", scope="agents:read", response_model=Data[RunDetails])
async def get_run(id: RunId, runs: RunsOfCaller) -> Envelope:
    """Retrieve a run with all its steps so far."""
    return one(await runs.details(id))


@api.post("/runs/{id}/cancel", scope="agents:write", response_model=Data[RunView])
async def cancel_run(id: RunId, runs: RunsOfCaller) -> Envelope:
    """Cancel a run. Its reply so far is kept. A run that has ended is not changed."""
    return one(await runs.cancel(id))


async def _recover_run(request: Request, effect: RecordIds) -> Response:
    return json_response(Data[RunView], await (await _runs(request)).get(effect["run"]), 202)


@api.post("/runs/{id}/messages", scope="agents:write", status=202, response_model=Data[RunView], recover=_recover_run)
async def send_run_message(id: RunId, body: RunMessage, continuations: ContinuationsOfCaller) -> Envelope:
    """Send a message to a run that has not ended. Its model sees the message once, at its next step."""
    return one(await continuations.send(id, body.message))


@api.post("/runs/{id}/fork", scope="agents:write", status=202, response_model=Data[RunView], recover=_recover_run)
async def fork_run(id: RunId, body: RunFork, continuations: ContinuationsOfCaller) -> Envelope:
    """Start a background run from the state after a step of a run. The steps until then are shared, not repeated."""
    return one(await continuations.fork_run(id, body.step, body.message))


@api.get("/runs/{id}/events", scope="agents:read", response_class=EventStream, streams=True)
async def stream_run(
    id: RunId,
    runs: RunsOfCaller,
    last_event_id: Annotated[
        str | None,
        Header(
            alias="Last-Event-ID", description="ID of the last event that was received, to resume the stream after it."
        ),
    ] = None,
) -> EventStream:
    """Stream the events of a run as server-sent events. Clients that reconnect resume where they stopped."""
    return EventStream(_frames(runs.events(await runs.get(id), last_event_id)))


async def _frames(events: AsyncIterator[tuple[str, Chunk]]) -> AsyncGenerator[bytes]:
    """Yield the events.

    On shutdown the stream ends without a final event, so that clients reconnect with the last ID.
    """
    with suppress(Unavailable):
        async for event_id, chunk in events:
            yield b"id: " + event_id.encode() + b"\n" + frame(chunk)
        yield DONE
