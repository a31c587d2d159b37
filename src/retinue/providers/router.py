"""Routes of providers."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.providers.schemas import (
    HostedModelView,
    ProviderCreate,
    ProviderDeleted,
    ProviderTestRequest,
    ProviderTestView,
    ProviderUpdate,
    ProviderView,
)
from retinue.providers.service import Providers

ProviderId = Annotated[PathId, Path(description="ID of the provider.")]

_providers = of_caller(Providers)

ProvidersOfCaller = Annotated[Providers, Depends(_providers)]

api = Api("models", record=record_of(_providers))
_recover_create = recover_record(_providers, "provider", Data[ProviderView], 201)


@api.post("/providers", scope="*", status=201, response_model=Data[ProviderView], recover=_recover_create)
async def create_provider(body: ProviderCreate, providers: ProvidersOfCaller) -> Envelope:
    """Add a provider of models. Its models can be used at once, under the names `provider/model-id`."""
    return one(await providers.create(body))


@api.get("/providers", scope="*", response_model=Listing[ProviderView])
async def list_providers(page: Annotated[Page, Query()], providers: ProvidersOfCaller) -> ListEnvelope:
    """List your providers, newest first."""
    return listing(await providers.page(page), page)


@api.get("/providers/{id}", scope="*", response_model=Data[ProviderView])
async def get_provider(id: ProviderId, providers: ProvidersOfCaller) -> Envelope:
    """Retrieve a provider."""
    return one(await providers.get(id))


@api.put("/providers/{id}", scope="*", response_model=Data[ProviderView])
async def update_provider(id: ProviderId, body: ProviderUpdate, providers: ProvidersOfCaller) -> Envelope:
    """Change a provider.

    If `base_url` points to another server, the key, the headers and the query must be sent again.
    """
    return one(await providers.update(id, body))


@api.delete("/providers/{id}", scope="*", response_model=Data[ProviderDeleted])
async def delete_provider(id: ProviderId, providers: ProvidersOfCaller) -> Envelope:
    """Delete a provider, unless one of its models is in use.

    A default, an agent or a collection that uses a model of it is named in the error. To stop using a provider for a
    while, set `enabled` to false instead.
    """
    await providers.delete(id)
    return one({"id": id, "deleted": True})


@api.post("/providers/{id}/test", scope="*", response_model=Data[ProviderTestView])
async def test_provider(id: ProviderId, body: ProviderTestRequest, providers: ProvidersOfCaller) -> Envelope:
    """Test a provider with one small call of a model, which it may charge."""
    return one(await providers.test(id, body.model))


@api.get("/providers/{id}/models", scope="*", response_model=Listing[HostedModelView])
async def list_provider_models(
    id: ProviderId, page: Annotated[Page, Query()], providers: ProvidersOfCaller
) -> ListEnvelope:
    """Ask a provider for its models."""
    found = await providers.models(id)
    return listing((found[page.offset : page.offset + page.per_page], len(found)), page)
