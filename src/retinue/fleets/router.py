"""Routes of fleets."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, json_response, listing, one
from retinue.core.http.operations import Api, path_id, record_of, recover_record
from retinue.core.http.sse import EventStream, LastEventId, encode_model, resumable_frames
from retinue.core.idempotency.keys import RecordIds
from retinue.fleets.deployments import Deployments, announce
from retinue.fleets.schemas import (
    DeploymentBegunView,
    DeploymentDetails,
    DeploymentView,
    FleetCreate,
    FleetDeleted,
    FleetDeploy,
    FleetUpdate,
    FleetView,
)
from retinue.fleets.service import Fleets

FleetId = Annotated[PathId, Path(description="ID of the fleet.")]
DeploymentId = Annotated[PathId, Path(description="ID of the deployment.")]
PageQuery = Annotated[Page, Query()]

_fleets = of_caller(Fleets)


async def _deployments(request: Request) -> Deployments:
    return Deployments(await _fleets(request))


FleetsOfCaller = Annotated[Fleets, Depends(_fleets)]
DeploymentsOfCaller = Annotated[Deployments, Depends(_deployments)]

api = Api("fleets", record=record_of(_fleets))
_recover_create = recover_record(_fleets, "fleet", Data[FleetView], 201)


async def _recover_deploy(request: Request, effect: RecordIds) -> Response:
    deployment = await (await _deployments(request)).get(path_id(request), effect["deployment"])
    return json_response(Data[DeploymentBegunView], announce(deployment))


@api.post("/fleets", scope="fleets:write", status=201, response_model=Data[FleetView], recover=_recover_create)
async def create_fleet(body: FleetCreate, fleets: FleetsOfCaller) -> Envelope:
    """Create a fleet."""
    return one(await fleets.create(body))


@api.get("/fleets", scope="fleets:read", response_model=Listing[FleetView])
async def list_fleets(page: PageQuery, fleets: FleetsOfCaller) -> ListEnvelope:
    """List your fleets, newest first."""
    return listing(await fleets.page(page), page)


@api.get("/fleets/{id}", scope="fleets:read", response_model=Data[FleetView])
async def get_fleet(id: FleetId, fleets: FleetsOfCaller) -> Envelope:
    """Retrieve a fleet."""
    return one(await fleets.get(id))


@api.put("/fleets/{id}", scope="fleets:write", response_model=Data[FleetView])
async def update_fleet(id: FleetId, body: FleetUpdate, fleets: FleetsOfCaller) -> Envelope:
    """Update the fields that are sent."""
    return one(await fleets.update(id, body))


@api.delete("/fleets/{id}", scope="fleets:write", response_model=Data[FleetDeleted])
async def delete_fleet(id: FleetId, fleets: FleetsOfCaller) -> Envelope:
    """Cancel the fleet's deployments, detach its agents and delete the fleet."""
    await fleets.delete(id)
    return one({"id": id, "fleet_id": id, "deleted": True})


@api.post(
    "/fleets/{id}/deploy", scope="fleets:write", response_model=Data[DeploymentBegunView], recover=_recover_deploy
)
async def deploy_fleet(id: FleetId, body: FleetDeploy, deployments: DeploymentsOfCaller) -> Envelope:
    """Deploy the fleet's agents on a task, or each on its own task. Returns at once."""
    return one(await deployments.deploy(id, body))


@api.get("/fleets/{id}/deployments", scope="fleets:read", response_model=Listing[DeploymentView])
async def list_deployments(id: FleetId, page: PageQuery, deployments: DeploymentsOfCaller) -> ListEnvelope:
    """List the deployments of a fleet, newest first."""
    return listing(await deployments.page(id, page), page)


@api.get("/fleets/{id}/deployments/{deployment_id}", scope="fleets:read", response_model=Data[DeploymentDetails])
async def get_deployment(id: FleetId, deployment_id: DeploymentId, deployments: DeploymentsOfCaller) -> Envelope:
    """Retrieve a deployment with the work of each agent."""
    return one(await deployments.details(id, deployment_id))


@api.get(
    "/fleets/{id}/deployments/{deployment_id}/events",
    scope="fleets:read",
    response_class=EventStream,
    streams=True,
)
async def stream_deployment(
    id: FleetId,
    deployment_id: DeploymentId,
    deployments: DeploymentsOfCaller,
    last_event_id: LastEventId = None,
) -> EventStream:
    """Stream the events of a deployment as server-sent events. Clients that reconnect resume where they stopped."""
    return EventStream(resumable_frames(await deployments.events(id, deployment_id, last_event_id), encode_model))


@api.post(
    "/fleets/{id}/deployments/{deployment_id}/cancel",
    scope="fleets:write",
    response_model=Data[DeploymentDetails],
)
async def cancel_deployment(id: FleetId, deployment_id: DeploymentId, deployments: DeploymentsOfCaller) -> Envelope:
    """Cancel a deployment and all its open parts."""
    return one(await deployments.cancel(id, deployment_id))
