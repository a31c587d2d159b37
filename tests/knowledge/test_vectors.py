"""The search among more vectors than are compared exactly, while documents come, change and go."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.knowledge import statements as sql
from retinue.knowledge.embedding import VERSION, pack_vectors, to_unit_vectors
from retinue.knowledge.vectors import Nearest, VectorIndex

_COLLECTION, _DIMENSIONS, _PASSAGES = 1, 128, 400
MODEL = ((VERSION,), None)


async def add_document(database: Database, vectors: Sequence[bytes]) -> tuple[int, list[int]]:
    """Store a document that serves version 1, with passages that have these vectors; return the ids."""
    return await database.transact(partial(_insert, vectors))


async def _insert(vectors: Sequence[bytes], tx: Tx) -> tuple[int, list[int]]:
    moment, place = now(), {"account_id": 1, "collection_id": _COLLECTION}
    fields = {"title": "Text", "source": {"type": "text"}, "text": None, "metadata": {}, "status": "ready", "size": 0}
    rest = {"passages": len(vectors), "served": 1, "lease_until": 0.0, "created_at": moment, "updated_at": moment}
    document = await tx.one(sql.INSERT_DOCUMENT, **place, **fields, **rest)
    assert document is not None
    ids = []
    for number, vector in enumerate(vectors, 1):
        where = {"document_id": document.id, "version": 1, "number": number, "page": None, "section": None}
        row = await tx.one(sql.INSERT_PASSAGE, **place, **where, text="A text.", model=VERSION, vector=vector)
        assert row is not None
        ids.append(row.id)
    return document.id, ids


def random_vectors(seed: int) -> Any:
    """Return a matrix of unit vectors."""
    return to_unit_vectors(np.random.default_rng(seed).standard_normal((_PASSAGES, _DIMENSIONS)).tolist())


async def test_the_nearest_passages_are_found_while_documents_change(database: Database) -> None:
    first, second, third = (random_vectors(seed) for seed in range(3))
    one, ids = await add_document(database, pack_vectors(first))
    _, others = await add_document(database, pack_vectors(second))
    index = VectorIndex(database)

    async def best(version: int, question: Any) -> tuple[int, float]:
        found = (await index.nearest(_COLLECTION, version, MODEL, question)).found
        return found[0][0], round(found[0][1], 2)

    assert await best(1, first[7]) == (ids[7], 1.0)
    assert await best(1, second[399]) == (others[399], 1.0)
    _, new = await add_document(database, pack_vectors(third))
    assert (await best(1, third[5]))[0] != new[5]  # the version says that nothing has changed
    assert await best(2, third[5]) == (new[5], 1.0)
    deleting = {"document": one, "collection": _COLLECTION, "account": 1, "next": "deleting", "place": 0.0}
    await database.transact(lambda tx: tx.one(sql.REQUEUE, **deleting, moment=now()))
    assert (await best(3, first[7]))[0] not in ids
    assert await best(3, second[0]) == (others[0], 1.0)
    assert (await index.nearest(_COLLECTION, 3, (("another model",), None), first[7])).found == []
    newer = (("use-multilingual-v3/2", VERSION), None)  # vectors from before serve until they are made again
    assert (await index.nearest(_COLLECTION, 3, newer, second[0])).found[0][0] == others[0]


async def test_passages_that_words_find_have_their_own_cosines(database: Database) -> None:
    vectors = random_vectors(3)
    _, ids = await add_document(database, pack_vectors(vectors))
    far = int(np.argmin(vectors @ vectors[7]))
    index = VectorIndex(database)
    assert ids[far] not in dict((await index.nearest(_COLLECTION, 1, MODEL, vectors[7])).found)
    found = dict((await index.nearest(_COLLECTION, 1, MODEL, vectors[7], [ids[far]])).found)
    assert round(found[ids[far]], 2) == round(float(vectors[far] @ vectors[7]), 2) < 0
    assert round(found[ids[7]], 2) == 1.0


async def test_only_the_passages_of_some_documents_are_found(database: Database) -> None:
    near, far = random_vectors(4), random_vectors(5)
    _, ids = await add_document(database, pack_vectors(near))
    one, others = await add_document(database, pack_vectors(far))
    index = VectorIndex(database)
    (found, *_), _ = await index.nearest(_COLLECTION, 1, MODEL, near[7])
    assert found[0] == ids[7]
    within, _ = await index.nearest(_COLLECTION, 1, MODEL, near[7], documents=[one])
    assert within
    assert {key for key, _ in within} <= set(others)


class BusyDatabase:
    """Counts how often vectors are loaded, and begins another search during the second time."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.index = VectorIndex(cast(Database, self))
        self.loaded = 0
        self.searches: list[asyncio.Task[Nearest]] = []

    def search(self, version: int, question: Any) -> None:
        """Begin a search."""
        self.searches.append(asyncio.create_task(self.index.nearest(_COLLECTION, version, MODEL, question)))
        self.question = question

    async def query(self, statement: Statement, **values: Any) -> list[Row]:
        """Run a query."""
        if statement is sql.SERVED:
            self.loaded += 1
            if self.loaded == 2:
                self.search(2, self.question)
        return await self.database.query(statement, **values)


async def test_searches_at_the_same_time_load_a_version_once(database: Database) -> None:
    vectors = random_vectors(6)
    await add_document(database, pack_vectors(vectors))
    busy = BusyDatabase(database)
    for version in (1, 2):
        busy.search(version, vectors[0])
    await asyncio.gather(*busy.searches)
    (last,) = await asyncio.gather(*busy.searches[2:])
    assert last.found
    assert busy.loaded == 2
