"""Routes of the facts that agents remember."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.memory.schemas import (
    MemoryCreate,
    MemoryDeleted,
    MemoryFilter,
    MemoryHit,
    MemorySearch,
    MemoryUpdate,
    MemoryView,
)
from retinue.memory.service import Memories

FactId = Annotated[PathId, Path(description="ID of the fact.")]

_memories = of_caller(Memories)

MemoriesOfCaller = Annotated[Memories, Depends(_memories)]

api = Api("memory", record=record_of(_memories))
_recover = recover_record(_memories, "fact", Data[MemoryView], 201)


@api.get("/memory", scope="tools:read", response_model=Listing[MemoryView])
async def list_memories(query: Annotated[MemoryFilter, Query()], memories: MemoriesOfCaller) -> ListEnvelope:
    """List the facts that your agents remember, newest first."""
    return listing(await memories.page(query), query)


@api.post("/memory", scope="tools:execute", status=201, response_model=Data[MemoryView], recover=_recover)
async def add_memory(body: MemoryCreate, memories: MemoriesOfCaller) -> Envelope:
    """Add a fact to the memory of an agent."""
    return one(await memories.add(body))


@api.post("/memory/search", scope="tools:execute", response_model=Listing[MemoryHit])
async def search_memory(body: MemorySearch, memories: MemoriesOfCaller) -> ListEnvelope:
    """Search the facts that your agents remember, by words and by meaning."""
    found = await memories.search(body)
    return listing((found, len(found)), Page(per_page=max(len(found), 1)))


@api.get("/memory/{id}", scope="tools:read", response_model=Data[MemoryView])
async def get_memory(id: FactId, memories: MemoriesOfCaller) -> Envelope:
    """Retrieve a fact."""
    return one(await memories.get(id))


@api.put("/memory/{id}", scope="tools:execute", response_model=Data[MemoryView])
async def update_memory(id: FactId, body: MemoryUpdate, memories: MemoriesOfCaller) -> Envelope:
    """Change the text of a fact."""
    return one(await memories.update(id, body))


@api.delete("/memory/{id}", scope="tools:execute", response_model=Data[MemoryDeleted])
async def delete_memory(id: FactId, memories: MemoriesOfCaller) -> Envelope:
    """Delete a fact."""
    await memories.delete(id)
    return one({"id": id, "deleted": True})
