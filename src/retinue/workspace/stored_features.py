"""The stored words and vectors of records, and how they are made again when the code that makes them has changed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.core.work.stored_features import Batch, StoredFeature
from retinue.workspace import statements as sql
from retinue.workspace.knowledge import PASSAGE
from retinue.workspace.search_index import IndexedText, found_in, store_features
from retinue.workspace.typed_records import RecordKind
from retinue.workspace.vectors import VECTORS_VERSION
from retinue.workspace.words import WORDS_VERSION

_BATCH = 50

Kinds = Callable[[], Mapping[str, RecordKind[Any]]]
"""Returns the kinds of records that tools store, by name."""


def record_features(kinds: Kinds) -> Sequence[StoredFeature]:
    """Return the words and vectors of records."""
    version = f"{WORDS_VERSION}/{VECTORS_VERSION}"
    return [StoredFeature("workspace features", version, partial(_make, kinds))]


async def _make(kinds: Kinds, database: Database, after: int) -> Batch | None:
    rows = await database.query(sql.RECORDS_AFTER, after=after, most=_BATCH)
    if not rows:
        return None
    known = await run_on_compute_thread(kinds)
    texts = [(row, _indexed_text(row, known)) for row in rows]
    features = [
        (row, await found_in(text, semantic=row.kind == PASSAGE or known[row.kind].semantic))
        for row, text in texts
        if text is not None
    ]
    return Batch(rows[-1].id, partial(_store, features))


def _indexed_text(row: Row, kinds: Mapping[str, RecordKind[Any]]) -> str | None:
    """Return the text that a record is found by; None for records that are not searched."""
    if row.kind == PASSAGE:
        return f"{row.document['title']}\n{row.body['text']}" if row.document else None
    kind = kinds.get(row.kind)
    return kind.text_of(row.body) if kind else None


async def _store(features: Sequence[tuple[Row, IndexedText]], tx: Tx) -> None:
    """Replace the features of records that have not changed meanwhile."""
    ids = [row.id for row, _ in features]
    versions = {row.id: row.version for row in await tx.all(sql.LOCK_RECORDS, ids=ids)}
    for row, found in features:
        if versions.get(row.id) != row.version:
            continue
        await tx.run(sql.UNINDEX, account=row.account_id, record=row.id)
        await tx.run(sql.DROP_VECTOR, account=row.account_id, record=row.id)
        await store_features(tx, row.account_id, row, found)
