"""HTTP of runs."""

import re
from collections.abc import AsyncGenerator
from typing import Annotated, Any

import orjson
from fastapi import Depends, Header, Path, Request

from retinue.core.envelope import Data, PathId, one
from retinue.core.operations import Api, path_id
from retinue.core.sse import EventStream
from retinue.runs.schemas import RunDetails, RunView
from retinue.runs.service import Runs

_DONE = b"data: [DONE]\n\n"
_LAST_ID = re.compile(r"[0-9]{1,18}-end")
"""The id of a run's last event: who has seen it has seen everything."""

_EVENT_ID = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
RunId = Annotated[PathId, Path(description="The run's id.")]


async def _runs(request: Request) -> Runs:
    runs: Runs = request.app.state.services.runs(request.scope["caller"])
    return runs


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
    await runs.get(id)
    if _LAST_ID.fullmatch(last_event_id or ""):
        return EventStream(_nothing_more())
    return EventStream(_frames(runs, id, _parsed(last_event_id)))


async def _frames(runs: Runs, run_id: int, last_seen: tuple[int, int] | None) -> AsyncGenerator[bytes]:
    async for event_id, chunk in runs.events(run_id, last_seen):
        yield b"id: " + event_id.encode() + b"\ndata: " + orjson.dumps(chunk) + b"\n\n"
    yield _DONE


async def _nothing_more() -> AsyncGenerator[bytes]:
    yield _DONE


def _parsed(event_id: str | None) -> tuple[int, int] | None:
    match = _EVENT_ID.fullmatch(event_id or "")
    return (int(match[1]), int(match[2])) if match else None
