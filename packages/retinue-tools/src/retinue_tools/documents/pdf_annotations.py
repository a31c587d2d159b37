"""Links and annotations of PDF files."""

from collections.abc import Iterator
from typing import Annotated, Any

from pypdf import PdfReader
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import reader_of, refusing_damage, rendering
from retinue_tools.documents._samples import FILE, FIRST_PAGE
from retinue_tools.documents.pdf_forms import FIELD_ID, field_text
from retinue_tools.documents.pdf_metadata import page_number_of, plain_text

_MOST = 1000

_NOTED = {
    FILE: samples.encode(
        samples.text_pdf(
            "Mark this", page=f"/Annots [{FIELD_ID} 0 R]",
            more=[
                "<< /Type /Annot /Subtype /Highlight /Rect [72 715 130 735] /Contents (Why?) /T (Reader) "
                "/M (D:20260304050607Z) /QuadPoints [72 735 130 735 72 715 130 715] >>"
            ],
        )
    )
}  # fmt: skip


class Note(TypedDict):
    """A comment or markup in a PDF."""

    page: Annotated[int, About("Page of the annotation")]
    kind: Annotated[str, About("highlight, text (a note), freetext, underline, strikeout, ink, stamp and others")]
    author: Annotated[str | None, About("Author of the annotation")]
    comment: Annotated[str | None, About("Text of the comment")]
    marked_text: Annotated[str | None, About("Marked text")]
    modified: Annotated[str | None, About("Time of the last change, as D:YYYYMMDDhhmmss")]


class Notes(TypedDict):
    """Annotations of a PDF."""

    notes: Annotated[list[Note], About("Annotations by page, at most 1000")]
    count: Annotated[int, About("Number of listed annotations")]


@tool(
    tags="pdf annotations comments notes highlights marks review list",
    use_when=(
        "Which comments did the reviewer leave in the PDF?",
        "List everything highlighted in this document",
        "Export the notes of a PDF",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "count": 1,
                "notes": [
                    {
                        "page": 1, "kind": "highlight", "author": "Reader", "comment": "Why?",
                        "marked_text": "Mark this", "modified": "D:20260304050607Z",
                    }
                ],
            },
            source="the annotation that the page was written with (ISO 32000-1, section 12.5.6.10)",
            files=_NOTED,
        ),
        Refusal({"file": FILE}, "not a PDF", files={FILE: samples.encode("x")}),
    ),
    reply={
        "notes": "I found {count|comment or mark|comments and marks}: {notes}",
        "": "There are no comments in the PDF.",
    },
    pace="normal",
)  # fmt: skip
@refusing_damage()
def pdf_list_notes(file: File) -> Notes:
    """List the comments, highlights and other marks that people left in a PDF, with the marked text.

    Use it to collect a review. Links and form fields are not included. Returns each with page, author and text.
    """
    notes = [note for note, _ in zip(_notes(file, reader_of(file)), range(_MOST), strict=False)]
    return {"notes": notes, "count": len(notes)}


def _notes(file: str, reader: PdfReader) -> Iterator[Note]:
    with rendering(file) as document:
        for number, page in enumerate(reader.pages, 1):
            for reference in page.get("/Annots") or ():
                annotation = reference.get_object()
                kind = str(annotation.get("/Subtype", "")).removeprefix("/").lower()
                if kind in ("link", "widget", "popup", ""):
                    continue
                yield {
                    "page": number,
                    "kind": kind,
                    "author": field_text(annotation.get("/T")),
                    "comment": field_text(annotation.get("/Contents")),
                    "marked_text": _mark(document[number - 1], annotation.get("/QuadPoints") or ()),
                    "modified": field_text(annotation.get("/M")),
                }


def _mark(page: Any, corners: Any) -> str | None:
    """Return the text within the four corners of each rectangle that a mark covers."""
    values = [float(value) for value in corners]
    content = page.get_textpage()
    texts = []
    for start in range(0, len(values) - 7, 8):
        xs, ys = values[start : start + 8 : 2], values[start + 1 : start + 8 : 2]
        texts.append(content.get_text_bounded(min(xs), min(ys), max(xs), max(ys)).strip())
    return " ".join(filter(None, texts)) or None


_MOST_ENTRIES = 2000

_LINK = "<< /Type /Annot /Subtype /Link /Rect [72 715 200 735] /A << /S /URI /URI (https://example.org/tides) >> >>"
_JUMP = f"<< /Type /Annot /Subtype /Link /Rect [72 695 200 712] /Dest [{FIRST_PAGE + 2} 0 R /Fit] >>"
_LINKED = {FILE: samples.encode(samples.text_pdf("See tides", "two", page=f"/Annots [{_LINK} {_JUMP}]"))}


class Link(TypedDict):
    """Target of a link: an address or a page."""

    page: Annotated[int, About("Page with the link")]
    url: Annotated[str | None, About("Target address")]
    target_page: Annotated[int | None, About("Target page of the same PDF")]


class Links(TypedDict):
    """The links of a PDF."""

    links: Annotated[list[Link], About("Links by page, at most 2000")]
    addresses: Annotated[list[str], About("Distinct addresses, sorted")]


@tool(
    tags="pdf links urls hyperlinks addresses references list extract",
    use_when=(
        "Which websites does this PDF link to?",
        "List all hyperlinks of the document with their pages",
        "Extract the URLs from a PDF",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "links": [
                    {"page": 1, "url": "https://example.org/tides", "target_page": None},
                    {"page": 1, "url": None, "target_page": 2},
                    {"page": 2, "url": "https://example.org/tides", "target_page": None},
                    {"page": 2, "url": None, "target_page": 2},
                ],
                "addresses": ["https://example.org/tides"],
            },
            source="the link annotations that both pages were written with (ISO 32000-1, section 12.5.6.5)",
            files=_LINKED,
        ),
        Refusal({"file": FILE}, "not a PDF", files={FILE: samples.encode("no")}),
    ),
    reply={
        "links": "The links: {links}",
        "": "There are no links in the PDF.",
    },
    pace="normal",
)
@refusing_damage()
def pdf_extract_links(file: File) -> Links:
    """List the clickable links of a PDF: addresses on the web and jumps to other pages.

    Use it to collect or check a document's references. Addresses that are only text, and not links, are not found.
    """
    reader = reader_of(file)
    links = [link for link, _ in zip(_links(reader), range(_MOST_ENTRIES), strict=False)]
    return {"links": links, "addresses": sorted({link["url"] for link in links if link["url"]})}


def _links(reader: PdfReader) -> Iterator[Link]:
    numbers = {page.indirect_reference.idnum: number for number, page in enumerate(reader.pages, 1)}
    for number, page in enumerate(reader.pages, 1):
        for reference in page.get("/Annots") or ():
            annotation = reference.get_object()
            if annotation.get("/Subtype") != "/Link":
                continue
            action = annotation.get("/A", {})
            url = plain_text(action.get("/URI"))
            target = _target(reader, annotation.get("/Dest", action.get("/D")), numbers)
            if url or target:
                yield {"page": number, "url": url, "target_page": None if url else target}


def _target(reader: PdfReader, destination: Any, numbers: dict[int, int]) -> int | None:
    """Return the page of a destination, which is a list that begins with the page, or a name (ISO 32000-1, 12.3.2)."""
    if isinstance(destination, str):
        target = reader.named_destinations.get(destination)
        return page_number_of(reader, target) if target is not None else None
    if isinstance(destination, list) and destination and hasattr(destination[0], "idnum"):
        return numbers.get(destination[0].idnum)
    return None
