"""Routes of local models, for operators."""

from typing import Annotated, Literal

from fastapi import Depends, Path, Query, Request
from pydantic import Field

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, View, listing, one
from retinue.core.http.operations import Api
from retinue.models.local_models import LocalModels
from retinue.models.recommendation import Speed


class LocalModelView(View):
    """A local model, as it is on the server that answers."""

    name: str = Field(description="Name of the model.")
    title: str = Field(description="Name that its authors use, with the number of parameters.")
    size_bytes: int = Field(description="Size of the download in bytes, rounded until it is known.")
    licence: str = Field(description="Licence of the weights.")
    context_tokens: int = Field(description="Context window of each request in tokens.")
    memory_bytes: int = Field(description="Memory that it needs in bytes, an estimate.")
    fits: bool = Field(description="Whether the memory, and the disk for a download, suffice.")
    speed: Speed = Field(
        description="Estimate for a short reply on this machine: seconds (`fast`), up to a minute (`moderate`) or "
        "minutes (`slow`)."
    )
    tools: bool = Field(description="Whether it calls tools natively. For the others, the server chooses tools.")
    state: Literal["absent", "pulling", "ready", "loading", "active"] = Field(
        description="Whether its file is missing, being downloaded or ready, or whether it is being loaded or in use."
    )
    pulled_bytes: int = Field(description="Bytes of a running download so far.")
    error: str | None = Field(description="Why its last download or activation failed; null if it did not.")


class LocalModelDeleted(View):
    """Name of the model whose file was deleted."""

    name: str = Field(description="Name of the model.")
    deleted: Literal[True]


Name = Annotated[str, Path(description="Name of the local model.")]

_models = of_caller(LocalModels)


async def _record(request: Request) -> object:
    return await (await _models(request)).get(request.path_params["name"])


LocalModelsOfCaller = Annotated[LocalModels, Depends(_models)]

api = Api("models", record=_record)


@api.get("/models/local", scope="*", response_model=Listing[LocalModelView])
async def list_local_models(page: Annotated[Page, Query()], models: LocalModelsOfCaller) -> ListEnvelope:
    """List local models that operators can download and use, with what they need. Only for operators."""
    found = await models.list()
    return listing((found[page.offset : page.offset + page.per_page], len(found)), page)


@api.get("/models/local/{name}", scope="*", response_model=Data[LocalModelView])
async def get_local_model(name: Name, models: LocalModelsOfCaller) -> Envelope:
    """Retrieve a local model with the progress of its download. Only for operators."""
    return one(await models.get(name))


@api.post("/models/local/{name}/pull", scope="*", status=202, response_model=Data[LocalModelView])
async def pull_local_model(name: Name, models: LocalModelsOfCaller) -> Envelope:
    """Begin to download a local model, one at a time, to the server that answers. Only for operators.

    An interrupted download continues where it stopped, also after a restart.
    """
    return one(await models.pull(name))


@api.post("/models/local/{name}/cancel", scope="*", response_model=Data[LocalModelView])
async def cancel_local_model_pull(name: Name, models: LocalModelsOfCaller) -> Envelope:
    """Cancel the download of a local model and delete the partial file. Only for operators."""
    return one(await models.cancel(name))


@api.post("/models/local/{name}/activate", scope="*", status=202, response_model=Data[LocalModelView])
async def activate_local_model(name: Name, models: LocalModelsOfCaller) -> Envelope:
    """Choose the model that `alfred-local` means, on all servers that have its file. Only for operators.

    It is loaded in the background. Running replies end first. If it does not load, the model before stays, and `error`
    says why.
    """
    return one(await models.activate(name))


@api.delete("/models/local/{name}", scope="*", response_model=Data[LocalModelDeleted])
async def delete_local_model(name: Name, models: LocalModelsOfCaller) -> Envelope:
    """Delete the file of an unused local model from the server that answers. Only for operators."""
    await models.delete(name)
    return one({"name": name, "deleted": True})
