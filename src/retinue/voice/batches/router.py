"""Routes of batches of calls."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.voice.batches.schemas import (
    BatchCreate,
    BatchDeleted,
    BatchRecipientView,
    BatchView,
    PlannedCall,
    PlanQuery,
    RecipientFilter,
)
from retinue.voice.batches.service import Batches

BatchId = Annotated[PathId, Path(description="ID of the batch.")]

_batches = of_caller(Batches)

BatchesOfCaller = Annotated[Batches, Depends(_batches)]

api = Api("voice", record=record_of(_batches))
_recover = recover_record(_batches, "batch", Data[BatchView], 201)


@api.post("/voice/batches", scope="voice:write", status=201, response_model=Data[BatchView], recover=_recover)
async def create_batch(body: BatchCreate, batches: BatchesOfCaller) -> Envelope:
    """Create a batch: an agent calls a list of recipients. It starts at once, unless `start` is false."""
    return one(await batches.create(body))


@api.get("/voice/batches", scope="voice:read", response_model=Listing[BatchView])
async def list_batches(page: Annotated[Page, Query()], batches: BatchesOfCaller) -> ListEnvelope:
    """List your batches of calls, newest first."""
    return listing(await batches.page(page), page)


@api.get("/voice/batches/{id}", scope="voice:read", response_model=Data[BatchView])
async def get_batch(id: BatchId, batches: BatchesOfCaller) -> Envelope:
    """Retrieve a batch with its progress."""
    return one(await batches.get(id))


@api.get("/voice/batches/{id}/recipients", scope="voice:read", response_model=Listing[BatchRecipientView])
async def list_recipients(
    id: BatchId, wanted: Annotated[RecipientFilter, Query()], batches: BatchesOfCaller
) -> ListEnvelope:
    """List the recipients of a batch in order, with their states and last calls."""
    return listing(await batches.recipients(id, wanted), wanted)


@api.get("/voice/batches/{id}/plan", scope="voice:read", response_model=Listing[PlannedCall])
async def plan_batch(id: BatchId, query: Annotated[PlanQuery, Query()], batches: BatchesOfCaller) -> ListEnvelope:
    """Show whom a batch would call when, and whom it would not call and why. Nobody is called."""
    return listing(await batches.plan(id, query), query)


@api.post("/voice/batches/{id}/start", scope="voice:write", response_model=Data[BatchView])
async def start_batch(id: BatchId, batches: BatchesOfCaller) -> Envelope:
    """Start a draft."""
    return one(await batches.start(id))


@api.post("/voice/batches/{id}/pause", scope="voice:write", response_model=Data[BatchView])
async def pause_batch(id: BatchId, batches: BatchesOfCaller) -> Envelope:
    """Pause a running batch. It begins no further calls; calls that have begun go on."""
    return one(await batches.pause(id))


@api.post("/voice/batches/{id}/resume", scope="voice:write", response_model=Data[BatchView])
async def resume_batch(id: BatchId, batches: BatchesOfCaller) -> Envelope:
    """Resume a paused batch."""
    return one(await batches.resume(id))


@api.post("/voice/batches/{id}/cancel", scope="voice:write", response_model=Data[BatchView])
async def cancel_batch(id: BatchId, batches: BatchesOfCaller) -> Envelope:
    """Cancel a batch for good. Calls that have begun go on. A batch that has ended is not changed."""
    return one(await batches.cancel(id))


@api.delete("/voice/batches/{id}", scope="voice:write", response_model=Data[BatchDeleted])
async def delete_batch(id: BatchId, batches: BatchesOfCaller) -> Envelope:
    """Delete a draft, or a batch that has ended. Its calls stay."""
    await batches.delete(id)
    return one({"id": id, "deleted": True})
