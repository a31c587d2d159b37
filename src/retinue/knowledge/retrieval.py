"""Search collections by meaning and by words.

Passages are ranked by the cosines of their vectors. A passage that has most of the question's words moves up, so that
names and codes are found, and one in another language than the question moves down.

Rare words find candidates, and common ones add to the scores of these. A search reads at most 3,000 postings for
candidates, so it costs the same in a large collection. A filter by metadata chooses the documents first, and only
their passages are ranked.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import orjson

from retinue.core.database.interface import Database
from retinue.core.database.portable_sql import like_pattern
from retinue.core.database.statements import Row
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import text_to_embed
from retinue.knowledge.embedders import Embedder, is_included, readable_names
from retinue.knowledge.reranking import RERANKED, Reranker, Reranking
from retinue.knowledge.vectors import VectorIndex
from retinue.language.language_detection import FUNCTION_WORDS, language_of
from retinue.workspace.words import count_words

if TYPE_CHECKING:
    from retinue.knowledge.embedding import Floats

QUERY_CHARACTERS = 2000
"""Maximum length of a question, in characters."""

_MOST_WORDS, _MOST_POSTINGS, _CANDIDATES = 16, 3000, 200
_TRIES = 3
"""Maximum number of searches for a question. It is searched again if a document was indexed again meanwhile."""

_WITH_RARE_WORDS = 300
"""Number of passages that are scored again with the common words."""

_WEIGHT = 1000
"""Rarities of words are sent to the database in thousandths."""

_ALL_WORDS, OTHER_LANGUAGE, _BM25 = 0.3, 0.08, 0.001
"""In cosines: what a passage with all words of the question gains, what one in another language loses, and how much a
point of BM25 counts. A question rarely has the words of its answer, so BM25 only decides between equals.
"""

_COVERAGE, _SIMILARITY = 0.35, 0.18
"""A passage is relevant if it has at least this share of the question's words, by their rarity, or this cosine."""

_ABOVE_USUAL = 0.2
"""The cosine of a relevant passage by a provider's model exceeds that of two passages by this share of what is left.

Models differ in the cosines of unrelated texts: 0.1 for some, 0.7 for others.
"""

