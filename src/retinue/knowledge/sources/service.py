"""Manages the sources of a collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from retinue.auth.caller import Caller
from retinue.connections.keyring import ConnectionKeyring
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.network.http_client import AddressGuard, AddressRefused
from retinue.core.runtime.clock import now
from retinue.core.work.fair_leases import PLACES
from retinue.core.work.notifier import Notifier
from retinue.knowledge import statements as knowledge_sql
from retinue.knowledge.sources import statements as sql
from retinue.knowledge.sources.schemas import CollectionSourceCreate, CollectionSourceUpdate, SyncSchedule
from retinue.knowledge.sources.worker import NextSync
from retinue.knowledge.worker import SOURCES
from retinue.knowledge.worker import TOPIC as DOCUMENTS
from retinue.workspace.paths import normalize_path

CONNECTION_KINDS = {"bucket": "s3", "repository": "http"}
"""The kinds of connections by the kinds of sources that use them."""

MOST_SOURCES = 50
"""Per collection."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source with its place under the name that its kind gives it."""

    row: Row

    def __getattr__(self, name: str) -> Any:
        return getattr(self.row, name)

    @property
    def url(self) -> str | None:
        """The address of a website, a repository or a bucket."""
        return None if self.row.kind == "folder" else str(self.row.location)

    @property
    def path(self) -> str | None:
        """The path of a folder."""
        return (str(self.row.location) or "/") if self.row.kind == "folder" else None


