"""`client.fleets`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._streams import AsyncStream, Stream
from retinue_client._transport import AsyncTransport, Transport


class FleetsDeployments:
    """`client.fleets.deployments`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, id: int, deployment_id: int, /) -> types.DeploymentDetails:
        """Get a deployment with what each agent does in it.

        Needs the scope `fleets:read`.
        """
        return self._transport.record(
            Call("GET", path_of("/fleets/{}/deployments/{}", id, deployment_id)), types.DeploymentDetails
        )

    def watch(
        self, id: int, deployment_id: int, /, *, last_event_id: str | None = None
    ) -> Stream[types.StreamDeploymentChunk]:
        """Follow a deployment live as server-sent events; a client that comes back goes on where it left.

        Needs the scope `fleets:read`.
        """
        call = Call("GET", path_of("/fleets/{}/deployments/{}/events", id, deployment_id), last_event_id=last_event_id)
        return self._transport.stream(call, types.StreamDeploymentChunk, resumes=True)

    def cancel(self, id: int, deployment_id: int, /, *, idempotency_key: str | None = None) -> types.DeploymentDetails:
        """End a deployment with everything of it that is still under way.

        Needs the scope `fleets:write`.
        """
        return self._transport.record(
            Call(
                "POST",
                path_of("/fleets/{}/deployments/{}/cancel", id, deployment_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.DeploymentDetails,
        )

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> Listing[types.Deployment]:
        """List the fleet's deployments, newest first.

        Needs the scope `fleets:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/fleets/{}/deployments", id), query={**query}), types.Deployment
        )


class AsyncFleetsDeployments:
    """`client.fleets.deployments`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(self, id: int, deployment_id: int, /) -> types.DeploymentDetails:
        """Get a deployment with what each agent does in it.

        Needs the scope `fleets:read`.
        """
        return await self._transport.record(
            Call("GET", path_of("/fleets/{}/deployments/{}", id, deployment_id)), types.DeploymentDetails
        )

    async def watch(
        self, id: int, deployment_id: int, /, *, last_event_id: str | None = None
    ) -> AsyncStream[types.StreamDeploymentChunk]:
        """Follow a deployment live as server-sent events; a client that comes back goes on where it left.

        Needs the scope `fleets:read`.
        """
        call = Call("GET", path_of("/fleets/{}/deployments/{}/events", id, deployment_id), last_event_id=last_event_id)
        return await self._transport.stream(call, types.StreamDeploymentChunk, resumes=True)

    async def cancel(
        self, id: int, deployment_id: int, /, *, idempotency_key: str | None = None
    ) -> types.DeploymentDetails:
        """End a deployment with everything of it that is still under way.

        Needs the scope `fleets:write`.
        """
        return await self._transport.record(
            Call(
                "POST",
                path_of("/fleets/{}/deployments/{}/cancel", id, deployment_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.DeploymentDetails,
        )

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> AsyncListing[types.Deployment]:
        """List the fleet's deployments, newest first.

        Needs the scope `fleets:read`.
        """
        return self._transport.listing(
            Call("GET", path_of("/fleets/{}/deployments", id), query={**query}), types.Deployment
        )


class Fleets:
    """`client.fleets`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.deployments = FleetsDeployments(transport)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.FleetCreate]) -> types.Fleet:
        """Create a fleet.

        Needs the scope `fleets:write`.
        """
        return self._transport.record(
            Call("POST", "/fleets", takes_key=True, key=idempotency_key, body={**body}), types.Fleet
        )

    def retrieve(self, id: int, /) -> types.Fleet:
        """Get one fleet.

        Needs the scope `fleets:read`.
        """
        return self._transport.record(Call("GET", path_of("/fleets/{}", id)), types.Fleet)

    def update(self, id: int, /, **body: Unpack[types.FleetUpdate]) -> types.Fleet:
        """Change the fields that are sent.

        Needs the scope `fleets:write`.
        """
        return self._transport.record(Call("PUT", path_of("/fleets/{}", id), body={**body}), types.Fleet)

    def delete(self, id: int, /) -> types.FleetDeleted:
        """Cancel the fleet's deployments, detach its agents and delete it.

        Needs the scope `fleets:write`.
        """
        return self._transport.record(Call("DELETE", path_of("/fleets/{}", id)), types.FleetDeleted)

    def deploy(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.FleetDeploy]
    ) -> types.DeploymentBegun:
        """Set the fleet's agents to work on a task, or each on its own, and answer at once.

        Needs the scope `fleets:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/fleets/{}/deploy", id), takes_key=True, key=idempotency_key, body={**body}),
            types.DeploymentBegun,
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Fleet]:
        """List your fleets, newest first.

        Needs the scope `fleets:read`.
        """
        return self._transport.listing(Call("GET", "/fleets", query={**query}), types.Fleet)


class AsyncFleets:
    """`client.fleets`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.deployments = AsyncFleetsDeployments(transport)

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.FleetCreate]) -> types.Fleet:
        """Create a fleet.

        Needs the scope `fleets:write`.
        """
        return await self._transport.record(
            Call("POST", "/fleets", takes_key=True, key=idempotency_key, body={**body}), types.Fleet
        )

    async def retrieve(self, id: int, /) -> types.Fleet:
        """Get one fleet.

        Needs the scope `fleets:read`.
        """
        return await self._transport.record(Call("GET", path_of("/fleets/{}", id)), types.Fleet)

    async def update(self, id: int, /, **body: Unpack[types.FleetUpdate]) -> types.Fleet:
        """Change the fields that are sent.

        Needs the scope `fleets:write`.
        """
        return await self._transport.record(Call("PUT", path_of("/fleets/{}", id), body={**body}), types.Fleet)

    async def delete(self, id: int, /) -> types.FleetDeleted:
        """Cancel the fleet's deployments, detach its agents and delete it.

        Needs the scope `fleets:write`.
        """
        return await self._transport.record(Call("DELETE", path_of("/fleets/{}", id)), types.FleetDeleted)

    async def deploy(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.FleetDeploy]
    ) -> types.DeploymentBegun:
        """Set the fleet's agents to work on a task, or each on its own, and answer at once.

        Needs the scope `fleets:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/fleets/{}/deploy", id), takes_key=True, key=idempotency_key, body={**body}),
            types.DeploymentBegun,
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Fleet]:
        """List your fleets, newest first.

        Needs the scope `fleets:read`.
        """
        return self._transport.listing(Call("GET", "/fleets", query={**query}), types.Fleet)
