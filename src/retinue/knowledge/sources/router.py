"""Routes of sources."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, PathId, json_response, listing, one
from retinue.core.http.operations import Api
from retinue.core.idempotency.keys import RecordIds
from retinue.knowledge.router import CollectionId, PageQuery, find_collection
from retinue.knowledge.sources.schemas import (
    CollectionSourceCreate,
    CollectionSourceDeleted,
    CollectionSourceUpdate,
    CollectionSourceView,
)
from retinue.knowledge.sources.service import CollectionSources

SourceId = Annotated[PathId, Path(description="ID of the source.")]
KeepDocuments = Annotated[bool, Query(description="Whether to keep its documents, which then no longer change.")]

_sources = of_caller(CollectionSources)
SourcesOfCaller = Annotated[CollectionSources, Depends(_sources)]

api = Api("knowledge", record=find_collection)
_BASE = "/knowledge/collections/{id}/sources"


async def _recover_create(request: Request, effect: RecordIds) -> Response:
    found = await (await _sources(request)).get(effect["collection"], effect["source"])
    return json_response(Data[CollectionSourceView], found, 201)


@api.post(_BASE, scope="tools:execute", status=201, response_model=Data[CollectionSourceView], recover=_recover_create)
async def add_collection_source(id: CollectionId, body: CollectionSourceCreate, sources: SourcesOfCaller) -> Envelope:
    """Add a source: a website, a folder of the workspace, a Git repository or a bucket, synchronized on a schedule."""
    return one(await sources.create(id, body))


@api.get(_BASE, scope="tools:read", response_model=Listing[CollectionSourceView])
async def list_collection_sources(id: CollectionId, page: PageQuery, sources: SourcesOfCaller) -> ListEnvelope:
    """List the sources of a collection, newest first."""
    return listing(await sources.page(id, page), page)


@api.get(f"{_BASE}/{{source_id}}", scope="tools:read", response_model=Data[CollectionSourceView])
async def get_collection_source(id: CollectionId, source_id: SourceId, sources: SourcesOfCaller) -> Envelope:
    """Retrieve a source with the progress of its synchronization."""
    return one(await sources.get(id, source_id))


@api.put(f"{_BASE}/{{source_id}}", scope="tools:execute", response_model=Data[CollectionSourceView])
async def update_collection_source(
    id: CollectionId, source_id: SourceId, body: CollectionSourceUpdate, sources: SourcesOfCaller
) -> Envelope:
    """Update the fields that are sent, and synchronize."""
    return one(await sources.update(id, source_id, body))


@api.delete(f"{_BASE}/{{source_id}}", scope="tools:execute", response_model=Data[CollectionSourceDeleted])
async def delete_collection_source(
    id: CollectionId,
    source_id: SourceId,
    sources: SourcesOfCaller,
    keep_documents: KeepDocuments = False,
) -> Envelope:
    """Delete a source with its documents."""
    await sources.delete(id, source_id, keep_documents=keep_documents)
    return one({"id": source_id, "deleted": True})


@api.post(f"{_BASE}/{{source_id}}/sync", scope="tools:execute", response_model=Data[CollectionSourceView])
async def sync_collection_source(id: CollectionId, source_id: SourceId, sources: SourcesOfCaller) -> Envelope:
    """Synchronize a source now. If that is already under way, nothing changes."""
    return one(await sources.sync(id, source_id))
