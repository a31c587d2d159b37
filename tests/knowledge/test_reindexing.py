"""The worker that makes the vectors of a collection by another model: what is left of it after an interruption."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from retinue.core.database.interface import Database
from retinue.core.runtime.clock import now
from retinue.core.work.leases import LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.knowledge import reindexing
from retinue.knowledge import statements as sql
from retinue.knowledge.embedders import Embedder
from retinue.knowledge.embedding import VERSION, included_model
from retinue.knowledge.reindexing import ReindexWorker, reindex
from retinue.models.embedding_models import Embedded
from retinue.providers import statements as providers_sql

MODEL, PASSAGES = "vectors/small", 25


class Vectors:
    """Makes vectors of two dimensions, and is cancelled at the call `cancelled_at`."""

    def __init__(self, cancelled_at: int = 0) -> None:
        self.calls: list[int] = []
        self._cancelled_at = cancelled_at

    async def embed(self, account_id: int, name: str, texts: Sequence[str], *, is_question: bool = False) -> Embedded:
        assert name == MODEL
        self.calls.append(len(texts))
        if len(self.calls) == self._cancelled_at:
            raise asyncio.CancelledError
        return Embedded([[1.0, float(len(text))] for text in texts], len(texts), None)


async def fill(database: Database) -> int:
    """Store a document of 25 passages with vectors of the included model, and return the id of its collection."""
    moment = {"created_at": now(), "updated_at": now()}

    async def insert(tx: Any) -> int:
        about = {
            "account_id": 1,
            "name": "Test",
            "description": "",
            "embedding_model": included_model(),
            "reranker": "",
        }
        (collection,) = await tx.all(sql.INSERT_COLLECTION, **about, **moment)
        place = {"account_id": 1, "collection_id": collection.id}
        fields = {"title": "T", "source": {"type": "text"}, "text": "x", "metadata": {}, "status": "ready", "size": 1}
        rest = {"passages": PASSAGES, "served": 1, "lease_until": 0.0}
        (document,) = await tx.all(sql.INSERT_DOCUMENT, **place, **fields, **rest, **moment)
        for number in range(PASSAGES):
            vector = {"model": VERSION, "vector": bytes(516)}
            where = {"document_id": document.id, "version": 1, "number": number, "page": None, "section": None}
            await tx.all(sql.INSERT_PASSAGE, **place, **where, **vector, text=f"Passage {number}.")
        return int(collection.id)

    return await database.transact(insert)


async def choose(database: Database, model: str) -> None:
    """Choose the embedding model of the account, as the API does."""
    chosen = {"account_id": 1, "model": "", "fallbacks": [], "embedding": model, "updated_at": now()}

    async def write(tx: Any) -> None:
        await tx.run(providers_sql.SET_EMBEDDING, **chosen)
        await reindex(tx, 1)

    await database.transact(write)


async def claim(database: Database) -> Any:
    """Claim the collection that waits."""
    (item,) = await database.transact(lambda tx: sql.COLLECTION_LEASES.claim(tx, "node", 1, account=1))
    return item


def worker_of(database: Database, vectors: Vectors) -> ReindexWorker:
    """Return a worker that asks `vectors`."""
    return ReindexWorker(database, Notifier(), "node", Embedder(database, vectors))  # type: ignore[arg-type]  # embeds


async def count_vectors(database: Database, collection: int, model: str) -> int:
    """Return how many passages have a vector of a model."""
    documents = [row.id for row in await database.query(sql.SERVED, collection=collection)]
    return len(await database.query(sql.VECTORS, documents=documents, model=model, models=[model]))


async def test_an_interrupted_reindexing_goes_on_where_it_was(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "_PROVIDER_BATCH", 10)
    collection = await fill(database)
    await choose(database, MODEL)
    with pytest.raises(asyncio.CancelledError):
        await worker_of(database, Vectors(cancelled_at=2)).work(await claim(database))
    assert await count_vectors(database, collection, VERSION) == PASSAGES
    await database.transact(lambda tx: sql.COLLECTION_LEASES.end_leases(tx, "node"))
    rest = Vectors()
    await worker_of(database, rest).work(await claim(database))
    assert rest.calls == [10, 5]
    assert await count_vectors(database, collection, MODEL) == PASSAGES
    row = await database.lookup(sql.GET_COLLECTION, collection=collection, account=1)
    assert row is not None
    assert (row.embedding_model, row.target_model, row.status) == (MODEL, None, "ready")


async def test_going_back_makes_no_vector_twice(database: Database) -> None:
    collection = await fill(database)
    vectors = Vectors()
    for model in (MODEL, "", MODEL):
        await choose(database, model)
        await worker_of(database, vectors).work(await claim(database))
        row = await database.lookup(sql.GET_COLLECTION, collection=collection, account=1)
        assert row is not None
        assert row.embedding_model == (model or included_model())
    assert vectors.calls == [PASSAGES]


async def test_a_claim_that_was_lost_stores_nothing(database: Database) -> None:
    collection = await fill(database)
    await choose(database, MODEL)
    item = await claim(database)
    await choose(database, MODEL)
    with pytest.raises(LeaseLost):
        await worker_of(database, Vectors()).work(item)
    assert await count_vectors(database, collection, MODEL) == 0
