"""Manages the collections and documents of the caller's account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import InUse, NotFound, ValidationFailed, list_users
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.network.http_client import AddressGuard, AddressRefused
from retinue.core.runtime.clock import now
from retinue.core.work.fair_leases import PLACES
from retinue.core.work.notifier import Notifier
from retinue.files import statements as files_sql
from retinue.files.upload_commit import AccountStorage
from retinue.knowledge import statements as sql
from retinue.knowledge.chunking import TITLE
from retinue.knowledge.document_size import MOST_DOCUMENTS, own_size
from retinue.knowledge.retrieval import Retriever, SearchResult
from retinue.knowledge.schemas import (
    USUAL_FOUND,
    CollectionCreate,
    CollectionUpdate,
    DocumentCreate,
    Search,
    SearchOfSeveral,
)
from retinue.knowledge.sources import statements as sources_sql
from retinue.knowledge.worker import TOPIC

MOST_COLLECTIONS = 100
"""Per account."""


class CollectionUses(Protocol):
    """Finds the agents that answer from a collection."""

    async def of_collection(self, tx: Tx, account_id: int, collection_id: int) -> Mapping[int, str]:
        """Return their names by id."""
        ...


@dataclass(frozen=True)
class Collections:
    """Creates, reads, changes, searches and deletes collections and their documents."""

    caller: Caller
    database: Database
    notifier: Notifier
    guard: AddressGuard
    retriever: Retriever
    storage: AccountStorage
    uses: CollectionUses

    async def create(self, new: CollectionCreate) -> Row:
        """Create a collection. Raises `ValidationFailed` if the account has too many."""
        account, moment = self.caller.account_id, now()
        about, model = (
            new.description or "",
            await self.retriever.embedder.model_of(account, sandbox=self.caller.sandbox),
        )
        reranker = await self._check_reranker(new.reranker or "")
        values = {"name": new.name.strip(), "description": about, "embedding_model": model, "reranker": reranker}

        async def insert(tx: Tx) -> Row:
            await counters.lock(tx, account)
            existing = await tx.one(sql.COUNT_COLLECTIONS, account=account)
            if existing and existing.held >= MOST_COLLECTIONS:
                raise ValidationFailed(f"An account can have at most {MOST_COLLECTIONS} collections. Delete one first.")
            (row,) = await tx.all(
                sql.INSERT_COLLECTION, account_id=account, **values, created_at=moment, updated_at=moment
            )
            await note_effect(tx, self.caller.claim, {"collection": row.id})
            return await tx.one(sql.GET_COLLECTION, collection=row.id, account=account)

        return await self.database.transact(insert)

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page of collections, newest first, and the total number."""
        account = self.caller.account_id
        count = await self.database.lookup(sql.COUNT_COLLECTIONS, account=account)
        return await read_page(self.database, sql.LIST_COLLECTIONS, page, account=account), count.held if count else 0

    async def get(self, collection_id: int) -> Row:
        """Return one collection. Raises `NotFound`."""
        return _present(await self.database.lookup(sql.GET_COLLECTION, **self._key(collection_id)), collection_id)

    async def update(self, collection_id: int, changes: CollectionUpdate) -> Row:
        """Change the fields that were sent."""
        sent = changes.sent_fields()
        await self._check_reranker(sent.get("reranker", ""))

        async def write(tx: Tx) -> Row:
            row = _present(await tx.one(sql.LOCK_COLLECTION, **self._key(collection_id)), collection_id)
            values = {name: sent.get(name, getattr(row, name)) for name in ("name", "description", "reranker")}
            new = {f"new_{name}": value for name, value in values.items()}
            await tx.run(sql.UPDATE_COLLECTION, **self._key(collection_id), **new, moment=now())
            return await tx.one(sql.GET_COLLECTION, **self._key(collection_id))

        return await self.database.transact(write)

    async def delete(self, collection_id: int) -> None:
        """Delete a collection. Its documents are gone at once; a worker removes their passages.

        Raises `InUse` if an agent answers from it.
        """

        async def write(tx: Tx) -> None:
            row = _present(await tx.one(sql.LOCK_COLLECTION, **self._key(collection_id)), collection_id)
            if agents := await self.uses.of_collection(tx, self.caller.account_id, collection_id):
                raise InUse(
                    f"The collection {row.name} cannot be deleted, because agents answer from it. "
                    f"Agents that answer from it ({len(agents)}): {list_users(agents)}. "
                    "Take it out of their knowledge with PUT /api/v1/agents/{id} first.",
                    agents,
                )
            await tx.run(sources_sql.DELETE_OF_COLLECTION, **self._key(collection_id))
            await tx.run(sql.DELETE_WITHIN, **self._key(collection_id))
            await tx.run(sql.DELETE_COLLECTION, **self._key(collection_id))
            tx.after_commit(lambda: self.notifier.wake(TOPIC))

        await self.database.transact(write)

    async def add(self, collection_id: int, new: DocumentCreate) -> Row:
        """Queue a document for reading. Raises `ValidationFailed` if its file, its address or its size is refused."""
        source, title = await self._source_of(new)
        text = new.text.replace("\x00", "") if new.text else None
        size, moment = own_size(title, text), now()

        async def insert(tx: Tx) -> Row:
            _present(await tx.one(sql.LOCK_COLLECTION, **self._key(collection_id)), collection_id)
            existing = await tx.one(sql.COUNT_DOCUMENTS, **self._key(collection_id))
            if existing and existing.held >= MOST_DOCUMENTS:
                raise ValidationFailed(f"A collection can have at most {MOST_DOCUMENTS:,} documents. Delete some.")
            (row,) = await tx.all(
                sql.INSERT_DOCUMENT,
                account_id=self.caller.account_id,
                collection_id=collection_id,
                title=title,
                source=source,
                text=text,
                metadata=new.metadata or {},
                status="queued",
                passages=0,
                served=0,
                size=size,
                created_at=moment,
                updated_at=moment,
                lease_until=PLACES["normal"],
            )
            self.storage.check_quota(await self.storage.hold(tx, size))
            await note_effect(tx, self.caller.claim, {"collection": collection_id, "document": row.id})
            tx.after_commit(lambda: self.notifier.wake(TOPIC))
            return row

        return await self.database.transact(insert)

    async def documents(self, collection_id: int, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page of a collection's documents, newest first, and the total number."""
        collection = await self.get(collection_id)
        rows = await read_page(self.database, sql.LIST_DOCUMENTS, page, **self._key(collection_id))
        return rows, collection.documents

    async def document(self, collection_id: int, document_id: int) -> Row:
        """Return one document. Raises `NotFound`."""
        found = await self.database.lookup(sql.GET_DOCUMENT, **self._key(collection_id), document=document_id)
        return _require(found, document_id)

    async def passages(self, collection_id: int, document_id: int, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page of a document's passages, in order, and the total number."""
        document = await self.document(collection_id, document_id)
        key = {"document": document_id, "account": self.caller.account_id}
        return await read_page(self.database, sql.PASSAGES, page, **key), document.passages

    async def refresh(self, collection_id: int, document_id: int) -> Row:
        """Read a document again. Searches find the text from before until the new one is indexed."""
        return await self._requeue(collection_id, document_id, "queued", PLACES["normal"])

    async def remove(self, collection_id: int, document_id: int) -> None:
        """Delete a document. It is gone at once; a worker removes its passages."""
        await self._requeue(collection_id, document_id, "deleting", 0.0)

    async def search(self, collection_id: int, query: Search) -> SearchResult:
        """Search a collection. Raises `NotFound`."""
        _present(await self.database.lookup(sql.IS_OURS, **self._key(collection_id)), collection_id)
        return await self._search([collection_id], query)

    async def search_several(self, query: SearchOfSeveral) -> SearchResult:
        """Search collections. Raises `ValidationFailed` if one of them is not the caller's."""
        these = query.collections
        rows = await self.database.fetch(sql.NAMED, these=list(these), account=self.caller.account_id)
        if unknown := [str(one) for one in these if one not in {row.id for row in rows}]:
            raise ValidationFailed(
                f"collections: you have no collection {', '.join(unknown)}. See GET /api/v1/knowledge/collections."
            )
        return await self._search(these, query)

    async def _search(self, collections: Sequence[int], query: Search) -> SearchResult:
        account, most = self.caller.account_id, query.limit or USUAL_FOUND
        return await self.retriever.search(account, collections, query.query, most, query.filter)

    async def _check_reranker(self, name: str) -> str:
        """Return the name of a reranker. Raises `ValidationFailed` if the account has no such model."""
        if name and self.caller.sandbox:
            raise ValidationFailed("reranker: test keys use no models of providers. Choose it with a live key.")
        if name:
            await self.retriever.reranker.models.check(self.caller.account_id, name)
        return name

    async def _requeue(self, collection_id: int, document_id: int, status: str, place: float) -> Row:
        key = {**self._key(collection_id), "document": document_id}

        async def write(tx: Tx) -> Row:
            row = _require(await tx.one(sql.REQUEUE, **key, next=status, place=place, moment=now()), document_id)
            tx.after_commit(lambda: self.notifier.wake(TOPIC))
            return row

        return await self.database.transact(write)

    async def _source_of(self, new: DocumentCreate) -> tuple[dict[str, object], str]:
        """Return the source of a new document, and its title; empty if only its text tells it."""
        title = (new.title or "").replace("\x00", "").strip()
        if new.file_id is not None:
            file = await self.database.lookup(files_sql.GET, public=new.file_id, account=self.caller.account_id)
            if file is None:
                raise ValidationFailed(f"file_id: you have no file {new.file_id[:60]}. GET /api/v1/files lists yours.")
            return {"type": "file", "file_id": new.file_id}, title or file.name[:TITLE]
        if new.url is not None:
            try:
                self.guard.check_literal(new.url)
            except (AddressRefused, ValueError) as error:
                raise ValidationFailed(f"url: {error}.") from error
            return {"type": "url", "url": new.url}, title
        return {"type": "text"}, title

    def _key(self, collection_id: int) -> dict[str, int]:
        return {"collection": collection_id, "account": self.caller.account_id}


def _present(row: Row | None, collection_id: int) -> Row:
    if row is None:
        raise NotFound(f"There is no collection {collection_id} in your account.")
    return row


def _require(row: Row | None, document_id: int) -> Row:
    if row is None:
        raise NotFound(f"There is no document {document_id} in this collection.")
    return row
