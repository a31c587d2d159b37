"""Models, default models, embeddings, and models on this machine."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.knowledge.reindexing import reindex
from retinue.models.defaults import DefaultModel
from retinue.models.embedding_models import EmbeddingModels
from retinue.models.local_models import LocalModels
from retinue.models.local_router import api as local_models
from retinue.models.registry import Models
from retinue.models.router import api
from retinue.platform.resource_declaration import BackgroundWork, Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    database, models, embedding_models = platform.database, platform.models, platform.embedding_models
    services.share(Models, models)
    services.share(EmbeddingModels, embedding_models)
    services.provide(DefaultModel, lambda caller: DefaultModel(caller, database, models, embedding_models, reindex))
    services.provide(
        LocalModels, lambda caller: LocalModels(caller, database, platform.notifier, platform.local_models)
    )


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.local_models.choice.run)


resource = Resource(name="models", apis=(api, local_models), provide=_provide, work=_work)
