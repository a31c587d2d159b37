"""Describe documents with the progress of their indexing, and read new ones."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pydantic import Field

from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import Body
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.language.formats import format_number
from retinue.language.translation import gettext as _
from retinue.workspace.knowledge import MOST_CHARACTERS, PASSAGE, Knowledge

_INTERRUPTED = timedelta(minutes=1)
"""Work on a document that made no progress for so long was broken off: a step takes a fraction of a second."""

_UTF_8_BYTES = 4
"""Per character, at most."""


class DocumentDraft(Body):
    """A text to index. The limits are those of the tool `knowledge_add_document`."""

    title: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    source: str = Field("", max_length=500)


@dataclass(frozen=True)
class Document:
    """A document, with the number of its passages that are stored."""

    row: Row
    stored: int
    interrupted: bool


async def describe(knowledge: Knowledge, row: Row) -> Document:
    """Return a document with its progress."""
    if row.state == "ready":
        return Document(row, row.body["passages"], interrupted=False)
    stored = await knowledge.records.count(PASSAGE, row.id)
    newest = await knowledge.records.newest(PASSAGE, row.id, most=1)
    moved_at = max([row.updated_at, *(passage.created_at for passage in newest)])
    return Document(row, stored, now() - moved_at > _INTERRUPTED)


async def read_text(path: Path, name: str) -> str:
    """Return the text of an uploaded file. Raises `ValidationFailed` if it is none, or is too long."""
    content = await run_on_disk_thread(_head, path, MOST_CHARACTERS * _UTF_8_BYTES + 1)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # A long text may be cut within a character; whichever it is, it is not indexed.
        if len(content) > MOST_CHARACTERS * _UTF_8_BYTES:
            raise _too_long(name) from None
        raise ValidationFailed(
            _(
                "{name} is not a text in UTF-8. Save it as text, or let an agent extract its text and index that."
            ).format(name=name)
        ) from None
    if len(text) > MOST_CHARACTERS:
        raise _too_long(name)
    return text


def _head(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)


def _too_long(name: str) -> ValidationFailed:
    most = format_number(MOST_CHARACTERS)
    return ValidationFailed(_("{name} has more than {most} characters. Split it.").format(name=name, most=most))
