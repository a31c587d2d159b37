"""HTTP of schedules."""

from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.envelope import Data, Listing, Page, PathId, json_response, listing, one
from retinue.core.operations import Api, path_id
from retinue.schedules.schemas import (
    ScheduleCreate,
    ScheduleDeleted,
    ScheduleRunView,
    ScheduleUpdate,
    ScheduleView,
)
from retinue.schedules.service import Schedules

ScheduleId = Annotated[PathId, Path(description="The schedule's id.")]
PageQuery = Annotated[Page, Query()]


_schedules = of_caller(Schedules)


async def _record(request: Request) -> object:
    return await (await _schedules(request)).get(path_id(request))


SchedulesOfCaller = Annotated[Schedules, Depends(_schedules)]

api = Api("schedules", record=_record)


async def recover_creation(request: Request, effect: dict[str, Any]) -> Response:
    return json_response(Data[ScheduleView], await (await _schedules(request)).get(effect["schedule"]), 201)


async def recover_firing(request: Request, effect: dict[str, Any]) -> Response:
    entry = await (await _schedules(request)).history_row(effect["schedule_run"])
    return json_response(Data[ScheduleRunView], entry, 202)


@api.post("/schedules", scope="agents:write", status=201, response_model=Data[ScheduleView], recover=recover_creation)
async def create_schedule(body: ScheduleCreate, schedules: SchedulesOfCaller) -> Any:
    """Have an agent run, or a fleet deployed, by a cron expression or at a single date."""
    return one(await schedules.create(body))


@api.get("/schedules", scope="agents:read", response_model=Listing[ScheduleView])
async def list_schedules(page: PageQuery, schedules: SchedulesOfCaller) -> Any:
    """List your schedules, newest first."""
    return listing(await schedules.page(page), page)


@api.get("/schedules/{id}", scope="agents:read", response_model=Data[ScheduleView])
async def get_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Any:
    """Get one schedule."""
    return one(await schedules.get(id))


@api.put("/schedules/{id}", scope="agents:write", response_model=Data[ScheduleView])
async def update_schedule(id: ScheduleId, body: ScheduleUpdate, schedules: SchedulesOfCaller) -> Any:
    """Change the fields that are sent. From then on the schedule does what this credential may do."""
    return one(await schedules.update(id, body))


@api.delete("/schedules/{id}", scope="agents:write", response_model=Data[ScheduleDeleted])
async def delete_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Any:
    """Delete the schedule and its history. What it has begun goes on."""
    await schedules.delete(id)
    return one({"id": id, "deleted": True})


@api.post("/schedules/{id}/pause", scope="agents:write", response_model=Data[ScheduleView])
async def pause_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Any:
    """Have the schedule fire no more until it is resumed. What it has begun goes on."""
    return one(await schedules.switch(id, enabled=False))


@api.post("/schedules/{id}/resume", scope="agents:write", response_model=Data[ScheduleView])
async def resume_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Any:
    """Have the schedule fire again, from its next due time on. Those that passed meanwhile are not made up for."""
    return one(await schedules.switch(id, enabled=True))


@api.post(
    "/schedules/{id}/run",
    scope="agents:write",
    status=202,
    response_model=Data[ScheduleRunView],
    recover=recover_firing,
)
async def run_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Any:
    """Fire the schedule now, even while it is paused or a run is going on. Its due times stay as they are."""
    return one(await schedules.run(id))


@api.get("/schedules/{id}/runs", scope="agents:read", response_model=Listing[ScheduleRunView])
async def list_schedule_runs(id: ScheduleId, page: PageQuery, schedules: SchedulesOfCaller) -> Any:
    """List the due times that were handled, newest first, and what came of each."""
    return listing(await schedules.runs(id, page), page)
