"""The vectors of facts, and how they are made again when the code that makes them has changed."""

from collections.abc import Sequence
from functools import partial

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.work.stored_features import Batch, StoredFeature
from retinue.knowledge.embedding import included_model
from retinue.memory import statements as sql
from retinue.memory.fact_vectors import VERSION, encode_facts

_BATCH = 50


def fact_features() -> Sequence[StoredFeature]:
    """Return the vectors of facts, if the included model is installed."""
    return [StoredFeature("memory vectors", VERSION, _make_vectors)] if included_model() else []


async def _make_vectors(database: Database, after: int) -> Batch | None:
    rows = await database.query(sql.FACTS_AFTER, after=after, most=_BATCH)
    if not rows:
        return None
    vectors = await encode_facts([row.text for row in rows])
    return Batch(rows[-1].id, partial(_store_vectors, rows, vectors))


async def _store_vectors(rows: Sequence[Row], vectors: Sequence[bytes | None], tx: Tx) -> None:
    for row, vector in zip(rows, vectors, strict=True):
        await tx.run(sql.SET_VECTOR, fact=row.id, encoded=row.text, new_model=VERSION, new_vector=vector)
