"""Routes of the marketplace."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.marketplace.installing import Installations
from retinue.marketplace.schemas import (
    InstallationDeleted,
    InstallationView,
    InstallRequest,
    ItemChange,
    ItemDetails,
    ItemPublish,
    ItemQuery,
    ItemView,
    Moderation,
    Rating,
)
from retinue.marketplace.service import Marketplace

ItemId = Annotated[PathId, Path(description="ID of the item.")]
InstallationId = Annotated[PathId, Path(description="ID of the installation.")]
PageQuery = Annotated[Page, Query()]
ItemsQuery = Annotated[ItemQuery, Query()]

_marketplace = of_caller(Marketplace)
_installations = of_caller(Installations)

OfCaller = Annotated[Marketplace, Depends(_marketplace)]
InstallationsOfCaller = Annotated[Installations, Depends(_installations)]

api = Api("marketplace", record=record_of(_marketplace))
installed_api = Api("marketplace", record=record_of(_installations))
recover_publication = recover_record(_marketplace, "item", Data[ItemDetails], 201)
recover_installation = recover_record(_installations, "installation", Data[InstallationView], 201)


@api.get("/marketplace", "marketplace:read", response_model=Listing[ItemView])
async def list_items(query: ItemsQuery, marketplace: OfCaller) -> ListEnvelope:
    """List the marketplace items, including your own items that are waiting for review."""
    return listing(await marketplace.page(query), query)


@api.post("/marketplace", "marketplace:publish", 201, response_model=Data[ItemDetails], recover=recover_publication)
async def publish_item(body: ItemPublish, marketplace: OfCaller) -> Envelope:
    """Publish an item. Other users see it once the operator has approved it."""
    return one(await marketplace.publish(body))


@installed_api.get("/marketplace/installed", "marketplace:read", response_model=Listing[InstallationView])
async def list_installations(page: PageQuery, installations: InstallationsOfCaller) -> ListEnvelope:
    """List your installations, newest first."""
    return listing(await installations.page(page), page)


@installed_api.get("/marketplace/installed/{id}", "marketplace:read", response_model=Data[InstallationView])
async def get_installation(id: InstallationId, installations: InstallationsOfCaller) -> Envelope:
    """Retrieve an installation."""
    return one(await installations.get(id))


@installed_api.delete("/marketplace/installed/{id}", "marketplace:write", response_model=Data[InstallationDeleted])
async def uninstall_item(id: InstallationId, installations: InstallationsOfCaller) -> Envelope:
    """Uninstall: delete the objects that an installation created, as far as they still exist."""
    await installations.uninstall(id)
    return one({"id": id, "deleted": True})


@api.get("/marketplace/{id}", "marketplace:read", response_model=Data[ItemDetails])
async def get_item(id: ItemId, marketplace: OfCaller) -> Envelope:
    """Retrieve an item with its readme and its manifest."""
    return one(await marketplace.get(id))


@api.put("/marketplace/{id}", "marketplace:publish", response_model=Data[ItemDetails])
async def change_item(id: ItemId, body: ItemChange, marketplace: OfCaller) -> Envelope:
    """Publish a new version of one of your items. Existing installations do not change."""
    return one(await marketplace.change(id, body))


@api.post(
    "/marketplace/{id}/install",
    "marketplace:write",
    201,
    response_model=Data[InstallationView],
    recover=recover_installation,
)
async def install_item(
    id: ItemId, body: InstallRequest, marketplace: OfCaller, installations: InstallationsOfCaller
) -> Envelope:
    """Install an item.

    The installation connects to no server; items that require a credential receive a connection afterwards.
    """
    return one(await installations.install(await marketplace.row(id), body))


@api.post("/marketplace/{id}/rating", "marketplace:write", response_model=Data[ItemView])
async def rate_item(id: ItemId, body: Rating, marketplace: OfCaller) -> Envelope:
    """Rate an item with 1 to 5 stars."""
    return one(await marketplace.rate(id, body.stars))


@api.post("/marketplace/{id}/moderate", "marketplace:publish", response_model=Data[ItemView])
async def moderate_item(id: ItemId, body: Moderation, marketplace: OfCaller) -> Envelope:
    """Approve, reject or withdraw an item.

    Only for operators, with a session or a key with the scope `*`; authors can withdraw their own items. Installations
    keep working.
    """
    return one(await marketplace.moderate(id, body))
