"""Routes of publishable keys."""

from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Path, Query
from pydantic import ConfigDict, Field

from retinue.auth.services import of_caller
from retinue.core.http.envelope import (
    Counted,
    Data,
    Envelope,
    ListEnvelope,
    Listing,
    Page,
    PathId,
    listing,
    one,
)
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.sharing.schemas import (
    PublishableKeyCreate,
    PublishableKeyDeleted,
    PublishableKeyRotate,
    PublishableKeyUpdate,
    PublishableKeyView,
)
from retinue.sharing.service import PublishableKeys

KeyId = Annotated[PathId, Path(description="ID of the publishable key.")]
_KINDS = ("key", "session")
"""OAuth tokens belong to apps. An app must not create credentials that outlive its token."""


class PublishableKeyQuery(Page):
    """Filter and page of the list of publishable keys."""

    model_config = ConfigDict(extra="ignore")

    agent_id: Counted | None = Field(None, ge=1, le=2**63 - 1, description="Only return the keys of this agent.")


_keys = of_caller(PublishableKeys)

KeysOfCaller = Annotated[PublishableKeys, Depends(_keys)]

api = Api("sharing", record=record_of(_keys))
_recover = recover_record(_keys, "publishable_key", Data[PublishableKeyView], 201)


@api.post("/publishable-keys", "*", 201, response_model=Data[PublishableKeyView], credentials=_KINDS, recover=_recover)
async def create_publishable_key(body: PublishableKeyCreate, keys: KeysOfCaller) -> Envelope:
    """Create a publishable key, with which visitors of a page chat with one agent.

    The key is for the source of a page. It opens no other operation, and only pages of its origins can use it.
    """
    return one(await keys.create(body))


@api.get("/publishable-keys", "*", response_model=Listing[PublishableKeyView], credentials=_KINDS)
async def list_publishable_keys(page: Annotated[PublishableKeyQuery, Query()], keys: KeysOfCaller) -> ListEnvelope:
    """List your publishable keys, newest first."""
    return listing(await keys.page(page, page.agent_id), page)


@api.get("/publishable-keys/{id}", "*", response_model=Data[PublishableKeyView], credentials=_KINDS)
async def get_publishable_key(id: KeyId, keys: KeysOfCaller) -> Envelope:
    """Retrieve a publishable key, with the numbers of its visitors' conversations and messages."""
    return one(await keys.get(id))


@api.put("/publishable-keys/{id}", "*", response_model=Data[PublishableKeyView], credentials=_KINDS)
async def update_publishable_key(id: KeyId, body: PublishableKeyUpdate, keys: KeysOfCaller) -> Envelope:
    """Update a publishable key. Changes take effect within a second."""
    return one(await keys.update(id, body))


@api.delete("/publishable-keys/{id}", "*", response_model=Data[PublishableKeyDeleted], credentials=_KINDS)
async def revoke_publishable_key(id: KeyId, keys: KeysOfCaller) -> Envelope:
    """Revoke a publishable key. It stops working within a second. The conversations of its visitors stay."""
    await keys.revoke(id)
    return one({"id": id, "deleted": True})


@api.post(
    "/publishable-keys/{id}/rotate",
    "*",
    201,
    response_model=Data[PublishableKeyView],
    credentials=_KINDS,
    recover=_recover,
)
async def rotate_publishable_key(id: KeyId, body: PublishableKeyRotate, keys: KeysOfCaller) -> Envelope:
    """Rotate a publishable key: create a new one with the same settings.

    The old key keeps working for `overlap_days`; by default it stops working within a second.
    """
    return one(await keys.rotate(id, timedelta(days=body.overlap_days or 0)))
