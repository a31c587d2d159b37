"""Routes of API keys."""

from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.keys.schemas import KeyCreate, KeyDeleted, KeyRotate, KeySecretView, KeyUpdate, KeyView
from retinue.auth.keys.service import Keys
from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of

KeyId = Annotated[PathId, Path(description="ID of the API key.")]
PageQuery = Annotated[Page, Query()]
_KINDS = ("key", "session")
"""OAuth tokens belong to apps. An app must not create credentials that outlive its token."""

_keys = of_caller(Keys)

KeysOfCaller = Annotated[Keys, Depends(_keys)]

api = Api("keys", record=record_of(_keys))


@api.post("/keys", "*", 201, response_model=Data[KeySecretView], hands_out_secret=True, credentials=_KINDS)
async def create_key(body: KeyCreate, keys: KeysOfCaller) -> Envelope:
    """Create an API key.

    The response is the only place where the key appears. Test keys can only create test keys.
    """
    return one(await keys.create(body))


@api.get("/keys", "*", response_model=Listing[KeyView], credentials=_KINDS)
async def list_keys(page: PageQuery, keys: KeysOfCaller) -> ListEnvelope:
    """List your API keys, live and test, newest first. A test key lists only test keys."""
    return listing(await keys.page(page), page)


@api.get("/keys/{id}", "*", response_model=Data[KeyView], credentials=_KINDS)
async def get_key(id: KeyId, keys: KeysOfCaller) -> Envelope:
    """Retrieve an API key, without its secret."""
    return one(await keys.get(id))


@api.put("/keys/{id}", "*", response_model=Data[KeyView], credentials=_KINDS)
async def update_key(id: KeyId, body: KeyUpdate, keys: KeysOfCaller) -> Envelope:
    """Update the name, the budgets or the networks of an API key.

    Null removes a budget or the restriction to networks. Changes take effect within a second.
    """
    return one(await keys.update(id, body))


@api.delete("/keys/{id}", "*", response_model=Data[KeyDeleted], credentials=_KINDS)
async def revoke_key(id: KeyId, keys: KeysOfCaller) -> Envelope:
    """Revoke an API key. It stops working within a second."""
    await keys.revoke(id)
    return one({"id": id, "deleted": True})


@api.post("/keys/{id}/rotate", "*", 201, response_model=Data[KeySecretView], hands_out_secret=True, credentials=_KINDS)
async def rotate_key(id: KeyId, body: KeyRotate, keys: KeysOfCaller) -> Envelope:
    """Rotate an API key: create a new key with the same scopes.

    The response is the only place where the new key appears. The old key keeps working for `overlap_days`; by default
    it stops working within a second.
    """
    return one(await keys.rotate(id, timedelta(days=body.overlap_days or 0)))
