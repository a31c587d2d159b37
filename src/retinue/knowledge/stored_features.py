"""The features of passages that are stored, and how they are made again when the code that makes them has changed."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.core.work.notifier import Notifier
from retinue.core.work.stored_features import Batch, StoredFeature
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import text_to_embed
from retinue.knowledge.embedders import Embedder
from retinue.knowledge.embedding import INCLUDED, VERSION, included_model
from retinue.knowledge.reindexing import ReindexWorker
from retinue.models.embedding_models import EmbeddingModels
from retinue.models.registry import Models
from retinue.workspace.words import WORDS_VERSION, count_words

_BATCH = 50


def passage_features() -> Sequence[StoredFeature]:
    """Return the words of passages, and their vectors if the included model is installed."""
    vectors = [StoredFeature("knowledge vectors", VERSION, _queue_collections)] if included_model() else []
    return [StoredFeature("knowledge words", WORDS_VERSION, _make_words), *vectors]


async def reindex_now(database: Database) -> None:
    """Make the vectors that collections lack, if their model is the included one, and have searches use them."""
    embedder = Embedder(database, EmbeddingModels(Models(Path(), "off")))
    worker = ReindexWorker(database, Notifier(), "repair", embedder)
    while claimed := await database.transact(partial(worker.claim, sweeping=False)):
        for item in claimed:
            await worker.work(item)


async def _make_words(database: Database, after: int) -> Batch | None:
    rows = await database.query(sql.PASSAGES_AFTER, after=after, most=_BATCH)
    if not rows:
        return None
    texts = [text_to_embed(row.title or "", row.section, row.text) for row in rows]
    counts = await run_on_compute_thread(lambda: list(map(count_words, texts)))
    return Batch(rows[-1].id, partial(_store_words, rows, counts))


async def _store_words(rows: Sequence[Row], counts: Sequence[Counter[str]], tx: Tx) -> None:
    """Replace the words of passages that still exist."""
    existing = {row.id for row in await tx.all(sql.LOCK_PASSAGES, ids=[row.id for row in rows])}
    for row, count in zip(rows, counts, strict=True):
        if row.id not in existing:
            continue
        await tx.run(sql.UNINDEX, passage=row.id)
        if count:
            pairs = list(count.items())
            await tx.run(sql.INDEX, collection=row.collection_id, passage=row.id, pairs=pairs, length=count.total())


async def _queue_collections(database: Database, after: int) -> Batch | None:
    """Queue all collections with vectors of an included model for `ReindexWorker`, in a single batch."""
    return None if after else Batch(1, _queue)


async def _queue(tx: Tx) -> None:
    await tx.run(sql.RETARGET_INCLUDED, included=INCLUDED)
