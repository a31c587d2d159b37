"""HTTP of API keys."""

from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request

from retinue.auth.keys.schemas import KeyCreate, KeyDeleted, KeyRotate, KeySecretView, KeyUpdate, KeyView
from retinue.auth.keys.service import Keys
from retinue.auth.services import of_caller
from retinue.core.envelope import Data, Listing, Page, PathId, listing, one
from retinue.core.operations import Api, path_id

KeyId = Annotated[PathId, Path(description="The key's id.")]
PageQuery = Annotated[Page, Query()]
_KINDS = ("key", "session")
"""An OAuth token is an app's: it may not make credentials that outlive it."""


_keys = of_caller(Keys)


async def _record(request: Request) -> object:
    return await (await _keys(request)).get(path_id(request))


KeysOfCaller = Annotated[Keys, Depends(_keys)]

api = Api("keys", record=_record)


@api.post("/keys", "*", 201, response_model=Data[KeySecretView], hands_out_secret=True, credentials=_KINDS)
async def create_key(body: KeyCreate, keys: KeysOfCaller) -> Any:
    """Make an API key. It is in this answer alone. A test key makes only test keys."""
    return one(await keys.create(body))


@api.get("/keys", "*", response_model=Listing[KeyView], credentials=_KINDS)
async def list_keys(page: PageQuery, keys: KeysOfCaller) -> Any:
    """List your keys, live and test, newest first. A test key lists test keys alone."""
    return listing(await keys.page(page), page)


@api.get("/keys/{id}", "*", response_model=Data[KeyView], credentials=_KINDS)
async def get_key(id: KeyId, keys: KeysOfCaller) -> Any:
    """Get one key, without its secret."""
    return one(await keys.get(id))


@api.put("/keys/{id}", "*", response_model=Data[KeyView], credentials=_KINDS)
async def update_key(id: KeyId, body: KeyUpdate, keys: KeysOfCaller) -> Any:
    """Change the name, the budgets or the networks of a key.

    Null clears a budget, or lets the key work from anywhere. A change holds everywhere within a second.
    """
    return one(await keys.update(id, body))


@api.delete("/keys/{id}", "*", response_model=Data[KeyDeleted], credentials=_KINDS)
async def revoke_key(id: KeyId, keys: KeysOfCaller) -> Any:
    """Revoke a key. It stops working everywhere within a second."""
    await keys.revoke(id)
    return one({"id": id, "deleted": True})


@api.post("/keys/{id}/rotate", "*", 201, response_model=Data[KeySecretView], hands_out_secret=True, credentials=_KINDS)
async def rotate_key(id: KeyId, body: KeyRotate, keys: KeysOfCaller) -> Any:
    """Make a successor with the same rights, which is in this answer alone.

    The old key goes on working for the days in `overlap_days`; without any it stops within a second.
    """
    return one(await keys.rotate(id, timedelta(days=body.overlap_days or 0)))
