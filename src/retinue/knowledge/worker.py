"""Reads and indexes documents in the background, and deletes them with their passages, in small transactions.

The passages of a claim have its epoch as their version, and searches find the version that the document serves. A
document is therefore found as a whole or not at all, and a claim that was interrupted leaves nothing that is found.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import LibrariesMissing, RetinueError, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import acting_for, run_on_compute_thread
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.leased_worker import FairLeasedWorker
from retinue.core.work.leases import ABANDONED, ATTEMPTS, LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.files.upload_commit import AccountStorage
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import TITLE, Section, cut, text_to_embed
from retinue.knowledge.document_size import OVERHEAD, own_size
from retinue.knowledge.embedders import Embedder, is_included, stored_name
from retinue.knowledge.reading import DocumentReader, DocumentText, read_within
from retinue.knowledge.reindexing import TOPIC as REINDEXING
from retinue.knowledge.sources import statements as sources_sql
from retinue.knowledge.sources.buckets import BucketReader
from retinue.knowledge.sources.crawling import Crawler, StorageOf
from retinue.knowledge.web_pages import SeenContent
from retinue.workspace.words import count_words

_log = structlog.get_logger()

TOPIC, SOURCES = "knowledge", "knowledge_sources"
"""Topics of wake-ups for the workers of documents and of sources."""

MOST_PASSAGES = 5000
"""Per document."""

_LOOK_S, _MOST_LOOKS = 5.0, 240
"""How often, in seconds, to look whether the libraries that read a document are installed, and at most how often."""

_BATCH, _PROVIDER_BATCH = 8, 64
_POSTING = 32
"""Bytes that a word of a passage counts in storage."""


@dataclass(frozen=True, slots=True)
class _Indexed:
    """A passage with its words and its vector."""

    passage: Section
    words: Sequence[tuple[str, int]]
    length: int
    vector: bytes | None

    @property
    def size(self) -> int:
        """The bytes that it counts in storage."""
        return OVERHEAD + len(self.passage.text.encode()) + _POSTING * len(self.words) + len(self.vector or b"")


@dataclass(frozen=True, slots=True)
class _Served:
    """What a document serves from now on: the number of its passages, and their size."""

    storage: AccountStorage
    count: int
    size: int
    seen: SeenContent | None


class KnowledgeWorker(FairLeasedWorker):
    """Works on documents, one of each account at a time."""

    leases, topic, at_once, per_account = sql.LEASES, TOPIC, 4, 1

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        node: str,
        reader: DocumentReader,
        storage_of: StorageOf,
        embedder: Embedder,
        buckets: BucketReader,
    ) -> None:
        super().__init__(database, notifier, node)
        self._buckets = buckets
        self._reader, self._storage_of, self._embedder = reader, storage_of, embedder
        self._crawler = Crawler(database, reader, storage_of)

    async def work(self, item: Row) -> None:
        """Delete a document, or read and index it."""
        acting_for.set(item.account_id)
        crash_point("knowledge.claimed")
        if item.status == "deleting":
            await self._delete(item)
            return
        await self._work_on(item)
        if item.source_id is not None:
            await self._settle(item.source_id)

    async def _work_on(self, item: Row) -> None:
        if item.attempts > ATTEMPTS:
            await self._end(item, "failed", ABANDONED)
            return
        try:
            text = await self._read_when_installed(item)
            if text is not None:
                await self._index(item, text)
        except (LeaseLost, DatabaseUnavailable):
            raise
        except RetinueError as error:
            await self._fail(item, error.message)
        except Exception:  # noqa: BLE001 - it would fail again: tell its owner, and an operator by the log
            _log.exception("knowledge.not_indexed", document=item.id)
            await self._fail(item, "The document could not be read because of an error on our side.")

    async def _read_when_installed(self, item: Row) -> DocumentText | None:
        """Read a document. On the first start of a server, wait until the libraries that read it are installed."""
        for _ in range(_MOST_LOOKS):
            try:
                return await self._read(item)
            except LibrariesMissing:
                await asyncio.sleep(_LOOK_S)
        return await self._read(item)

    async def _settle(self, source_id: int) -> None:
        """Let the synchronization end if this was the last document of the source."""
        if await self._database.transact(lambda tx: tx.run(sources_sql.SETTLE, source=source_id)):
            self._notifier.wake(SOURCES)

    async def _fail(self, item: Row, reason: str) -> None:
        await self._remove_passages(item, versions=(item.served, 0))
        await self._end(item, "failed", reason)

    async def _read(self, item: Row) -> DocumentText | None:
        """Return the text of a document, or None for a page of a website that need not be indexed."""
        if item.source["type"] == "object":
            return await self._buckets.read(item)
        if item.source_id is None or item.source["type"] != "url":
            return await read_within(self._reader, item)
        text = await self._crawler.visit(item, partial(self._write_alone, item))
        crash_point("knowledge.visited")
        return text

    async def _index(self, item: Row, text: DocumentText) -> None:
        passages = await run_on_compute_thread(lambda: list(cut(text.sections)))
        if len(passages) > MOST_PASSAGES:
            raise ValidationFailed(
                f"The document has {len(passages):,} passages; the limit is {MOST_PASSAGES:,}. Split it into parts."
            )
        title = _title_of(item, text) if text.seen else item.title or _title_of(item, text)
        await self._write(item, partial(_run, sql.BEGIN, called=title))
        await self._remove_passages(item, versions=(item.served, item.epoch))
        size = own_size(title, item.text)
        model = await self._model_of(item)
        most = _BATCH if is_included(model) else _PROVIDER_BATCH
        for start in range(0, len(passages), most):
            indexed = await self._analyse(item, model, title, passages[start : start + most])
            for first in range(0, len(indexed), _BATCH):
                batch = indexed[first : first + _BATCH]
                await self._write(item, partial(_insert, item, start + first + 1, batch, stored_name(model)))
                crash_point("knowledge.batch")
            size += sum(one.size for one in indexed)
        storage = await self._storage_of(item.account_id)
        await self._write(item, partial(_serve, item, _Served(storage, len(passages), size, text.seen)))
        await self._check_model(item, model)
        crash_point("knowledge.served")
        await self._remove_passages(item, versions=(item.epoch, 0))
        await self._end(item, "ready", None)

    async def _model_of(self, item: Row) -> str:
        """Return the embedding model of a document's collection."""
        for row in await self._database.query(sql.MODEL_OF, these=[item.collection_id]):
            return str(row.embedding_model)
        raise LeaseLost  # The collection has been deleted, and the document with it.

    async def _analyse(self, item: Row, model: str, title: str, passages: Sequence[Section]) -> list[_Indexed]:
        """Return passages with their words and vectors, which include the title and the section."""
        texts = [text_to_embed(title, one.section, one.text) for one in passages]
        counts = await run_on_compute_thread(lambda: [count_words(text) for text in texts])
        vectors = await self._embedder.embed_passages(item.account_id, model, texts)
        return [
            _Indexed(passage, list(count.items()), count.total(), vector)
            for passage, count, vector in zip(passages, counts, vectors, strict=True)
        ]

    async def _delete(self, item: Row) -> None:
        await self._remove_passages(item, versions=(0, 0))
        storage = await self._storage_of(item.account_id)

        async def remove(tx: Tx) -> None:
            row = await tx.one(sql.REMOVE_DOCUMENT, document=item.id, under=item.epoch)
            if row is None:
                raise LeaseLost
            await storage.hold(tx, -row.size)

        await self._database.transact(remove)

    async def _remove_passages(self, item: Row, versions: tuple[int, int]) -> None:
        """Delete the passages of a document, except those of these `versions`."""
        removed = 1
        while removed:
            removed = await self._write(item, partial(_remove_some, item, versions))
            crash_point("knowledge.removed")

    async def _end(self, item: Row, outcome: str, reason: str | None) -> None:
        await self._write(item, partial(_run, sql.END, outcome=outcome, reason=reason, moment=now()))

    async def _write(self, item: Row, work: Callable[[Tx, Row], Awaitable[int]]) -> int:
        """Run a transaction under the claim. Raises `LeaseLost`."""

        async def write(tx: Tx) -> int:
            if not await tx.run(sql.HOLD, document=item.id, under=item.epoch):
                raise LeaseLost
            return await work(tx, item)

        return await self._database.transact(write)

    async def _write_alone(
        self, item: Row, work: Callable[[Tx], Awaitable[None]], lock: Callable[[Tx], Awaitable[None]] | None = None
    ) -> None:
        async def write(tx: Tx) -> None:
            if lock:
                await lock(tx)
            if not await tx.run(sql.HOLD, document=item.id, under=item.epoch):
                raise LeaseLost
            await work(tx)

        await self._database.transact(write)

    async def _check_model(self, item: Row, model: str) -> None:
        """Queue the collection for reindexing if it has changed its model while a document was indexed."""

        async def check(tx: Tx) -> int:
            collection = await tx.one(sql.LOCK_MODEL, collection=item.collection_id)
            if collection is None or collection.embedding_model == model:
                return 0
            return await tx.run(sql.INDEX_MISSING, collection=item.collection_id)

        if await self._database.transact(check):
            self._notifier.wake(REINDEXING)


