"""Routes of schedules."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, json_response, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.core.idempotency.keys import RecordIds
from retinue.schedules.schemas import ScheduleCreate, ScheduleDeleted, ScheduleRunView, ScheduleUpdate, ScheduleView
from retinue.schedules.service import Schedules

ScheduleId = Annotated[PathId, Path(description="ID of the schedule.")]
PageQuery = Annotated[Page, Query()]

_schedules = of_caller(Schedules)

SchedulesOfCaller = Annotated[Schedules, Depends(_schedules)]

api = Api("schedules", record=record_of(_schedules))
recover_creation = recover_record(_schedules, "schedule", Data[ScheduleView], 201)


async def recover_firing(request: Request, effect: RecordIds) -> Response:
    entry = await (await _schedules(request)).history_row(effect["schedule_run"])
    return json_response(Data[ScheduleRunView], entry, 202)


@api.post("/schedules", scope="agents:write", status=201, response_model=Data[ScheduleView], recover=recover_creation)
async def create_schedule(body: ScheduleCreate, schedules: SchedulesOfCaller) -> Envelope:
    """Create a schedule that runs an agent or deploys a fleet, by a cron expression or once at a given time."""
    return one(await schedules.create(body))


@api.get("/schedules", scope="agents:read", response_model=Listing[ScheduleView])
async def list_schedules(page: PageQuery, schedules: SchedulesOfCaller) -> ListEnvelope:
    """List your schedules, newest first."""
    return listing(await schedules.page(page), page)


@api.get("/schedules/{id}", scope="agents:read", response_model=Data[ScheduleView])
async def get_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Envelope:
    """Retrieve a schedule."""
    return one(await schedules.get(id))


@api.put("/schedules/{id}", scope="agents:write", response_model=Data[ScheduleView])
async def update_schedule(id: ScheduleId, body: ScheduleUpdate, schedules: SchedulesOfCaller) -> Envelope:
    """Update the fields that are sent. The schedule then runs with the permissions of this credential."""
    return one(await schedules.update(id, body))


@api.delete("/schedules/{id}", scope="agents:write", response_model=Data[ScheduleDeleted])
async def delete_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Envelope:
    """Delete a schedule and its history. Work that it started continues."""
    await schedules.delete(id)
    return one({"id": id, "deleted": True})


@api.post("/schedules/{id}/pause", scope="agents:write", response_model=Data[ScheduleView])
async def pause_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Envelope:
    """Pause a schedule until it is resumed. Work that it started continues."""
    return one(await schedules.switch(id, enabled=False))


@api.post("/schedules/{id}/resume", scope="agents:write", response_model=Data[ScheduleView])
async def resume_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Envelope:
    """Resume a schedule from its next due time. Due times that passed during the pause are skipped."""
    return one(await schedules.switch(id, enabled=True))


@api.post(
    "/schedules/{id}/run",
    scope="agents:write",
    status=202,
    response_model=Data[ScheduleRunView],
    recover=recover_firing,
)
async def run_schedule(id: ScheduleId, schedules: SchedulesOfCaller) -> Envelope:
    """Trigger a schedule now, even if it is paused or its previous run is in progress. Its due times do not change."""
    return one(await schedules.run(id))


@api.get("/schedules/{id}/runs", scope="agents:read", response_model=Listing[ScheduleRunView])
async def list_schedule_runs(id: ScheduleId, page: PageQuery, schedules: SchedulesOfCaller) -> ListEnvelope:
    """List the past due times of a schedule with their outcomes, newest first."""
    return listing(await schedules.runs(id, page), page)
