"""Queue the documents of pages and files that a synchronization finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.work.fair_leases import PLACES
from retinue.files.upload_commit import AccountStorage
from retinue.knowledge import statements as knowledge_sql
from retinue.knowledge.document_size import MOST_DOCUMENTS, own_size
from retinue.knowledge.sources import statements as sql

_VERSION = "sha256"
"""The name under which documents keep `content_version`."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page or a file. `depth` is the number of links from the first page, and `content_version` what changes
    with the content: the SHA-256 of a file, or the ETag of an object.

    `text` is the content itself where it cannot be fetched alone later.
    """

    location: str
    source: Mapping[str, object]
    title: str = ""
    depth: int = 0
    content_version: str | None = None
    text: str | None = None


def found_page(address: str, depth: int) -> Found:
    """Return a page of a website."""
    return Found(address, {"type": "url", "url": address}, depth=depth)


async def queue_found(tx: Tx, source: Row, found: Sequence[Found], round_now: int, storage: AccountStorage) -> None:
    """Queue what this synchronization has not found yet, up to the limits of the source and of its collection.

    A file that has not changed since it was indexed is only kept. The caller must have locked `source`.
    """
    places = [one.location for one in found]
    rows = await tx.all(sql.KNOWN, source=source.id, places=places)
    known = {row.location: row for row in rows}
    room = await _room(tx, source, round_now)
    added = 0
    for one in found:
        row = known.get(one.location)
        if (row and row.round == round_now) or room <= 0:
            continue
        room -= 1
        if row is None:
            await _insert(tx, source, one, round_now)
            added += own_size(one.title, one.text)
        elif one.content_version and row.status == "ready" and (row.seen or {}).get(_VERSION) == one.content_version:
            await tx.run(sql.KEEP_FOUND, document=row.id, round_now=round_now)
        else:
            seen = {_VERSION: one.content_version} if one.content_version else row.seen
            values = {"links_away": one.depth, "new_source": one.source, "new_seen": seen}
            values["new_text"] = one.text
            await tx.run(sql.REQUEUE_FOUND, document=row.id, round_now=round_now, **values)
    if added:
        storage.check_quota(await storage.hold(tx, added))


async def _room(tx: Tx, source: Row, round_now: int) -> int:
    """Return how many more documents this synchronization may find."""
    (progress,) = await tx.all(sql.PROGRESS, source=source.id, round_now=round_now)
    in_collection = {"collection": source.collection_id, "account": source.account_id}
    (collection,) = await tx.all(knowledge_sql.COUNT_DOCUMENTS, **in_collection)
    return int(min(source.max_pages - progress.found, MOST_DOCUMENTS - collection.held))


async def _insert(tx: Tx, source: Row, found: Found, round_now: int) -> None:
    moment = now()
    await tx.run(
        sql.INSERT_FOUND,
        account_id=source.account_id,
        collection_id=source.collection_id,
        title=found.title,
        source=found.source,
        text=found.text,
        metadata={},
        status="queued",
        passages=0,
        served=0,
        size=own_size(found.title, found.text),
        created_at=moment,
        updated_at=moment,
        lease_until=PLACES["low"],
        source_id=source.id,
        location=found.location,
        round=round_now,
        depth=found.depth,
        seen={_VERSION: found.content_version} if found.content_version else None,
    )
