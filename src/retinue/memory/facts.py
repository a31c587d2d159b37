"""Ranks facts by words and meaning, and stores new ones without storing any twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retinue.core.database.interface import Database, Tx
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.knowledge.retrieval import (
    QUERY_CHARACTERS,
    as_share,
    in_other_language,
    query_words,
    rank_words,
    sort_keys,
)
from retinue.knowledge.vectors import cosines
from retinue.memory import statements as sql
from retinue.memory.fact_vectors import READABLE, VERSION, encode_question
from retinue.memory.tables import FactRow, FactWithVector
from retinue.workspace.words import count_words

if TYPE_CHECKING:
    from retinue.knowledge.embedding import Floats

MOST_FACTS = 1000
"""Per agent and person. The oldest fact makes room for a new one."""

MOST_OF_ACCOUNT = 20_000
"""Per account."""

_SIMILARITY = 0.2
"""The least cosine of a relevant fact."""

_OTHER_LANGUAGE = 0.04
"""What a fact in another language than the question loses, in cosines. With 0.08, which passages lose, a memory in
several languages found fewer facts for questions in another language than theirs.
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose facts an agent uses: those of the agent for all, or those about one `person`."""

    account_id: int
    agent_id: int
    person: str

    @property
    def key(self) -> dict[str, object]:
        """The parameters of statements."""
        return {"account": self.account_id, "agent": self.agent_id, "whose": self.person}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A fact with its rank for a question: `score` is from 0 to 1; `relevant` says that it probably helps."""

    row: FactRow
    score: float
    relevant: bool


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact to store. `replaces` are the ids of facts that it corrects; `untrusted` is as in a run."""

    text: str
    source_run: int | None = None
    untrusted: str | None = None
    replaces: Sequence[int] = ()


async def facts_of(database: Database, scope: Scope) -> list[FactWithVector]:
    """Return the current facts of a scope, newest first."""
    return list(await database.query(sql.IN_SCOPE, **scope.key, most=MOST_FACTS))


async def rank_facts(rows: Sequence[FactWithVector], question: str) -> list[Ranked]:
    """Return the facts that fit a question, best first, ranked as passages of collections are."""
    question = question[:QUERY_CHARACTERS]
    words = query_words(question)
    if not rows or not words:
        return []
    vector = await encode_question(question)
    return await run_on_compute_thread(_rank, rows, question, words, vector)


def _rank(rows: Sequence[FactWithVector], question: str, words: Sequence[str], vector: "Floats | None") -> list[Ranked]:
    counts = {row.id: count_words(row.text) for row in rows}
    postings = [[(key, one[word], one.total()) for key, one in counts.items() if word in one] for word in words]
    found = rank_words(postings, len(rows))
    if vector is not None:
        usable = [(row.id, row.vector) for row in rows if row.vector and row.model in READABLE]
        found.by_meaning = {key: cosine - _SIMILARITY for key, cosine in cosines(usable, vector)}
    known, scores = {row.id: row for row in rows}, found.scores()
    for key in in_other_language(question, {key: known[key].text for key in scores}):
        scores[key] -= _OTHER_LANGUAGE
    return [Ranked(known[key], as_share(scores[key]), found.is_relevant(key)) for key in sort_keys(scores)]


async def add_fact(
    tx: Tx, scope: Scope, fact: NewFact, vector: bytes | None, known: Sequence[FactWithVector]
) -> tuple[FactRow, bool]:
    """Store a fact, and mark the ones that it replaces. Returns it, and False if a fact among `known` says the same.

    Raises `ValidationFailed` if the account has too many facts.
    """
    replaced = set(fact.replaces)
    for row in known:
        if row.id not in replaced and _normalize(row.text) == _normalize(fact.text):
            return row, False
    await _make_room(tx, scope)
    moment = now()
    (stored,) = await tx.all(
        sql.INSERT,
        account_id=scope.account_id,
        agent_id=scope.agent_id,
        person=scope.person,
        text=fact.text,
        source_run=fact.source_run,
        untrusted=fact.untrusted,
        model=VERSION if vector else None,
        vector=vector,
        created_at=moment,
        updated_at=moment,
    )
    if replaced:
        await tx.run(sql.REPLACE, ids=sorted(replaced), **scope.key, successor=stored.id, moment=moment)
    return stored, True


async def _make_room(tx: Tx, scope: Scope) -> None:
    of_account = await tx.one(sql.COUNTS[frozenset()], account=scope.account_id)
    if of_account and of_account.held >= MOST_OF_ACCOUNT:
        raise ValidationFailed(f"An account can have at most {MOST_OF_ACCOUNT:,} remembered facts. Delete some.")
    count = await tx.one(sql.COUNT_SCOPE, **scope.key)
    if count and count.held >= MOST_FACTS:
        await tx.run(sql.DROP_OLDEST, **scope.key, most=count.held - MOST_FACTS + 1)


def _normalize(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".!")
