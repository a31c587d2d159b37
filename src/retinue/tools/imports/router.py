"""Routes of sources of imported tools."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, json_response, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.core.idempotency.keys import RecordIds
from retinue.tools.imports.schemas import (
    SourceChange,
    SourceCreate,
    SourceDeleted,
    SourceRefresh,
    SourceRefreshed,
    SourceView,
)
from retinue.tools.imports.service import Sources

SourceId = Annotated[PathId, Path(description="ID of the source.")]

_sources = of_caller(Sources)

SourcesOfCaller = Annotated[Sources, Depends(_sources)]

api = Api("tools", record=record_of(_sources))
_recover_import = recover_record(_sources, "source", Data[SourceView], 201)


@api.post("/tools/sources", scope="*", status=201, response_model=Data[SourceView], recover=_recover_import)
async def import_tools(body: SourceCreate, sources: SourcesOfCaller) -> Envelope:
    """Import an API from its OpenAPI document, or an MCP server.

    Each operation or MCP tool becomes one of your tools.
    """
    return one(await sources.create(body))


@api.get("/tools/sources", scope="*", response_model=Listing[SourceView])
async def list_sources(page: Annotated[Page, Query()], sources: SourcesOfCaller) -> ListEnvelope:
    """List your sources, newest first."""
    return listing(await sources.page(page), page)


@api.get("/tools/sources/{id}", scope="*", response_model=Data[SourceView])
async def get_source(id: SourceId, sources: SourcesOfCaller) -> Envelope:
    """Retrieve a source."""
    return one(await sources.get(id))


@api.put("/tools/sources/{id}", scope="*", response_model=Data[SourceView])
async def update_source(id: SourceId, body: SourceChange, sources: SourcesOfCaller) -> Envelope:
    """Change the connection of a source, or give it one. Its tools do not change."""
    return one(await sources.connect(id, body.connection))


async def _recover_refresh(request: Request, effect: RecordIds) -> Response:
    found = await (await _sources(request)).get(effect["source"])
    return json_response(Data[SourceRefreshed], {**found._asdict(), **effect})


@api.post("/tools/sources/{id}/refresh", scope="*", response_model=Data[SourceRefreshed], recover=_recover_refresh)
async def refresh_source(id: SourceId, body: SourceRefresh, sources: SourcesOfCaller) -> Envelope:
    """Refresh a source whose document or server has changed. Tools that still exist keep their names."""
    return one(await sources.refresh(id, body))


@api.delete("/tools/sources/{id}", scope="*", response_model=Data[SourceDeleted])
async def delete_source(id: SourceId, sources: SourcesOfCaller) -> Envelope:
    """Delete a source and its tools."""
    await sources.delete(id)
    return one({"id": id, "deleted": True})
