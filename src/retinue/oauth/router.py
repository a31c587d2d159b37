"""Routes of OAuth apps and grants. The endpoints of the protocol itself are in `endpoints` and `consent`."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of
from retinue.oauth.schemas import AppCreate, AppDeleted, AppSecretView, AppUpdate, AppView, GrantDeleted, GrantView
from retinue.oauth.service import Apps, Grants

AppId = Annotated[PathId, Path(description="ID of the app.")]
GrantId = Annotated[PathId, Path(description="ID of the grant.")]
PageQuery = Annotated[Page, Query()]
_KINDS = ("key", "session")
"""OAuth tokens belong to apps. An app must not create apps or extend its own grant."""

_apps = of_caller(Apps)
_grants = of_caller(Grants)

AppsOfCaller = Annotated[Apps, Depends(_apps)]
GrantsOfCaller = Annotated[Grants, Depends(_grants)]

api = Api("oauth", record=record_of(_apps))
grants_api = Api("oauth", record=record_of(_grants))


@api.post("/oauth/apps", "*", 201, response_model=Data[AppSecretView], hands_out_secret=True, credentials=_KINDS)
async def create_app(body: AppCreate, apps: AppsOfCaller) -> Envelope:
    """Create an OAuth app. The response is the only place where its secret appears."""
    return one(await apps.create(body))


@api.get("/oauth/apps", "*", response_model=Listing[AppView], credentials=_KINDS)
async def list_apps(page: PageQuery, apps: AppsOfCaller) -> ListEnvelope:
    """List your OAuth apps, newest first."""
    return listing(await apps.page(page), page)


@api.get("/oauth/apps/{id}", "*", response_model=Data[AppView], credentials=_KINDS)
async def get_app(id: AppId, apps: AppsOfCaller) -> Envelope:
    """Retrieve an OAuth app."""
    return one(await apps.get(id))


@api.put("/oauth/apps/{id}", "*", response_model=Data[AppView], credentials=_KINDS)
async def update_app(id: AppId, body: AppUpdate, apps: AppsOfCaller) -> Envelope:
    """Update an OAuth app. Issued tokens keep their scopes."""
    return one(await apps.update(id, body))


@api.delete("/oauth/apps/{id}", "*", response_model=Data[AppDeleted], credentials=_KINDS)
async def delete_app(id: AppId, apps: AppsOfCaller) -> Envelope:
    """Delete an OAuth app. All its tokens stop working within a second."""
    await apps.delete(id)
    return one({"id": id, "deleted": True})


@api.post("/oauth/apps/{id}/rotate", "*", response_model=Data[AppSecretView], hands_out_secret=True, credentials=_KINDS)
async def rotate_app_secret(id: AppId, apps: AppsOfCaller) -> Envelope:
    """Replace the secret of an OAuth app.

    The response is the only place where the new secret appears. The old secret stops working at once.
    """
    return one(await apps.rotate(id))


@grants_api.get("/oauth/grants", "*", response_model=Listing[GrantView], credentials=_KINDS)
async def list_grants(page: PageQuery, grants: GrantsOfCaller) -> ListEnvelope:
    """List the grants that you gave to apps, newest first."""
    return listing(await grants.page(page), page)


@grants_api.get("/oauth/grants/{id}", "*", response_model=Data[GrantView], credentials=_KINDS)
async def get_grant(id: GrantId, grants: GrantsOfCaller) -> Envelope:
    """Retrieve a grant."""
    return one(await grants.get(id))


@grants_api.delete("/oauth/grants/{id}", "*", response_model=Data[GrantDeleted], credentials=_KINDS)
async def revoke_grant(id: GrantId, grants: GrantsOfCaller) -> Envelope:
    """Revoke a grant. The tokens that the app holds for you stop working within a second."""
    await grants.revoke(id)
    return one({"id": id, "deleted": True})
