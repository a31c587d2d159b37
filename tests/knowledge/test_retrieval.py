"""Forty questions in three languages over twelve documents, and the parts of a search."""

from dataclasses import replace
from typing import Any, cast

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import LibrariesMissing
from retinue.core.runtime.clock import now
from retinue.core.work.leases import ATTEMPTS, LeaseLost
from retinue.knowledge import embedding, retrieval
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import CHARACTERS, Section, cut, split_markdown
from retinue.knowledge.reading import DocumentText
from retinue.knowledge.retrieval import Ranking, as_share, query_words, sort_keys
from retinue.knowledge.tables import documents
from retinue.language.language_detection import language_of
from tests.knowledge.recall import Corpus, measure, new_collection, queued_document


def test_rows_and_headings_stay_lines_and_wrapped_lines_are_joined() -> None:
    wrapped = "The workshop opens on Tuesdays at ten and closes at six in the evening,\nand on Saturdays at two."
    rows = "Service Price\nPuncture repair 14 EUR\nFull service 99 EUR"
    (passage,) = cut([Section(f"Hours\n{wrapped}\n{rows}")])
    assert passage.text == f"Hours\n{wrapped.replace(chr(10), ' ')}\n{rows}"


async def test_most_questions_find_their_passage(database: Database) -> None:
    corpus = await Corpus.load(database)
    recall = await measure(corpus)
    assert recall["fused"] >= 0.8, recall
    assert recall["fused"] >= recall["words"], recall


async def test_questions_about_something_else_find_nothing_relevant(database: Database) -> None:
    corpus = await Corpus.load(database)
    for question in ("Explain quantum entanglement", "Wann wurde Mozart geboren?", "How tall is Mount Everest?"):
        assert not any(hit.relevant for hit in await corpus.search(question))


async def test_another_account_finds_nothing(database: Database) -> None:
    corpus = await Corpus.load(database)
    found = await corpus.retriever.search(corpus.account + 1, [corpus.collection], "holidays", 5)
    assert list(found.hits) == []


class ChangingDatabase:
    """Lets documents serve other passages, once, after a search has ranked those from before."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.has_changed = False

    async def query(self, statement: Statement, **values: Any) -> list[Row]:
        """Run a query."""
        if statement is not sql.CHOSEN or self.has_changed:
            return await self.database.query(statement, **values)
        self.has_changed = True
        await self.database.transact(lambda tx: tx.run(TOUCH, moment=now()))
        return []


TOUCH = Statement(sa.update(documents).values(updated_at=sa.bindparam("moment", type_=Instant)))


async def test_a_search_is_repeated_if_documents_change_meanwhile(database: Database) -> None:
    corpus = await Corpus.load(database)
    changing = replace(corpus.retriever, database=cast(Database, ChangingDatabase(database)))
    found = await changing.search(corpus.account, [corpus.collection], "How many days of holiday?", 5)
    assert [hit.passage_id for hit in found.hits] == [
        hit.passage_id for hit in await corpus.search("How many days of holiday?")
    ]
    assert found.hits


MARK = Statement(
    sa.update(documents).where(documents.c.id == sa.bindparam("document", type_=BigInt)).values(metadata={"year": 2026})
)


@pytest.mark.parametrize("few", [3000, 20])
async def test_words_are_searched_in_the_documents_of_a_filter(
    database: Database, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Whether their passages are few or many, and whether others have rarer words of the question."""
    monkeypatch.setattr(retrieval, "_MOST_POSTINGS", few)
    long = "\n".join(f"# Lunch {number}\nThe lunch of today." for number in range(30))
    corpus = await Corpus.load(database, {"a": long, "b": long, "c": long, "d": "# Zebras\nZebras."})
    second = (await database.query(sql.METADATA, collection=corpus.collection, pattern="%"))[1].id
    await database.transact(lambda tx: tx.run(MARK, document=second))
    for question in ("lunch", "lunch of zebras"):
        whole = await corpus.search(question, 10)
        assert {hit.document_id for hit in whole} != {second}
        found = await corpus.retriever.search(corpus.account, [corpus.collection], question, 10, {"year": 2026})
        assert [hit.document_id for hit in found.hits] == [second] * 10
        none = await corpus.retriever.search(corpus.account, [corpus.collection], question, 10, {"year": 2025})
        assert list(none.hits) == []


def test_a_passage_with_all_words_of_the_question_comes_first() -> None:
    similar, exact, both = 1, 2, 3
    ranking = Ranking(
        by_words={exact: 9.0, both: 2.0},
        coverage={exact: 1.0, both: 0.4},
        by_meaning={similar: 0.2, both: 0.1},
    )
    scores = ranking.scores()
    assert sort_keys(scores) == [exact, similar, both]
    assert [ranking.is_relevant(key) for key in (similar, exact, both)] == [True, True, True]


