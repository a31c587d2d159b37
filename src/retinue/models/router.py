"""Routes of models."""

from typing import Annotated, Self

from fastapi import Depends, Query, Request
from pydantic import BaseModel, Field, model_validator

from retinue.auth.caller import Caller
from retinue.auth.services import of_caller, shared_service
from retinue.core.http.envelope import Body, Data, Envelope, ListEnvelope, Listing, Page, View, listing, one
from retinue.core.http.operations import Api
from retinue.models.defaults import DefaultModel
from retinue.models.failover import MOST_FALLBACKS
from retinue.models.registry import ListedModel, Models
from retinue.providers.schemas import MODEL_NAME, Input, ModelPriceView

_Name = Annotated[str, Field(min_length=1, max_length=MODEL_NAME)]


class ModelView(View):
    """A model for chat and agents."""

    name: str = Field(description="Name to send as `model`.")
    default: bool = Field(description="Whether this model is used by default.")
    provider: str | None = Field(description="Name of its provider; null for the local model.")
    context_tokens: int = Field(description="Context window in tokens.")
    max_output_tokens: int | None = Field(description="Maximum number of tokens of a reply; null if it is unknown.")
    input: list[Input] = Field(description="What the model can read.")
    tools: bool = Field(description="Whether the model can call tools.")
    reasoning: bool = Field(description="Whether the model can reason before it replies.")
    price: ModelPriceView | None = Field(description="Prices; null if they are unknown.")


class DefaultModelChange(Body):
    """Request body for choosing the default model."""

    model: _Name | None = Field(
        None, description="Name of a model from GET /models. `alfred-default` returns to the default of the server."
    )
    fallbacks: Annotated[list[_Name], Field(max_length=MOST_FALLBACKS)] | None = Field(
        None, description="Models to try in this order if the model is unavailable. Send them with `model`."
    )
    embedding: _Name | None = Field(
        None,
        description="Embedding model of a provider, such as `openai/text-embedding-3-small`. Collections are indexed "
        "anew in the background. `alfred-embedding` returns to the default of the server.",
    )

    @model_validator(mode="after")
    def _check_choice(self) -> Self:
        if self.model is None and (self.embedding is None or self.fallbacks is not None):
            raise ValueError("send model, with its fallbacks if it has any, or embedding, or both")
        return self


class DefaultModelView(View):
    """What `alfred-default` and `alfred-embedding` mean."""

    model: str = Field(description="Name of the model.")
    fallbacks: list[str] = Field(description="Models to try in this order if the model is unavailable.")
    shared: bool = Field(description="Whether this is the default of the server, rather than the account's choice.")
    embedding: str = Field(
        description="Embedding model of a provider, or `alfred-embedding` for the model that the server includes."
    )


class Scope(BaseModel):
    """Whose default to change."""

    shared: bool = Field(False, description="Whether to choose for all accounts. Only operators can.")


_models, _default = shared_service(Models), of_caller(DefaultModel)

DefaultOfCaller = Annotated[DefaultModel, Depends(_default)]

api = Api("models")


async def _listing(request: Request) -> list[ListedModel]:
    caller: Caller = request.scope["caller"]
    return await (await _models(request)).listing(caller.account_id)


@api.get("/models", scope="chat:read", response_model=Listing[ModelView])
async def list_models(
    page: Annotated[Page, Query()], found: Annotated[list[object], Depends(_listing)]
) -> ListEnvelope:
    """List the models that you can use: the default first, then the others by provider."""
    return listing((found[page.offset : page.offset + page.per_page], len(found)), page)


@api.get("/models/default", scope="chat:read", response_model=Data[DefaultModelView])
async def get_default_model(default: DefaultOfCaller) -> Envelope:
    """Retrieve what `alfred-default` and `alfred-embedding` mean for your account."""
    return one(await default.get())


@api.put("/models/default", scope="*", response_model=Data[DefaultModelView])
async def choose_default_model(
    whose: Annotated[Scope, Query()], body: DefaultModelChange, default: DefaultOfCaller
) -> Envelope:
    """Choose what `alfred-default` or `alfred-embedding` means for your account.

    Operators can choose for all accounts with `shared=true`.
    """
    if body.embedding is not None:
        await default.choose_embedding(body.embedding, shared=whose.shared)
    if body.model is not None:
        await default.choose(body.model, body.fallbacks or [], shared=whose.shared)
    return one(await default.get())
