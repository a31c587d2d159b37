"""Forty questions in three languages over twelve documents, and the parts of a search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.database.interface import Database
from retinue.core.runtime.clock import now
from retinue.core.work.leases import ATTEMPTS, LeaseLost
from retinue.knowledge import embedding
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import CHARACTERS, Section, cut, split_markdown
from retinue.knowledge.retrieval import fuse, query_words
from tests.knowledge.recall import Corpus, measure, queued_document


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
    assert await corpus.retriever.search(corpus.account + 1, [corpus.collection], "holidays", 5) == []


def test_fusion_prefers_documents_in_both_rankings() -> None:
    ranked = fuse([(1, 9.0), (2, 8.0)], [(2, 0.9), (3, 0.8)])
    assert next(key for key, _ in ranked) == 2
    assert all(0 < score <= 1 for _, score in ranked)


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