def test_a_ranking_by_words_alone_is_that_of_bm25() -> None:
    ranking = Ranking(by_words={1: 2.0, 2: 4.0, 3: 3.0}, coverage={1: 0.2, 2: 0.3, 3: 0.3})
    assert sort_keys(ranking.scores()) == [2, 3, 1]


@given(st.floats(-5, 5))
def test_a_score_is_shown_as_a_share(score: float) -> None:
    assert 0 <= as_share(score) <= 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many days do I have to pay?", "The rent is due on the third day of the month, and not later."),
        ("Wie lange habe ich Zeit zu zahlen?", "Die Miete ist am dritten Tag des Monats fällig und nicht später."),
        ("¿Cuánto tiempo tengo para pagar?", "El alquiler se paga el tercer día del mes, y no más tarde."),
        ("Combien de temps ai-je pour payer ?", "Le loyer est dû le troisième jour du mois, et pas plus tard."),
        ("Quanto tempo ho per pagare?", "L'affitto si paga il terzo giorno del mese, e non più tardi."),
    ],
)
def test_a_question_and_its_answer_have_the_same_language(one: str, other: str) -> None:
    assert language_of(one) == language_of(other) is not None


def test_a_text_without_function_words_has_no_known_language() -> None:
    assert language_of("E15 RTX-4090") is None


def test_function_words_are_not_searched_for() -> None:
    assert query_words("What is the height of a door?") == ["height", "door"]
    assert query_words("to be or not to be")


def test_headings_name_the_sections() -> None:
    text = "Intro\n# One\ntext\n## Two\nmore\n```\n# no heading\n```\n# Three\nend"
    assert [one.section for one in split_markdown(text)] == [None, "One", "One / Two", "Three"]


@given(st.text(max_size=5000))
def test_passages_hold_all_words_within_the_limit(text: str) -> None:
    found = list(cut([Section(text)]))
    assert all(0 < len(one.text) <= CHARACTERS for one in found)
    kept = "".join("".join(one.text.split()) for one in found)
    assert set("".join(text.split())) == set(kept)


def test_a_long_word_is_cut() -> None:
    assert sum(len(one.text) for one in cut([Section("x" * 5000)])) >= 5000


def test_the_version_of_vectors_names_the_model() -> None:
    assert embedding.included_model() == "use-multilingual-v3"


async def test_work_that_kills_its_process_is_given_up(database: Database) -> None:
    worker, document = await queued_document(database)
    for _ in range(ATTEMPTS + 1):
        (item,) = await database.transact(lambda tx: sql.LEASES.claim(tx, "node", 1, account=1))
        await database.transact(lambda tx: sql.LEASES.end_leases(tx, "node"))
    await worker.work(item)
    failed = await database.lookup(sql.GET_DOCUMENT, document=document, collection=1, account=1)
    assert failed is not None
    assert (failed.status, failed.passages) == ("failed", 0)
    assert "abandoned" in failed.error


async def test_a_document_waits_until_the_libraries_that_read_it_are_installed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retinue.knowledge.worker._LOOK_S", 0.0)
    installing = iter([LibrariesMissing("not yet"), LibrariesMissing("not yet")])
    assert await new_collection(database) == 1
    worker, document = await queued_document(database)
    read = worker._reader.read

    async def read_once_installed(item: Row) -> DocumentText:
        if missing := next(installing, None):
            raise missing
        return await read(item)

    monkeypatch.setattr(worker._reader, "read", read_once_installed)
    (item,) = await database.transact(lambda tx: sql.LEASES.claim(tx, "node", 1, account=1))
    await worker.work(item)
    row = await database.lookup(sql.GET_DOCUMENT, document=document, collection=1, account=1)
    assert row is not None
    assert (row.status, row.passages) == ("ready", 1)


async def test_a_claim_that_was_lost_writes_nothing(database: Database) -> None:
    worker, document = await queued_document(database)
    (item,) = await database.transact(lambda tx: sql.LEASES.claim(tx, "node", 1, account=1))
    key = {"document": document, "collection": 1, "account": 1}
    await database.transact(lambda tx: tx.one(sql.REQUEUE, **key, next="queued", place=0.0, moment=now()))
    with pytest.raises(LeaseLost):
        await worker.work(item)
    row = await database.lookup(sql.GET_DOCUMENT, **key)
    assert row is not None
    assert (row.status, row.served) == ("queued", 0)
