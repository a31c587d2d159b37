"""Routes of runs."""

from typing import Annotated

import orjson
from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.core.http.sse import EventStream, LastEventId, resumable_frames
from retinue.runs.continuation import Continuations
from retinue.runs.schemas import AccountRunFilter, RunDetails, RunFork, RunMessage, RunView
from retinue.runs.service import Runs
from retinue.runs.views import RunViews

RunId = Annotated[PathId, Path(description="ID of the run.")]

_runs = of_caller(Runs)
_views = of_caller(RunViews)

api = Api("runs", record=record_of(_runs))
_recover_run = recover_record(_views, "run", Data[RunView], 202)
RunsOfCaller = Annotated[Runs, Depends(_runs)]
ViewsOfCaller = Annotated[RunViews, Depends(_views)]
ContinuationsOfCaller = Annotated[Continuations, Depends(of_caller(Continuations))]


@api.get("/runs", scope="agents:read", response_model=Listing[RunView])
async def list_account_runs(wanted: Annotated[AccountRunFilter, Query()], views: ViewsOfCaller) -> ListEnvelope:
    """List the runs of your account, newest first: those of agents and those of chat."""
    return listing(await views.page(wanted), wanted)


@api.get("/runs/{id}", scope="agents:read", response_model=Data[RunDetails])
async def get_run(id: RunId, views: ViewsOfCaller) -> Envelope:
    """Retrieve a run with all its steps so far."""
    return one(await views.details(id))


@api.post("/runs/{id}/cancel", scope="agents:write", response_model=Data[RunView])
async def cancel_run(id: RunId, runs: RunsOfCaller, views: ViewsOfCaller) -> Envelope:
    """Cancel a run. Its reply so far is kept. A run that has ended is not changed."""
    return one(await views.one(await runs.cancel(id)))


@api.post("/runs/{id}/messages", scope="agents:write", status=202, response_model=Data[RunView], recover=_recover_run)
async def send_run_message(
    id: RunId, body: RunMessage, continuations: ContinuationsOfCaller, views: ViewsOfCaller
) -> Envelope:
    """Send a message to a run that has not ended. Its model sees the message once, at its next step."""
    return one(await views.one(await continuations.send(id, body.message)))


@api.post("/runs/{id}/fork", scope="agents:write", status=202, response_model=Data[RunView], recover=_recover_run)
async def fork_run(id: RunId, body: RunFork, continuations: ContinuationsOfCaller, views: ViewsOfCaller) -> Envelope:
    """Start a background run from the state after a step of a run. The steps until then are shared, not repeated."""
    return one(await views.one(await continuations.fork_run(id, body.step, body.message)))


@api.get("/runs/{id}/events", scope="agents:read", response_class=EventStream, streams=True)
async def stream_run(id: RunId, runs: RunsOfCaller, last_event_id: LastEventId = None) -> EventStream:
    """Stream the events of a run as server-sent events. Clients that reconnect resume where they stopped."""
    return EventStream(resumable_frames(runs.events(await runs.get(id), last_event_id), orjson.dumps))