@dataclass(frozen=True)
class CollectionSources:
    """Creates, reads, changes, synchronizes and deletes the sources of the caller's collections."""

    caller: Caller
    database: Database
    notifier: Notifier
    guard: AddressGuard
    next_sync: NextSync
    keyring: ConnectionKeyring

    async def create(self, collection_id: int, new: CollectionSourceCreate) -> Source:
        """Add a source and queue its first synchronization."""
        self._check_schedule(new.schedule)
        location = self._location(new.kind, new.url, new.path)
        await self._check_connection(new.kind, new.connection)
        moment, key = now(), self._key(collection_id)
        fields = new.model_dump(exclude={"url", "path", "connection"})

        async def insert(tx: Tx) -> Row:
            await self._check_collection(tx, collection_id)
            (count,) = await tx.all(sql.COUNT, **key)
            if count.held >= MOST_SOURCES:
                raise ValidationFailed(f"A collection can have at most {MOST_SOURCES} sources. Delete one first.")
            (row,) = await tx.all(
                sql.INSERT,
                account_id=self.caller.account_id,
                collection_id=collection_id,
                location=location,
                connection_id=await self._hold_connection(tx, new.connection),
                **fields,
                status="queued",
                round=0,
                created_at=moment,
                updated_at=moment,
                lease_until=PLACES["normal"],
            )
            await note_effect(tx, self.caller.claim, {"collection": collection_id, "source": row.id})
            tx.after_commit(lambda: self.notifier.wake(SOURCES))
            return await tx.one(sql.GET, source=row.id, **key)

        return Source(await self.database.transact(insert))

    async def page(self, collection_id: int, page: Page) -> tuple[Sequence[Source], int]:
        """Return one page of a collection's sources, newest first, and the total number."""
        key = self._key(collection_id)
        if await self.database.lookup(knowledge_sql.IS_OURS, **key) is None:
            raise _no_collection(collection_id)
        count = await self.database.lookup(sql.COUNT, **key)
        rows = await read_page(self.database, sql.LIST, page, **key)
        return [Source(row) for row in rows], count.held if count else 0

    async def get(self, collection_id: int, source_id: int) -> Source:
        """Return one source. Raises `NotFound`."""
        return Source(_require(await self.database.lookup(sql.GET, **self._key(collection_id, source_id)), source_id))

    async def update(self, collection_id: int, source_id: int, changes: CollectionSourceUpdate) -> Source:
        """Change the fields that were sent, and synchronize."""
        sent = changes.sent_fields()
        if "schedule" in sent:
            self._check_schedule(changes.schedule)
            sent["schedule"] = changes.schedule.model_dump()
        key = self._key(collection_id, source_id)
        if "connection" in sent:
            await self._check_connection((await self.get(collection_id, source_id)).kind, sent["connection"])

        async def write(tx: Tx) -> Row:
            row = _require(await tx.one(sql.LOCK, **key), source_id)
            if "connection" in sent:
                sent["connection_id"] = await self._hold_connection(tx, sent["connection"])
            own, other = ("path", "url") if row.kind == "folder" else ("url", "path")
            if sent.pop(other, None) is not None:
                raise ValidationFailed(f"A {row.kind} has no {other}. Send {own}, or add another source.")
            place = sent.pop(own, None)
            if place is not None:
                sent["location"] = self._location(row.kind, **{"url": None, "path": None, own: place})
            fields = ("location", "connection_id", "include", "exclude", "max_pages", "max_depth", "schedule")
            new = {f"new_{name}": sent.get(name, getattr(row, name)) for name in fields}
            await tx.run(sql.UPDATE, **key, **new, moment=now())
            return await self._queue(tx, key)

        return Source(await self.database.transact(write))

    async def sync(self, collection_id: int, source_id: int) -> Source:
        """Synchronize a source now, unless that is under way."""
        key = self._key(collection_id, source_id)

        async def write(tx: Tx) -> Row:
            row = _require(await tx.one(sql.LOCK, **key), source_id)
            return await tx.one(sql.GET, **key) if row.status in ("queued", "syncing") else await self._queue(tx, key)

        return Source(await self.database.transact(write))

    async def delete(self, collection_id: int, source_id: int, *, keep_documents: bool = False) -> None:
        """Delete a source with its documents, or keep these as ordinary documents."""
        key = self._key(collection_id, source_id)

        async def write(tx: Tx) -> None:
            _require(await tx.one(sql.LOCK, **key), source_id)
            await tx.run(sql.RELEASE_DOCUMENTS if keep_documents else sql.DELETE_DOCUMENTS, source=source_id)
            await tx.run(sql.DELETE, **key)
            tx.after_commit(lambda: self.notifier.wake(DOCUMENTS))

        await self.database.transact(write)

    async def _queue(self, tx: Tx, key: dict[str, int]) -> Row:
        await tx.run(sql.QUEUE, **key)
        tx.after_commit(lambda: self.notifier.wake(SOURCES))
        return await tx.one(sql.GET, **key)

    async def _check_collection(self, tx: Tx, collection_id: int) -> None:
        if await tx.one(knowledge_sql.LOCK_COLLECTION, **self._key(collection_id)) is None:
            raise _no_collection(collection_id)

    async def _check_connection(self, kind: str, name: str | None) -> None:
        """Raise `ValidationFailed` unless the caller has the connection, and it is of the kind that a source needs."""
        needed = CONNECTION_KINDS.get(kind)
        if needed is None and name:
            raise ValidationFailed(f"connection: a {kind} is read without one. Leave it out.")
        if name is None and kind == "bucket":
            raise ValidationFailed("connection: a bucket needs a connection of the kind s3. Send its name.")
        if needed and name:
            await self.keyring.open(self.caller.account_id, needed, name)

    async def _hold_connection(self, tx: Tx, name: str | None) -> int | None:
        return await self.keyring.hold(tx, self.caller.account_id, name) if name else None

    def _location(self, kind: str, url: str | None, path: str | None) -> str:
        if url is None:
            return normalize_path(path or "")
        if (kind == "bucket") != url.startswith("s3://"):
            form = "s3://bucket/prefix" if kind == "bucket" else "https://example.com/"
            raise ValidationFailed(f"url: the address of a {kind} looks like {form}.")
        if kind == "bucket":
            return url
        try:
            self.guard.check_literal(url)
        except (AddressRefused, ValueError) as error:
            raise ValidationFailed(f"url: {error}.") from error
        return url

    def _check_schedule(self, schedule: SyncSchedule | None) -> None:
        if schedule is None:
            return
        try:
            due = self.next_sync(schedule.model_dump(), now())
        except ValueError as error:
            raise ValidationFailed(f"schedule.cron: {error}.") from error
        if due is None and schedule.cron:
            raise ValidationFailed(f"schedule.cron: {schedule.cron!r} is not due within the next 50 years.")

    def _key(self, collection_id: int, source_id: int | None = None) -> dict[str, int]:
        key = {"collection": collection_id, "account": self.caller.account_id}
        return key if source_id is None else {**key, "source": source_id}


def _require(row: Row | None, source_id: int) -> Row:
    if row is None:
        raise NotFound(f"There is no source {source_id} in this collection.")
    return row


def _no_collection(collection_id: int) -> NotFound:
    return NotFound(f"There is no collection {collection_id} in your account.")
