"""HTTP of models."""

from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import Field

from retinue.auth.services import shared_service
from retinue.core.envelope import Listing, Page, View, listing
from retinue.core.operations import Api
from retinue.models.registry import Models


class ModelView(View):
    """A model that chat accepts."""

    name: str = Field(description="What to send as `model`.")
    default: bool = Field(description="Whether it is used when a request names none.")


_models = shared_service(Models)


api = Api("models")


@api.get("/models", scope="chat:read", response_model=Listing[ModelView])
async def list_models(page: Annotated[Page, Query()], models: Annotated[Models, Depends(_models)]) -> Any:
    """List the names of models that chat accepts."""
    names = models.names()
    shown = names[page.offset : page.offset + page.per_page]
    return listing(([{"name": name, "default": name == names[0]} for name in shown], len(names)), page)
