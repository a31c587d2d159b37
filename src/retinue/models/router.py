"""Routes of models."""

from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import Field

from retinue.auth.services import shared_service
from retinue.core.http.envelope import Listing, Page, View, listing
from retinue.core.http.operations import Api
from retinue.models.registry import Models


class ModelView(View):
    """A model for chat."""

    name: str = Field(description="Name to send as `model`.")
    default: bool = Field(description="Whether this model is used by default.")


_models = shared_service(Models)


api = Api("models")


@api.get("/models", scope="chat:read", response_model=Listing[ModelView])
async def list_models(page: Annotated[Page, Query()], models: Annotated[Models, Depends(_models)]) -> Any:
    """List the models that are available for chat."""
    names = models.names()
    shown = names[page.offset : page.offset + page.per_page]
    return listing(([{"name": name, "default": name == names[0]} for name in shown], len(names)), page)
