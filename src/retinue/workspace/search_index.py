"""Index records, and rank them for a question.

Words are ranked by BM25 (Robertson and Zaragoza, 2009) over postings in the database, vectors by cosine; reciprocal
rank fusion combines both lists (Cormack, Clarke and Büttcher, 2009). The result is the same on every database.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.workspace import statements as sql
from retinue.workspace.vectors import Embedding, cosine, distance, embed
from retinue.workspace.words import count_words

_INLINE_CHARACTERS = 2000
"""Texts of up to this many characters are tokenized on the event loop, longer ones on a thread."""

_MOST_WORDS = 12
_MOST_POSTINGS = 5000
_MOST_VECTORS = 30_000
_NEAREST = 100
_LEAST_LIKENESS = 0.2
_SATURATION, _LENGTH_EFFECT, _USUAL_LENGTH = 1.2, 0.75, 100
_FUSION = 60


@dataclass(frozen=True, slots=True)
class IndexedText:
    """The words of a record with their counts, the total number of words, and the record's vector."""

    words: Sequence[tuple[str, int]]
    length: int
    embedding: Embedding | None

    @property
    def vector_bytes(self) -> int:
        """The size of the vector in bytes."""
        return self.embedding.size if self.embedding else 0


async def found_in(text: str, *, semantic: bool) -> IndexedText:
    """Return the words and the vector to index for a text."""
    if len(text) <= _INLINE_CHARACTERS:
        return _analyse(text, semantic)
    return await run_on_compute_thread(_analyse, text, semantic)


def _analyse(text: str, semantic: bool) -> IndexedText:
    counts = count_words(text)
    return IndexedText(list(counts.items()), counts.total(), embed(text) if semantic else None)


async def store_features(tx: Tx, account_id: int, record: Row, found: IndexedText | None) -> None:
    """Store the words and the vector of a record that has none."""
    key = {"account": account_id, "kind": record.kind, "record": record.id}
    if found and found.words:
        await tx.run(sql.INDEX, **key, pairs=found.words, length=found.length)
    if found and found.embedding:
        await tx.run(
            sql.KEEP_VECTOR,
            record_id=record.id,
            account_id=account_id,
            kind=record.kind,
            signature=found.embedding.signature,
            vector=found.embedding.vector,
        )


async def rank(
    database: Database, account_id: int, kind: str, question: str, *, semantic: bool = False
) -> list[tuple[int, float]]:
    """Return the keys of records of that kind that match a question, with scores, best first."""
    owned = {"account": account_id, "kind": kind}
    words = list(count_words(question[:_INLINE_CHARACTERS]))[:_MOST_WORDS]
    postings = [await database.query(sql.POSTINGS, **owned, word=word, most=_MOST_POSTINGS) for word in words]
    total = (await database.query(sql.COUNT_KIND, **owned))[0].records
    by_words = await run_on_compute_thread(_by_words, postings, total)
    if not semantic:
        return by_words
    return _fuse(by_words, await _by_likeness(database, account_id, kind, question[:_INLINE_CHARACTERS]))


def _by_words(postings: Sequence[Sequence[Row]], total: int) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for rows in postings:
        rarity = math.log(1 + (max(total - len(rows), 0) + 0.5) / (len(rows) + 0.5))
        for record, times, length in rows:
            norm = _SATURATION * (1 - _LENGTH_EFFECT + _LENGTH_EFFECT * length / _USUAL_LENGTH)
            scores[record] = scores.get(record, 0.0) + rarity * times * (_SATURATION + 1) / (times + norm)
    return _best(scores)


async def _by_likeness(database: Database, account_id: int, kind: str, question: str) -> list[tuple[int, float]]:
    question_vector = embed(question)
    if question_vector is None:
        return []
    rows = await database.query(sql.SIGNATURES, account=account_id, kind=kind, most=_MOST_VECTORS)
    near = await run_on_compute_thread(_nearest, rows, question_vector.signature)
    vectors = await database.query(sql.VECTORS, account=account_id, ids=near)
    likeness = {row.record_id: cosine(row.vector, question_vector.vector) for row in vectors}
    return _best({record: value for record, value in likeness.items() if value >= _LEAST_LIKENESS})


def _nearest(rows: Sequence[Row], signature: bytes) -> list[int]:
    nearest = heapq.nsmallest(_NEAREST, rows, key=lambda row: distance(row.signature, signature))
    return [row.record_id for row in nearest]


def _fuse(*lists: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for ranked in lists:
        for place, (record, _) in enumerate(ranked, 1):
            scores[record] = scores.get(record, 0.0) + 1 / (_FUSION + place)
    return _best(scores)


def _best(scores: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], -item[0]))