async def _run(statement: Statement, tx: Tx, item: Row, **values: object) -> int:
    return await tx.run(statement, document=item.id, under=item.epoch, **values)


async def _remove_some(item: Row, versions: tuple[int, int], tx: Tx, _: Row) -> int:
    served, writing = versions
    return await tx.run(sql.REMOVE_PASSAGES, document=item.id, served=served, writing=writing, most=_BATCH)


async def _insert(item: Row, first: int, indexed: Sequence[_Indexed], model: str, tx: Tx, _: Row) -> int:
    for number, one in enumerate(indexed, first):
        (row,) = await tx.all(
            sql.INSERT_PASSAGE,
            account_id=item.account_id,
            collection_id=item.collection_id,
            document_id=item.id,
            version=item.epoch,
            number=number,
            page=one.passage.page,
            section=one.passage.section,
            text=one.passage.text,
            model=model if one.vector else None,
            vector=one.vector,
        )
        if one.words:
            await tx.run(sql.INDEX, collection=item.collection_id, passage=row.id, pairs=one.words, length=one.length)
    return len(indexed)


async def _serve(item: Row, served: _Served, tx: Tx, _: Row) -> int:
    """Make the new passages the ones that are found. Raises `ValidationFailed` if they exceed the plan's storage."""
    values = {"count": served.count, "bytes": served.size, "now_seen": served.seen, "moment": now()}
    await tx.run(sql.SERVE, document=item.id, under=item.epoch, **values)
    stored_bytes = await served.storage.hold(tx, served.size - item.size)
    if served.size > item.size:
        served.storage.check_quota(stored_bytes)
    return served.count


def _title_of(item: Row, text: DocumentText) -> str:
    """Return a title for a document without one."""
    first = next(iter(text.sections))
    heading = (first.section or "").partition(" / ")[0]
    title = text.title or heading or item.source.get("url") or first.text[:80].partition("\n")[0]
    return str(title).strip()[:TITLE] or f"Document {item.id}"
