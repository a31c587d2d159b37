"""Collections of documents, and the sources that fill them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.agents.uses import AgentUses
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.connections.keyring import ConnectionKeyring
from retinue.knowledge.reading import DocumentReader
from retinue.knowledge.reindexing import ReindexWorker
from retinue.knowledge.router import api
from retinue.knowledge.service import Collections
from retinue.knowledge.sources.beginning import Beginnings
from retinue.knowledge.sources.buckets import BucketReader
from retinue.knowledge.sources.router import api as sources
from retinue.knowledge.sources.service import CollectionSources
from retinue.knowledge.sources.worker import SourceWorker
from retinue.knowledge.stored_features import passage_features, reindex_now
from retinue.knowledge.tables import OWNED
from retinue.knowledge.worker import KnowledgeWorker
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.schedules.recurrence import next_recurrence

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    common = platform.database, platform.notifier, platform.guard

    def collections(caller: Caller) -> Collections:
        return Collections(caller, *common, platform.retriever, platform.on_behalf.storage_of(caller), AgentUses())

    services.provide(Collections, collections)
    keyring = _keyring(platform)
    services.provide(CollectionSources, lambda caller: CollectionSources(caller, *common, next_recurrence, keyring))


def _keyring(platform: "Platform") -> ConnectionKeyring:
    return ConnectionKeyring(platform.database, platform.vault)


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    common = platform.database, platform.notifier, platform.home.node
    storage, embedder = platform.on_behalf.storage, platform.embedder
    reader = DocumentReader(platform.file_access, platform.pool, platform.catalogue, platform.guard)
    keyring = _keyring(platform)
    beginnings = Beginnings(reader, platform.on_behalf.tree, keyring)
    buckets = BucketReader(platform.database, reader, keyring)
    yield BackgroundWork.of(KnowledgeWorker(*common, reader, storage, embedder, buckets))
    yield BackgroundWork.of(ReindexWorker(*common, embedder))
    yield BackgroundWork.of(SourceWorker(*common, beginnings, storage, next_recurrence))


resource = Resource(
    name="knowledge",
    apis=(api, sources),
    provide=_provide,
    work=_work,
    owned=OWNED,
    features=passage_features,
    repair=reindex_now,
)
