"""Split documents into passages, and search these by words and by similarity.

A document is indexed a few passages per transaction, so that a long one blocks nobody; it is searchable once it is
complete.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.workspace.records import NewRecord, Records, RecordTransaction, describe
from retinue.workspace.search_index import rank
from retinue.workspace.words import slug

DOCUMENT, PASSAGE = "document", "passage"
MOST_DOCUMENTS = 500
MOST_CHARACTERS = 400_000
"""Per document."""

MOST_PASSAGES = 400
"""Per document."""

_BATCH = 20
_PASSAGE_CHARACTERS, _OVERLAP_CHARACTERS = 1200, 150


@dataclass(frozen=True)
class Knowledge:
    """The documents of one account."""

    records: Records

    async def add(self, title: str, text: str, body: Mapping[str, Any]) -> Row:
        """Index a document.

        Raises `ValidationFailed` for a document without words or with too many passages, and `NotFound` if it is
        removed meanwhile.
        """
        passages = await run_on_compute_thread(cut, text)
        if not passages or len(passages) > MOST_PASSAGES:
            raise ValidationFailed(
                f"A document needs text, in at most {MOST_PASSAGES} passages; this one has {len(passages)}. Split it."
            )
        if await self.records.count(DOCUMENT) >= MOST_DOCUMENTS:
            raise ValidationFailed(f"The limit is {MOST_DOCUMENTS} documents. Remove some first.")

        async def begin(writing: RecordTransaction) -> Row:
            name = await writing.free_name(DOCUMENT, title)
            complete_body = {**body, "title": title, "passages": len(passages), "characters": len(text)}
            return await writing.add(DOCUMENT, NewRecord(complete_body, name, state="indexing"))

        document = await self.records.write(begin)
        for start in range(0, len(passages), _BATCH):
            await self._add_passages(document, passages[start : start + _BATCH], start)
        return await self._finish(document)

    async def _add_passages(self, document: Row, texts: Sequence[str], start: int) -> None:
        drafts = [
            await describe(
                NewRecord({"text": text}, f"{number:05}"), f"{document.body['title']}\n{text}", semantic=True
            )
            for number, text in enumerate(texts, start + 1)
        ]

        async def work(writing: RecordTransaction) -> None:
            await _check_indexing(writing, document)
            for draft in drafts:
                await writing.add(PASSAGE, draft, document.id)

        await self.records.write(work)

    async def _finish(self, document: Row) -> Row:
        async def work(writing: RecordTransaction) -> Row:
            await _check_indexing(writing, document)
            return await writing.replace(document, NewRecord(document.body, state="ready"))

        return await self.records.write(work)

    async def get(self, id_or_title: str) -> Row:
        """Return the document with that id or title. Raises `NotFound`."""
        exact = await self.records.find_by_name(DOCUMENT, id_or_title.strip())
        return exact or await self.records.get(DOCUMENT, slug(id_or_title))

    async def passages(self, document: Row, first: int, most: int) -> list[Row]:
        """Return the passages of a document from a given number on."""
        rows = await self.records.prefix(PASSAGE, "", document.id, most=MOST_PASSAGES)
        return [row for row in rows if int(row.name) >= first][:most]

    async def search(self, question: str, most: int, within: int | None = None) -> list[tuple[Row, Row, float]]:
        """Return the passages that best match a question, each with its document and its score; `within` limits the
        search to one document.
        """
        records = self.records
        ranked = (await rank(records.database, records.account_id, PASSAGE, question, semantic=True))[:500]
        passages = await records.find_by_ids([key for key, _ in ranked])
        documents = await records.find_by_ids(list({row.parent for row in passages.values()}))
        found = [
            (passages[key], documents[passages[key].parent], score)
            for key, score in ranked
            if key in passages and passages[key].parent in documents
        ]
        matches = [item for item in found if item[1].state == "ready" and within in (None, item[1].id)]
        return matches[:most]

    async def remove(self, id_or_title: str) -> Row:
        """Delete a document with its passages: first from the search, then the passages in batches."""
        document = await self.get(id_or_title)

        async def hide(writing: RecordTransaction) -> Row:
            if (current := await _find_again(writing, document)) is None:
                raise NotFound(f"The document {document.name[:80]!r} was removed meanwhile.")
            return await writing.replace(current, NewRecord(current.body, state="removing"))

        async def some(writing: RecordTransaction) -> int:
            return await writing.remove_within(PASSAGE, document.id, _BATCH)

        async def last(writing: RecordTransaction) -> None:
            if current := await _find_again(writing, document):
                await writing.remove(current)

        await self.records.write(hide)
        while await self.records.write(some):
            pass
        await self.records.write(last)
        return document


async def _find_again(writing: RecordTransaction, document: Row) -> Row | None:
    """Return the current record of a document, unless it was removed: another one may have its name."""
    current = await writing.find_by_name(DOCUMENT, document.name)
    return current if current and current.id == document.id else None


async def _check_indexing(writing: RecordTransaction, document: Row) -> None:
    """Raise `NotFound` if a document was removed while it was indexed: its passages would remain without it."""
    current = await _find_again(writing, document)
    if current is None or current.state != document.state:
        raise NotFound(f"The document {document.name[:80]!r} was removed while it was indexed.")


def cut(text: str) -> list[str]:
    """Split a text into passages of up to 1,200 characters at natural breaks; each begins with the end of the
    previous one.
    """
    passages, start, text = [], 0, text.strip()
    while start < len(text):
        end = min(start + _PASSAGE_CHARACTERS, len(text))
        if end < len(text):
            end = _pause(text, start + _PASSAGE_CHARACTERS // 2, end)
        passages.append(text[start:end].strip())
        start = end if end == len(text) else max(end - _OVERLAP_CHARACTERS, start + 1)
    return [passage for passage in passages if passage]


def _pause(text: str, first: int, last: int) -> int:
    """Return the best place to split: after a paragraph, else a line, else a sentence, else a word, else the last
    place.
    """
    window = text[first:last]
    for mark in ("\n\n", "\n", ". ", " "):
        if (place := window.rfind(mark)) >= 0:
            return first + place + len(mark)
    return last
