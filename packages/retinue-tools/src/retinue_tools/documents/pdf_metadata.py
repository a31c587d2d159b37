"""Metadata and bookmarks of PDF files."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from pypdf import PdfReader
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import (
    POINTS_PER_MM,
    MadePdf,
    Page,
    made_pdf,
    reader_of,
    refusing_damage,
    writer_of,
)
from retinue_tools.documents._samples import FILE

_MOST_ENTRIES = 2000
_DEEPEST = 20
_TWO_PAGES = {FILE: samples.encode(samples.text_pdf("one", "two"))}
_TITLED = {
    FILE: samples.encode(
        samples.text_pdf(
            "one", trailer="/Info 6 0 R",
            more=["<< /Title (Tide tables) /Author (Harbour office) /CreationDate (D:20260102030405+01'00') >>"],
        )
    )
}  # fmt: skip

Title = Annotated[str, About("Title of the bookmark", "Chapter 1", min_length=1, max_length=300)]


class Metadata(TypedDict):
    """Metadata of a PDF; null for missing values."""

    pages: Annotated[int, About("Number of pages")]
    title: Annotated[str | None, About("Title")]
    author: Annotated[str | None, About("Author")]
    subject: Annotated[str | None, About("Subject")]
    keywords: Annotated[str | None, About("Keywords, as written")]
    creator: Annotated[str | None, About("Program in which the document was written")]
    producer: Annotated[str | None, About("Program that created the PDF")]
    created: Annotated[str | None, About("Creation time, ISO 8601")]
    modified: Annotated[str | None, About("Time of the last change, ISO 8601")]
    pdf_version: Annotated[str, About("PDF version in the file header")]
    encrypted: Annotated[bool, About("Whether it is encrypted, even if it opens without a password")]
    tagged: Annotated[bool, About("Whether its structure is tagged for screen readers")]
    language: Annotated[str | None, About("Declared language")]
    page_width_mm: Annotated[float, About("Width of the first page as shown")]
    page_height_mm: Annotated[float, About("Height of the first page as shown")]
    size: Annotated[int, About("Size of the file in bytes")]


class Entry(TypedDict):
    """A bookmark."""

    title: Annotated[str, About("Title of the bookmark")]
    page: Annotated[int | None, About("Target page; null if there is none")]
    level: Annotated[int, About("Level, 1 at the top")]


class Outline(TypedDict):
    """The bookmarks of a PDF."""

    entries: Annotated[list[Entry], About("Bookmarks in order, at most 2000")]


class Bookmark(TypedDict):
    """A bookmark to add."""

    title: Title
    page: Page
    level: Annotated[int, About("Level, 1 at the top", 1, minimum=1, maximum=6)]


@tool(
    tags="pdf metadata properties title author pages count dates size producer info",
    use_when=(
        "How many pages has this PDF?",
        "Who wrote this PDF and when?",
        "Which program made the document?",
        "What paper size is it?",
        "How many pages does this PDF have?",
        "Who made this PDF, and when?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "pages": 1,
                "title": "Tide tables",
                "author": "Harbour office",
                "subject": None,
                "created": "2026-01-02T03:04:05+01:00",
                "page_width_mm": 215.9,
                "page_height_mm": 279.4,
                "pdf_version": "1.7",
                "encrypted": False,
            },
            source="ISO 32000-1, section 7.9.4: dates; Letter is 8.5 by 11 inches",
            files=_TITLED,
        ),
        Refusal({"file": FILE}, "not a PDF", files={FILE: samples.encode("no")}),
    ),
    reply={
        "title, author": "\u201c{title}\u201d by {author} has {pages|page}.",
        "title": "\u201c{title}\u201d has {pages|page} and names no author.",
        "author": "The PDF was written by {author} and has {pages|page}.",
        "": "The PDF has {pages|page}; it names neither title nor author.",
    },
)
@refusing_damage()
def pdf_read_metadata(file: File) -> Metadata:
    """Read the metadata of a PDF: title, author, dates, programs, and its number and size of pages.

    Use it to learn about a PDF without reading it. Missing fields are null.
    """
    reader = reader_of(file)
    info, root, page = reader.metadata, reader.root_object, reader.pages[0]
    width, height = float(page.mediabox.width), float(page.mediabox.height)
    if page.rotation % 180:
        width, height = height, width
    size = reader.stream.seek(0, 2)
    return {
        "pages": len(reader.pages),
        "title": plain_text(info and info.title),
        "author": plain_text(info and info.author),
        "subject": plain_text(info and info.subject),
        "keywords": plain_text(info and info.get("/Keywords")),
        "creator": plain_text(info and info.creator),
        "producer": plain_text(info and info.producer),
        "created": _moment(info, "creation_date"),
        "modified": _moment(info, "modification_date"),
        "pdf_version": reader.pdf_header.removeprefix("%PDF-")[:20],
        "encrypted": reader.is_encrypted,
        "tagged": "/StructTreeRoot" in root,
        "language": plain_text(root.get("/Lang")),
        "page_width_mm": round(width / POINTS_PER_MM, 1),
        "page_height_mm": round(height / POINTS_PER_MM, 1),
        "size": size,
    }


@tool(
    tags="pdf metadata set change title author subject keywords clean remove privacy",
    use_when=(
        "Set the title of this PDF to 'Annual report 2026'",
        "Remove the author's name from the PDF's properties",
        "Add keywords to a PDF",
    ),
    examples=(
        Example(
            {"file": FILE, "title": "Tides 2027", "keywords": "sea, tides"},
            {"pages": 1},
            source="by hand: what is not named stays",
            files=_TITLED,
            then=(
                ExampleCall(
                    "pdf_read_metadata",
                    {"file": "{made}"},
                    {"title": "Tides 2027", "author": "Harbour office", "keywords": "sea, tides"},
                ),
            ),
        ),
        Example(
            {"file": FILE, "clear_others": True, "subject": "Sea"},
            {"pages": 1},
            source="by hand",
            files=_TITLED,
            then=(
                ExampleCall(
                    "pdf_read_metadata",
                    {"file": "{made}"},
                    {"title": None, "author": None, "created": None, "subject": "Sea"},
                ),
            ),
        ),
        Refusal({"file": FILE}, "Nothing to change", files=_TITLED),
    ),
    reply="The PDF with its new properties: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_set_metadata(
    file: File,
    title: Annotated[str | None, About("New title", "Annual report 2026", max_length=500)] = None,
    author: Annotated[str | None, About("New author", "Harbour office", max_length=500)] = None,
    subject: Annotated[str | None, About("New subject", "Tides", max_length=1000)] = None,
    keywords: Annotated[str | None, About("New keywords", "sea, tides", max_length=1000)] = None,
    clear_others: Annotated[
        bool, About("Whether to remove all other properties: dates, programs, hidden XMP metadata")
    ] = False,
) -> MadePdf:
    """Change title, author, subject or keywords of a PDF, or remove its metadata for privacy.

    Use it before publishing a PDF. Omitted properties are not changed unless clear_others is set. Returns the new PDF.
    """
    fields = {"/Title": title, "/Author": author, "/Subject": subject, "/Keywords": keywords}
    changes = {name: value for name, value in fields.items() if value is not None}
    if not changes and not clear_others:
        raise ToolError("Nothing to change. Give a title, author, subject or keywords, or set clear_others.")
    writer = writer_of(file)
    if clear_others:
        writer.metadata = None
        writer.xmp_metadata = None
    if changes:
        writer.add_metadata(changes)
    return made_pdf(writer, "document.pdf")


@tool(
    tags="pdf bookmarks outline contents chapters navigation list",
    use_when=(
        "What chapters does this PDF have?",
        "List the bookmarks of the manual with their pages",
        "On which page does chapter 4 begin?",
    ),
    examples=(
        Example({"file": FILE}, {"entries": []}, source="a PDF without any", files=_TWO_PAGES),
        Refusal({"file": FILE}, "not a PDF", files={FILE: samples.encode("no")}),
    ),
    reply={
        "entries": "The bookmarks: {entries}",
        "": "The PDF has no bookmarks.",
    },
)
@refusing_damage()
def pdf_read_outline(file: File) -> Outline:
    """List the bookmarks (outline) of a PDF with depth and page.

    Use it for the chapters of a long document. Returns each bookmark's title, page and level; an empty list if there
    are none.
    """
    reader = reader_of(file)
    entries = [entry for entry, _ in zip(_entries(reader, reader.outline, 1), range(_MOST_ENTRIES), strict=False)]
    return {"entries": entries}


@tool(
    tags="pdf bookmarks outline add create contents chapters navigation",
    use_when=(
        "Add bookmarks for chapters 1, 2 and 3 to this PDF",
        "Make an outline for the scanned book",
        "Give the PDF clickable contents",
    ),
    examples=(
        Example(
            {
                "file": FILE,
                "bookmarks": [
                    {"title": "Start", "page": 1, "level": 1},
                    {"title": "Detail", "page": 2, "level": 2},
                ],
            },
            {"pages": 2},
            source="by hand",
            files=_TWO_PAGES,
            then=(
                ExampleCall(
                    "pdf_read_outline",
                    {"file": "{made}"},
                    {
                        "entries": [
                            {"title": "Start", "page": 1, "level": 1},
                            {"title": "Detail", "page": 2, "level": 2},
                        ]
                    },
                ),
            ),
        ),
        Refusal(
            {"file": FILE, "bookmarks": [{"title": "x", "page": 3, "level": 1}]},
            "the PDF has 2 pages",
            files=_TWO_PAGES,
        ),
    ),
    reply="The PDF with the bookmarks: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_add_outline(
    file: File,
    bookmarks: Annotated[
        list[Bookmark],
        About(
            "Bookmarks in order; each is nested under the nearest preceding one of a lower level",
            [{"title": "Chapter 1", "page": 1, "level": 1}],
            min_items=1,
            max_items=1000,
        ),
    ],
) -> MadePdf:
    """Add bookmarks (an outline) to a PDF, nested by level, after existing ones.

    Use it to make a long PDF navigable. Returns the new PDF, which shows its bookmarks when opened.
    """
    writer = writer_of(file)
    parents: list[tuple[int, Any]] = []
    for bookmark in bookmarks:
        if bookmark["page"] > len(writer.pages):
            raise ToolError(f"Page {bookmark['page']} does not exist: the PDF has {len(writer.pages)} pages.")
        while parents and parents[-1][0] >= bookmark["level"]:
            parents.pop()
        above = parents[-1][1] if parents else None
        parents.append(
            (bookmark["level"], writer.add_outline_item(bookmark["title"], bookmark["page"] - 1, parent=above))
        )
    writer.page_mode = "/UseOutlines"
    return made_pdf(writer, "bookmarked.pdf")


def plain_text(value: object) -> str | None:
    text = str(value).replace("\0", "").strip() if value is not None else ""
    return text[:5000] or None


def _moment(info: Any, name: str) -> str | None:
    """Parse a date of the metadata; None if it is invalid."""
    try:
        moment = getattr(info, name) if info is not None else None
    except ValueError:
        return None
    return moment.isoformat() if isinstance(moment, datetime) else None


def _entries(reader: PdfReader, items: Any, level: int) -> Iterator[Entry]:
    if level > _DEEPEST:
        return
    for item in items:
        if isinstance(item, list):
            yield from _entries(reader, item, level + 1)
        else:
            yield {"title": (plain_text(item.title) or "")[:300], "page": page_number_of(reader, item), "level": level}


def page_number_of(reader: PdfReader, destination: Any) -> int | None:
    try:
        index = reader.get_destination_page_number(destination)
    except (AttributeError, KeyError, ValueError, TypeError):
        return None
    return index + 1 if index is not None and index >= 0 else None
