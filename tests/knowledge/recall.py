"""Indexes the test documents and measures recall@5 by words, by meaning, and by both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier
from retinue.files.upload_commit import AccountStorage
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import split_markdown
from retinue.knowledge.embedders import Embedder
from retinue.knowledge.reading import DocumentText
from retinue.knowledge.reranking import Reranker
from retinue.knowledge.retrieval import Hit, Retriever
from retinue.knowledge.vectors import VectorIndex
from retinue.knowledge.worker import KnowledgeWorker
from retinue.models.embedding_models import EmbeddingModels
from retinue.models.registry import Models
from retinue.models.rerank_models import RerankModels
from tests.knowledge.support import FOLDER, questions

TOP = 5
_NO_BUCKETS: Any = None


class _Texts:
    """Reads the text of documents."""

    async def read(self, document: Any) -> DocumentText:
        return DocumentText(split_markdown(document.text))


class _NoShelf(AccountStorage):
    """Storage without a limit and without a counter."""

    async def hold(self, tx: Any, size: int) -> int:
        return 0

    def check_quota(self, stored_bytes: int) -> None:
        pass


@dataclass(frozen=True)
class Corpus:
    """The indexed documents of one collection."""

    retriever: Retriever
    collection: int
    titles: dict[str, str]
    account: int = 1

    @classmethod
    async def load(cls, database: Database, texts: Mapping[str, str] | None = None) -> "Corpus":
        """Index documents by name, or those of these tests, with the worker."""
        texts = texts or {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
        collection = await new_collection(database)
        worker = new_worker(database)
        titles = {}
        for name, text in texts.items():
            titles[text.partition("\n")[0].removeprefix("# ")] = name
            await database.transact(partial(_insert, _document(collection, text)))
        while claimed := await database.transact(lambda tx: sql.LEASES.claim(tx, "node", 5, account=1)):
            for item in claimed:
                await worker.work(item)
        return cls(retriever_of(database), collection, titles)

    async def search(self, question: str, most: int = TOP) -> list[Hit]:
        """Search the collection."""
        return list((await self.retriever.search(self.account, [self.collection], question, most)).hits)

    def has_answer(self, hits: list[Hit], wanted: dict[str, str]) -> bool:
        """Whether a passage of the document has the answer."""
        return any(self.titles[hit.title] == wanted["document"] and wanted["answer"] in hit.text for hit in hits)


async def new_collection(database: Database) -> int:
    """Create a collection of account 1, and return its id."""
    moment = now()
    about = {
        "account_id": 1,
        "name": "Test",
        "description": "",
        "embedding_model": "",
        "reranker": "",
        "created_at": moment,
    }
    row = await database.transact(lambda tx: tx.one(sql.INSERT_COLLECTION, **about, updated_at=moment))
    assert row is not None
    return int(row.id)


def embedder(database: Database) -> Embedder:
    """Return an embedder with the included model only."""
    return Embedder(database, EmbeddingModels(Models(Path("unused"), "off")))


def retriever_of(database: Database) -> Retriever:
    """Return a retriever with the included model only."""
    reranker = Reranker(database, RerankModels(Models(Path("unused"), "off")))
    return Retriever(database, VectorIndex(database), embedder(database), reranker)


def new_worker(database: Database) -> KnowledgeWorker:
    """Return a worker that reads texts only."""
    return KnowledgeWorker(database, Notifier(), "node", _Texts(), _storage, embedder(database), _NO_BUCKETS)  # type: ignore[arg-type]  # reads texts


async def queued_document(database: Database) -> tuple[KnowledgeWorker, int]:
    """Return a worker, and the id of a document that waits for it in collection 1 of account 1."""
    row = await database.transact(lambda tx: tx.one(sql.INSERT_DOCUMENT, **_document(1, "The gate opens at noon.")))
    assert row is not None
    return new_worker(database), row.id


def ways_to_search(corpus: Corpus) -> dict[str, Corpus]:
    """Return the searches by words, by meaning, and by both."""
    only_words = replace(corpus, retriever=_Partly(corpus.retriever, lambda one: one.by_meaning.clear()))
    only_meaning = replace(corpus, retriever=_Partly(corpus.retriever, lambda one: one.by_words.clear()))
    return {"words": only_words, "meaning": only_meaning, "fused": corpus}


async def measure(corpus: Corpus) -> dict[str, float]:
    """Return recall@5 of each way to search."""
    asked = questions()
    return {
        name: sum([way.has_answer(await way.search(one["question"]), one) for one in asked]) / len(asked)
        for name, way in ways_to_search(corpus).items()
    }


class _Partly(Retriever):
    """A search without one of its rankings."""

    def __init__(self, whole: Retriever, leave_out: Callable[[Any], None]) -> None:
        super().__init__(whole.database, whole.vectors, whole.embedder, whole.reranker)
        object.__setattr__(self, "leave_out", leave_out)

    async def _rank(self, *args: Any) -> Any:
        found = await super()._rank(*args)
        self.leave_out(found)  # type: ignore[attr-defined]  # set above: the class is frozen
        return found


async def _insert(values: dict[str, Any], tx: Tx) -> Any:
    return await tx.one(sql.INSERT_DOCUMENT, **values)


async def _storage(account_id: int) -> AccountStorage:
    return _NoShelf(account_id, "test", None, set())  # type: ignore[arg-type]  # no plan


def _document(collection: int, text: str) -> dict[str, Any]:
    moment = now()
    return {
        "account_id": 1, "collection_id": collection, "title": "", "source": {"type": "text"}, "text": text,
        "metadata": {}, "status": "queued", "passages": 0, "served": 0, "size": 0, "created_at": moment,
        "updated_at": moment, "lease_until": 0.0,
    }  # fmt: skip
