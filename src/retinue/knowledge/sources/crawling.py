"""Visit the pages of websites: what has changed, what is gone, and where each page leads."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

import orjson

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.files.upload_commit import AccountStorage
from retinue.knowledge.reading import DocumentReader, DocumentText, check_size, read_within, refused_page
from retinue.knowledge.sources import statements as sql
from retinue.knowledge.sources.found_documents import found_page, queue_found
from retinue.knowledge.sources.scope import SiteScope
from retinue.knowledge.web_pages import SeenContent, WebPage, fetch_page

_MOST_LINKS = 1000
"""Of a page."""

_NO_DOCUMENTS = ("image/", "video/", "audio/", "font/")
_GONE_STATUSES = (404, 410)

StorageOf = Callable[[int], Awaitable[AccountStorage]]
Write = Callable[..., Awaitable[None]]
"""Runs a transaction under the claim of the document, after `lock` if there is one."""


class Crawler:
    """Visits one page at a time for the worker of documents."""

    def __init__(self, database: Database, reader: DocumentReader, storage_of: StorageOf) -> None:
        self._database, self._reader, self._storage_of = database, reader, storage_of

    async def visit(self, document: Row, write: Write) -> DocumentText | None:
        """Return the text of a page, or None if it need not be indexed: it has not changed, or it is gone.

        The pages that it leads to are queued first. Those of a page that cannot be read are the ones from before.
        Raises `RetinueError` with a reason that its owner understands.
        """
        source = await self._database.lookup(sql.GET_SCOPE, source=document.source_id)
        if source is None:
            return await read_within(self._reader, document)
        scope = SiteScope.of(source)
        seen: SeenContent = document.seen if document.served and document.seen else {}
        try:
            page = await fetch_page(self._reader.guard, document.location, seen)
            moved = scope.address(page.url)
            if page.status in _GONE_STATUSES or moved != document.location or page.media_type.startswith(_NO_DOCUMENTS):
                await self._leave(document, moved, write)
                return None
            if page.status == 304:
                await self._follow(document, document.links or [], write)
                await write(partial(_run, sql.UNCHANGED, document, new_seen=seen))
                return None
            text = await self._read(document, page)
        except RetinueError:
            await self._follow(document, document.links or [], write)
            raise
        await self._follow(document, scope.on_site(text.links)[:_MOST_LINKS], write)
        digest = hashlib.sha256(orjson.dumps([text.title, [one.text for one in text.sections]])).hexdigest()
        now_seen: SeenContent = {**page.seen, "digest": digest}
        if seen.get("digest") == digest:
            await write(partial(_run, sql.UNCHANGED, document, new_seen=now_seen))
            return None
        check_size(text, "Pages that only scripts fill cannot be read.")
        return replace(text, seen=now_seen)

    async def _read(self, document: Row, page: WebPage) -> DocumentText:
        if page.status != 200:
            raise ValidationFailed(refused_page(page))
        return await self._reader.read_page(document.account_id, page)

    async def _leave(self, document: Row, moved: str | None, write: Write) -> None:
        """Delete the document of a page that is gone. The page that it redirects to is queued instead."""
        if moved not in (None, document.location):
            await self._queue(document, [str(moved)], document.depth, write)
        await write(partial(_run, sql.GONE, document))

    async def _follow(self, document: Row, links: Sequence[str], write: Write) -> None:
        """Queue the pages that a page leads to, and note them."""
        await self._queue(document, links, document.depth + 1, write)
        await write(partial(_run, sql.SET_LINKS, document, new_links=list(links)))

    async def _queue(self, document: Row, links: Sequence[str], depth: int, write: Write) -> None:
        storage = await self._storage_of(document.account_id)

        async def lock(tx: Tx) -> None:
            """Lock the source before the document, as its deletion does."""
            await tx.one(sql.LOCK_SCOPE, source=document.source_id)

        async def queue(tx: Tx) -> None:
            source = await tx.one(sql.GET_SCOPE, source=document.source_id)
            if source is not None and depth <= source.max_depth:
                pages = [found_page(address, depth) for address in SiteScope.of(source).addresses(links)]
                await queue_found(tx, source, pages, document.round, storage)

        if links:
            await write(queue, lock)


async def _run(statement: Statement, document: Row, tx: Tx, **values: object) -> None:
    await tx.run(statement, document=document.id, under=document.epoch, **values)
