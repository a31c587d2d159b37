"""Routes of collections and documents."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, json_response, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.core.idempotency.keys import RecordIds
from retinue.knowledge.retrieval import SearchResult
from retinue.knowledge.schemas import (
    CollectionCreate,
    CollectionDeleted,
    CollectionUpdate,
    CollectionView,
    DocumentCreate,
    DocumentView,
    HitList,
    PassageView,
    Search,
    SearchOfSeveral,
)
from retinue.knowledge.service import Collections

CollectionId = Annotated[PathId, Path(description="ID of the collection.")]
DocumentId = Annotated[PathId, Path(description="ID of the document.")]
PageQuery = Annotated[Page, Query()]

_collections = of_caller(Collections)
find_collection = record_of(_collections)

CollectionsOfCaller = Annotated[Collections, Depends(_collections)]

api = Api("knowledge", record=find_collection)
_recover_create = recover_record(_collections, "collection", Data[CollectionView], 201)


async def _recover_add(request: Request, effect: RecordIds) -> Response:
    found = await (await _collections(request)).document(effect["collection"], effect["document"])
    return json_response(Data[DocumentView], found, 201)


@api.post(
    "/knowledge/collections",
    scope="tools:execute",
    status=201,
    response_model=Data[CollectionView],
    recover=_recover_create,
)
async def create_collection(body: CollectionCreate, collections: CollectionsOfCaller) -> Envelope:
    """Create a collection of documents that agents can answer from."""
    return one(await collections.create(body))


@api.get("/knowledge/collections", scope="tools:read", response_model=Listing[CollectionView])
async def list_collections(page: PageQuery, collections: CollectionsOfCaller) -> ListEnvelope:
    """List your collections, newest first."""
    return listing(await collections.page(page), page)


@api.get("/knowledge/collections/{id}", scope="tools:read", response_model=Data[CollectionView])
async def get_collection(id: CollectionId, collections: CollectionsOfCaller) -> Envelope:
    """Retrieve a collection."""
    return one(await collections.get(id))


@api.put("/knowledge/collections/{id}", scope="tools:execute", response_model=Data[CollectionView])
async def update_collection(id: CollectionId, body: CollectionUpdate, collections: CollectionsOfCaller) -> Envelope:
    """Change the name, the description or the reranker of a collection."""
    return one(await collections.update(id, body))


@api.delete("/knowledge/collections/{id}", scope="tools:execute", response_model=Data[CollectionDeleted])
async def delete_collection(id: CollectionId, collections: CollectionsOfCaller) -> Envelope:
    """Delete a collection with its documents, unless an agent answers from it.

    The error names the agents. Take the collection out of their `knowledge` first.
    """
    await collections.delete(id)
    return one({"id": id, "deleted": True})


@api.post(
    "/knowledge/collections/{id}/documents",
    scope="tools:execute",
    status=201,
    response_model=Data[DocumentView],
    recover=_recover_add,
)
async def add_document(id: CollectionId, body: DocumentCreate, collections: CollectionsOfCaller) -> Envelope:
    """Add a file, a web page or a text to a collection. It is read and indexed in the background."""
    return one(await collections.add(id, body))


@api.get("/knowledge/collections/{id}/documents", scope="tools:read", response_model=Listing[DocumentView])
async def list_documents(id: CollectionId, page: PageQuery, collections: CollectionsOfCaller) -> ListEnvelope:
    """List the documents of a collection, newest first."""
    return listing(await collections.documents(id, page), page)


@api.get("/knowledge/collections/{id}/documents/{document_id}", scope="tools:read", response_model=Data[DocumentView])
async def get_document(id: CollectionId, document_id: DocumentId, collections: CollectionsOfCaller) -> Envelope:
    """Retrieve a document."""
    return one(await collections.document(id, document_id))


@api.get(
    "/knowledge/collections/{id}/documents/{document_id}/passages",
    scope="tools:read",
    response_model=Listing[PassageView],
)
async def list_passages(
    id: CollectionId, document_id: DocumentId, page: PageQuery, collections: CollectionsOfCaller
) -> ListEnvelope:
    """List the passages of a document, in order."""
    return listing(await collections.passages(id, document_id, page), page)


@api.delete(
    "/knowledge/collections/{id}/documents/{document_id}",
    scope="tools:execute",
    response_model=Data[CollectionDeleted],
)
async def delete_document(id: CollectionId, document_id: DocumentId, collections: CollectionsOfCaller) -> Envelope:
    """Delete a document with its passages."""
    await collections.remove(id, document_id)
    return one({"id": document_id, "deleted": True})


@api.post(
    "/knowledge/collections/{id}/documents/{document_id}/refresh",
    scope="tools:execute",
    response_model=Data[DocumentView],
)
async def refresh_document(id: CollectionId, document_id: DocumentId, collections: CollectionsOfCaller) -> Envelope:
    """Read a document again, for example after its web page has changed."""
    return one(await collections.refresh(id, document_id))


@api.post("/knowledge/collections/{id}/search", scope="tools:execute", response_model=HitList)
async def search_collection(id: CollectionId, body: Search, collections: CollectionsOfCaller) -> ListEnvelope:
    """Search a collection by words and by meaning."""
    return _all(await collections.search(id, body))


@api.post("/knowledge/search", scope="tools:execute", response_model=HitList)
async def search_collections(body: SearchOfSeveral, collections: CollectionsOfCaller) -> ListEnvelope:
    """Search several collections by words and by meaning."""
    return _all(await collections.search_several(body))


def _all(found: SearchResult) -> ListEnvelope:
    """Return all hits as one page."""
    page = listing((found.hits, len(found.hits)), Page(per_page=max(len(found.hits), 1)))
    return {**page, "meta": {**page["meta"], "reranking": found.reranking}}
