"""Routes of connections."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.connections.kinds import KINDS
from retinue.connections.schemas import (
    ConnectionCreate,
    ConnectionDeleted,
    ConnectionKindView,
    ConnectionUpdate,
    ConnectionView,
)
from retinue.connections.service import Connections
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record

ConnectionId = Annotated[PathId, Path(description="ID of the connection.")]

_connections = of_caller(Connections)

ConnectionsOfCaller = Annotated[Connections, Depends(_connections)]

api = Api("connections", record=record_of(_connections))
_recover_create = recover_record(_connections, "connection", Data[ConnectionView], 201)


@api.get("/connections/kinds", scope="*", response_model=Listing[ConnectionKindView])
async def list_connection_kinds(page: Annotated[Page, Query()]) -> ListEnvelope:
    """List the kinds of connections with the schemas of their settings and secrets."""
    kinds = [
        {
            "kind": name,
            "description": kind.description,
            "testable": kind.testable,
            "settings": kind.settings.model_json_schema(),
            "secret": kind.secret.model_json_schema(),
        }
        for name, kind in KINDS.items()
    ]
    return listing((kinds[page.offset : page.offset + page.per_page], len(kinds)), page)


@api.post("/connections", scope="*", status=201, response_model=Data[ConnectionView], recover=_recover_create)
async def create_connection(body: ConnectionCreate, connections: ConnectionsOfCaller) -> Envelope:
    """Create a connection: a credential that tools and sources use by name, and that is never shown again."""
    return one(await connections.create(body))


@api.get("/connections", scope="*", response_model=Listing[ConnectionView])
async def list_connections(page: Annotated[Page, Query()], connections: ConnectionsOfCaller) -> ListEnvelope:
    """List your connections, newest first."""
    return listing(await connections.page(page), page)


@api.get("/connections/{id}", scope="*", response_model=Data[ConnectionView])
async def get_connection(id: ConnectionId, connections: ConnectionsOfCaller) -> Envelope:
    """Retrieve a connection."""
    return one(await connections.get(id))


@api.put("/connections/{id}", scope="*", response_model=Data[ConnectionView])
async def update_connection(id: ConnectionId, body: ConnectionUpdate, connections: ConnectionsOfCaller) -> Envelope:
    """Replace the settings, the secret, or both.

    If the settings point to another server, the secret must be sent again.
    """
    return one(await connections.update(id, body))


@api.delete("/connections/{id}", scope="*", response_model=Data[ConnectionDeleted])
async def delete_connection(id: ConnectionId, connections: ConnectionsOfCaller) -> Envelope:
    """Delete a connection that no source uses."""
    await connections.delete(id)
    return one({"id": id, "deleted": True})


@api.post("/connections/{id}/test", scope="*", response_model=Data[ConnectionView])
async def test_connection(id: ConnectionId, connections: ConnectionsOfCaller) -> Envelope:
    """Test a connection by logging in or calling the API with its secret. The outcome is in `last_test`."""
    return one(await connections.test(id))