_FUNCTION_WORDS = frozenset(count_words(FUNCTION_WORDS))
"""Stems that say nothing of the subject of a question."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found. `score` is from 0 to 1; `relevant` says that it probably answers the question."""

    document_id: int
    collection_id: int
    passage_id: int
    title: str
    text: str
    page: int | None
    section: str | None
    number: int
    score: float
    relevant: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best passages, and what the reranker of their collections did; None without one."""

    hits: Sequence[Hit]
    reranking: Reranking | None = None


@dataclass(slots=True)
class Ranking:
    """Texts that a search found: scores by BM25, the share of the question's words, and cosines.

    Cosines are relative to the least relevant one, so that those of different models can be compared.
    """

    by_words: dict[int, float] = field(default_factory=dict)
    coverage: dict[int, float] = field(default_factory=dict)
    by_meaning: dict[int, float] = field(default_factory=dict)

    def add(self, other: "Ranking") -> None:
        """Add the texts of another ranking."""
        self.by_words |= other.by_words
        self.coverage |= other.coverage
        self.by_meaning |= other.by_meaning

    def is_relevant(self, key: int) -> bool:
        """Return whether a text probably answers the question."""
        return self.coverage.get(key, 0.0) >= _COVERAGE or self.by_meaning.get(key, -1.0) >= 0

    def scores(self) -> dict[int, float]:
        """Merge the scores, from -1 to about 1. A text without a cosine counts as the least similar that has one."""
        least = min(self.by_meaning.values(), default=0.0)
        return {
            key: self.by_meaning.get(key, least)
            + _ALL_WORDS * max(0.0, self.coverage.get(key, 0.0) - _COVERAGE) / (1 - _COVERAGE)
            + _BM25 * self.by_words.get(key, 0.0)
            for key in self.by_words.keys() | self.by_meaning.keys()
        }


@dataclass(frozen=True)
class Retriever:
    """Searches the collections of accounts. The caller must check that they belong to the account."""

    database: Database
    vectors: VectorIndex
    embedder: Embedder
    reranker: Reranker

    async def search(
        self,
        account_id: int,
        collections: Sequence[int],
        question: str,
        most: int,
        metadata: Mapping[str, object] | None = None,
    ) -> SearchResult:
        """Return the best passages. Their documents must have this `metadata`."""
        question = question[:QUERY_CHARACTERS]
        words = query_words(question)
        chosen = await self.database.query(sql.MODEL_OF, these=list(collections))
        vectors = {
            model: await self.embedder.embed_question(account_id, model, question) if words else None
            for model in dict.fromkeys(row.embedding_model for row in chosen)
        }
        for _ in range(_TRIES):
            stamps = await self._stamps(chosen)
            ranking = Ranking()
            for row in chosen:
                chosen_documents = await self._documents(row.id, metadata) if metadata else None
                vector = vectors[row.embedding_model]
                ranking.add(await self._rank(row, stamps[row.id], words, vector, chosen_documents))
            ids = sort_keys(ranking.scores())[:_CANDIDATES]
            rows = await self.database.query(sql.CHOSEN, ids=ids, account=account_id)
            if len(rows) == len(ids) or stamps == await self._stamps(chosen):
                break
        hits = _order(question, ranking, rows)
        return await self._rerank(account_id, question, {row.reranker for row in chosen}, hits, most)

    async def _stamps(self, collections: Sequence[Row]) -> dict[int, Row]:
        """Return what changes when the served passages of collections change."""
        return {row.id: (await self.database.query(sql.STAMP, collection=row.id))[0] for row in collections}

    async def _documents(self, collection_id: int, metadata: Mapping[str, object]) -> list[Row]:
        """Return the documents of a collection that have this metadata."""
        pattern = max((_pair_pattern(name, value) for name, value in metadata.items()), key=len)
        rows = await self.database.query(sql.METADATA, collection=collection_id, pattern=pattern)
        return [row for row in rows if all(row.metadata.get(name) == value for name, value in metadata.items())]

    async def _rerank(
        self, account_id: int, question: str, rerankers: Set[str], hits: Sequence[Hit], most: int
    ) -> SearchResult:
        """Reorder the best passages. Collections with different rerankers are searched without one."""
        if not hits or rerankers == {""}:
            return SearchResult(hits[:most])
        if len(rerankers) > 1:
            names = ", ".join(sorted(rerankers - {""}))
            reason = "The collections do not have the same reranker."
            return SearchResult(hits[:most], Reranking(names, applied=False, reason=reason))
        (model,) = rerankers
        chosen = hits[: max(most, RERANKED)]
        texts = [text_to_embed(hit.title, hit.section, hit.text) for hit in chosen]
        outcome, scores = await self.reranker.scores(account_id, model, question, texts)
        if scores is None:
            return SearchResult(hits[:most], outcome)
        order = sorted(range(len(chosen)), key=lambda at: -scores[at])[:most]
        return SearchResult(
            [replace(chosen[at], score=round(min(max(scores[at], 0.0), 1.0), 4)) for at in order], outcome
        )

    async def _rank(
        self,
        collection: Row,
        stamp: Row,
        words: Sequence[str],
        vector: "Floats | None",
        documents: Sequence[Row] | None,
    ) -> Ranking:
        """Rank the passages of a collection, or of some of its documents."""
        collection_id, model = collection.id, collection.embedding_model
        if not stamp.passages or documents == []:
            return Ranking()
        found = await self._rank_by_words(collection_id, words, stamp.passages, documents)
        if vector is not None:
            stored = (readable_names(model), collection.updated_at)
            ids = None if documents is None else [row.id for row in documents]
            others = list(found.by_words)
            nearest = await self.vectors.nearest(collection_id, tuple(stamp), stored, vector, others, ids)
            if is_included(model):
                least, span = _SIMILARITY, 1.0
            else:
                span = 1 - nearest.usual
                least = nearest.usual + _ABOVE_USUAL * span
            found.by_meaning = {key: (cosine - least) / span for key, cosine in nearest.found}
        return found

    async def _rank_by_words(
        self, collection_id: int, words: Sequence[str], total: int, documents: Sequence[Row] | None
    ) -> Ranking:
        """Score the passages that have the rarest words. Common words count only where a rarer one was found."""
        asked = [(word, 0) for word in words]
        counts = await self.database.query(
            sql.FREQUENCIES, collection=collection_id, weights=asked, most=_MOST_POSTINGS
        )
        weights = {row.word: round(_WEIGHT * _rarity(row.passages, total)) for row in counts if row.passages}
        if not weights:
            return Ranking()
        if documents is None:
            rows = await self._score(collection_id, weights, _choose_rare(counts))
        elif sum(row.passages for row in documents) <= _MOST_POSTINGS:
            passages = await self.database.query(sql.PASSAGES_OF, documents=[row.id for row in documents])
            rows = await self._score_among(collection_id, weights, [row.id for row in passages])
        else:
            ids = [row.id for row in documents]
            rows = await self._score(collection_id, weights, _choose_rare(counts), ids)
            rows = rows or await self._score(collection_id, weights, list(weights), ids)
        weight = sum(_WEIGHT * _rarity(row.passages, total) for row in counts) or 1.0
        by_words = {row.passage_id: row.score / _WEIGHT for row in rows[:_CANDIDATES]}
        return Ranking(by_words, {row.passage_id: row.weight / weight for row in rows[:_CANDIDATES]})

    async def _score(
        self,
        collection_id: int,
        weights: Mapping[str, int],
        rare: Sequence[str],
        documents: Sequence[int] | None = None,
    ) -> Sequence[Row]:
        """Find the passages with rare words, in all or some documents, and score them by all words."""
        statement, within = (sql.RANKED, {}) if documents is None else (sql.RANKED_WITHIN, {"documents": documents})
        rows = await self.database.query(
            statement,
            collection=collection_id,
            weights=[(word, weights[word]) for word in rare],
            most_postings=_MOST_POSTINGS,
            most=_WITH_RARE_WORDS,
            **within,
        )
        if len(rare) == len(weights):
            return rows
        return await self._score_among(collection_id, weights, [row.passage_id for row in rows])

    async def _score_among(
        self, collection_id: int, weights: Mapping[str, int], passages: Sequence[int]
    ) -> Sequence[Row]:
        """Score these passages by all words."""
        return await self.database.query(
            sql.RANKED_AMONG,
            collection=collection_id,
            ids=passages,
            weights=list(weights.items()),
            most_postings=len(passages) * len(weights),
            most=_CANDIDATES,
        )


def _pair_pattern(name: str, value: object) -> str:
    """Return the LIKE pattern of the JSON texts that may have this value. Equal numbers are written differently."""
    key = f"{orjson.dumps(name).decode()}:"
    return like_pattern(key + orjson.dumps(value).decode() if isinstance(value, str) else key)


def _choose_rare(counts: Sequence[Row]) -> list[str]:
    """Return the rarest words, which have at most 3,000 postings together unless there is only one."""
    rare: list[str] = []
    room = _MOST_POSTINGS
    for row in sorted(counts, key=lambda row: row.passages):
        if row.passages and (row.passages <= room or not rare):
            rare.append(row.word)
            room -= row.passages
    return rare


def _rarity(passages: int, total: int) -> float:
    """Return the inverse document frequency of a word."""
    return math.log(1 + (max(total - passages, 0) + 0.5) / (passages + 0.5))


def query_words(question: str) -> list[str]:
    """Return the stems to search for, without function words unless there are no others."""
    stems = sorted(count_words(question), key=len, reverse=True)
    return ([word for word in stems if word not in _FUNCTION_WORDS] or stems)[:_MOST_WORDS]


def rank_words(postings: Sequence[Sequence[tuple[int, int, int]]], total: int) -> Ranking:
    """Score a few passages by BM25, as the database does with those of a collection.

    The postings of a word are passages, each with the number of times it has the word, and its number of words.
    """
    found = Ranking()
    rarities = [_rarity(len(rows), total) for rows in postings]
    rarity_sum = sum(rarities) or 1.0
    for rows, rarity in zip(postings, rarities, strict=True):
        for passage, times, length in rows:
            norm = sql.SATURATION * (1 - sql.LENGTH_EFFECT + sql.LENGTH_EFFECT * length / sql.USUAL_LENGTH)
            score = rarity * times * (sql.SATURATION + 1) / (times + norm)
            found.by_words[passage] = found.by_words.get(passage, 0.0) + score
            found.coverage[passage] = found.coverage.get(passage, 0.0) + rarity / rarity_sum
    return found


def sort_keys(scores: Mapping[int, float]) -> list[int]:
    """Return the keys of scores, best first."""
    return sorted(scores, key=lambda key: (-scores[key], key))


def in_other_language(question: str, texts: Mapping[int, str]) -> list[int]:
    """Return the keys of the texts that are in another language than the question, if both languages are known."""
    language = language_of(question)
    return [key for key, text in texts.items() if language_of(text) not in (language, None)] if language else []


def as_share(score: float) -> float:
    """Return a merged score from 0 to 1: 0.5 is just relevant by its meaning."""
    return round(min(max(0.5 + score / 2, 0.0), 1.0), 4)


def _order(question: str, ranking: Ranking, rows: Sequence[Row]) -> list[Hit]:
    """Return passages, best first. Those in another language than the question lose."""
    scores = ranking.scores()
    for key in in_other_language(question, {row.id: row.text for row in rows}):
        scores[key] -= OTHER_LANGUAGE
    known = {row.id: row for row in rows}
    best = sort_keys({key: scores[key] for key in known})
    return [_hit(known[key], as_share(scores[key]), relevant=ranking.is_relevant(key)) for key in best]


def _hit(row: Row, share: float, *, relevant: bool) -> Hit:
    return Hit(
        document_id=row.document_id,
        collection_id=row.collection_id,
        passage_id=row.id,
        title=row.title,
        text=row.text,
        page=row.page,
        section=row.section,
        number=row.number,
        score=share,
        relevant=relevant,
    )
