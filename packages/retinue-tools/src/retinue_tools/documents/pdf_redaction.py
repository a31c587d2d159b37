"""Redaction of text and areas on PDF pages."""

import io
from collections.abc import Sequence
from typing import Annotated

import pypdfium2 as pdfium
from PIL import ImageDraw
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import Page, chosen_pages, made_pdf, reader_of, refusing_damage, rendering
from retinue_tools.documents._samples import FILE, FIRST_PAGE
from retinue_tools.documents.pdf_rendering import TWO_PAGES, encode_picture, picture_of

_REDACTED_DPI = 200
_LEFT_OUT = ("/Annots", "/AA", "/Metadata", "/PieceInfo", "/B", "/StructParents", "/Thumb")
"""Entries of a page that are not part of its content (ISO 32000-1, table 30)."""

_SHARED = {
    FILE: samples.encode(
        samples.text_pdf(
            "one", "two", resources=f"/XObject << /Fm0 {FIRST_PAGE + 4} 0 R >>", graphics="/Fm0 Do",
            more=[
                samples.stream(
                    "BT /F1 12 Tf 72 500 Td (Secret name) Tj ET",
                    "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>",
                )
            ],
        )
    )
}  # fmt: skip
"""Two pages that draw the same form with a name."""

Share = Annotated[float, About("Points (1/72 inch)", 72, minimum=-10_000, maximum=100_000)]


class Area(TypedDict):
    """A rectangle of a page, in points (1/72 inch) from its left and top edge."""

    page: Page
    left: Share
    top: Share
    right: Share
    bottom: Share


class Redacted(TypedDict):
    """A redacted PDF."""

    file: OutputFile
    pages: Annotated[int, About("Number of pages")]
    redacted_pages: Annotated[list[int], About("Pages that were converted to pictures, without text")]
    areas: Annotated[int, About("Number of redacted places")]


@tool(
    tags="pdf redact black out censor remove text names sensitive privacy words",
    use_when=(
        "Black out every mention of this name in the PDF",
        "Redact the account number before I share the document",
        "Remove sensitive words for good",
        "Black out names in a PDF",
    ),
    examples=(
        Example(
            {"file": FILE, "texts": ["Secret name"]},
            {"redacted_pages": [1], "areas": 1, "pages": 2},
            source="by hand: that page holds no text any more, the other is as it was",
            files=TWO_PAGES,
            then=(
                ExampleCall(
                    "pdf_extract_text",
                    {"file": "{made}"},
                    {"pages": [{"page": 1, "text": ""}, {"page": 2, "text": "two"}], "pages_without_text": [1]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "texts": ["public", "two"], "match_case": False},
            {"redacted_pages": [1, 2], "areas": 2},
            source="by hand",
            files=TWO_PAGES,
        ),
        Example(
            {"file": FILE, "texts": ["Secret name"]},
            {"redacted_pages": [1, 2], "areas": 2},
            source="by hand: what pages share is found on each",
            files=_SHARED,
            then=(ExampleCall("pdf_search_text", {"file": "{made}", "query": "Secret"}, {"count": 0}),),
        ),
        Refusal({"file": FILE, "texts": ["absent"]}, "None of the texts", files=TWO_PAGES),
    ),
    reply={
        "areas": "I redacted {areas|place}: {file}",
        "": "The text does not occur in the PDF: {file}",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
@refusing_damage()
def pdf_redact_text(
    file: File,
    texts: Annotated[
        list[Annotated[str, About("Word or phrase", "Secret name", min_length=2, max_length=200)]],
        About("Texts to remove everywhere", ["Secret name"], min_items=1, max_items=50),
    ],
    match_case: Annotated[bool, About("Whether to match case")] = False,
) -> Redacted:
    """Redact words in a PDF so that they cannot be recovered: each page with a match becomes a picture with black bars.

    Use it before sharing documents. Notes, links, form fields, attachments, bookmarks and metadata are removed from all
    pages. Words within scanned pictures are not found: use pdf_redact_areas for them.
    """
    areas: list[Area] = []
    with rendering(file) as document:
        for number, page in enumerate(document, 1):
            for text in texts:
                areas += _places(page, number, text, match_case=match_case)
    if not areas:
        raise ToolError("None of the texts is in the PDF. Use pdf_search_text to check.")
    return _redact(file, areas)


@tool(
    tags="pdf redact area rectangle black out censor remove box scan signature",
    use_when=(
        "Black out the signature at the bottom of page 2",
        "Redact this rectangle of the scan",
        "Cover the photo for good",
    ),
    examples=(
        Example(
            {"file": FILE, "areas": [{"page": 1, "left": 60, "top": 55, "right": 200, "bottom": 80}]},
            {"redacted_pages": [1], "areas": 1},
            source="by hand",
            files=TWO_PAGES,
            then=(ExampleCall("pdf_search_text", {"file": "{made}", "query": "Secret"}, {"count": 0}),),
        ),
        Refusal(
            {"file": FILE, "areas": [{"page": 3, "left": 0, "top": 0, "right": 9, "bottom": 9}]},
            "the PDF has 2 pages",
            files=TWO_PAGES,
        ),
    ),
    reply="I redacted {areas|place}: {file}",
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
@refusing_damage()
def pdf_redact_areas(
    file: File,
    areas: Annotated[
        list[Area],
        About(
            "Rectangles to redact, as returned by pdf_search_text",
            [{"page": 1, "left": 60, "top": 55, "right": 200, "bottom": 80}],
            min_items=1,
            max_items=500,
        ),
    ],
) -> Redacted:
    """Redact rectangles of a PDF so that nothing below them can be recovered: their pages become pictures.

    Use it for signatures, photographs and scans. Notes, links, form fields, attachments, bookmarks and metadata are
    removed from all pages. Returns the new PDF.
    """
    for area in areas:
        if area["right"] <= area["left"] or area["bottom"] <= area["top"]:
            raise ToolError("An area is empty: right must be greater than left, and bottom greater than top.")
    return _redact(file, areas)


def _places(page: pdfium.PdfPage, number: int, text: str, *, match_case: bool) -> list[Area]:
    """Return the positions of a text on a page, one rectangle for each line."""
    content = page.get_textpage()
    searcher = content.search(text, match_case=match_case)
    left, _, _, top = page.get_bbox()
    found: list[Area] = []
    while place := searcher.get_next():
        for rectangle in range(content.count_rects(*place)):
            x, y, right, above = content.get_rect(rectangle)
            found.append(
                {"page": number, "left": x - left, "top": top - above, "right": right - left, "bottom": top - y}
            )
    return found


def _redact(file: str, areas: Sequence[Area]) -> Redacted:
    """Build a new PDF from the content of the untouched pages and pictures of the others; nothing else is kept."""
    reader, writer = reader_of(file), PdfWriter()
    pages = sorted({chosen_pages(str(area["page"]), len(reader.pages))[0] for area in areas})
    if "/OCProperties" in reader.root_object:
        # Layers that are off would become visible without the entry that turns them off.
        pages = list(range(len(reader.pages)))
    with rendering(file) as document:
        for index, page in enumerate(reader.pages):
            if index in pages:
                writer.add_page(_blacken(document[index], [area for area in areas if area["page"] == index + 1]))
            else:
                _drop_unused(writer.add_page(page, excluded_keys=_LEFT_OUT))
    writer.metadata = None
    writer.compress_identical_objects(remove_duplicates=False, remove_unreferenced=True)
    result = made_pdf(writer, "redacted.pdf")
    return {
        "file": result["file"],
        "pages": result["pages"],
        "redacted_pages": [index + 1 for index in pages],
        "areas": len(areas),
    }


def _drop_unused(page: PageObject) -> None:
    """Remove unused resources from a page: pages may share resources, including those of redacted pages."""
    resources, content = DictionaryObject(page.get("/Resources", {})), page.get_contents()
    drawn = {operands[0] for operands, operator in content.operations if operator == b"Do"} if content else set()
    objects = resources.get("/XObject", DictionaryObject()).get_object()
    used = {NameObject(name): objects.raw_get(name) for name in objects if name in drawn}
    resources[NameObject("/XObject")] = DictionaryObject(used)
    page[NameObject("/Resources")] = resources


def _blacken(page: pdfium.PdfPage, areas: Sequence[Area]) -> PageObject:
    """Return a page that is a picture of another with black rectangles, a point larger on each side."""
    width, height = page.get_size()
    picture = picture_of(page, _REDACTED_DPI / 72)
    x, y = picture.width / width, picture.height / height
    pen = ImageDraw.Draw(picture)
    for area in areas:
        left, top = max((area["left"] - 1) * x, -1), max((area["top"] - 1) * y, -1)
        right, bottom = min((area["right"] + 1) * x, picture.width), min((area["bottom"] + 1) * y, picture.height)
        if left < right and top < bottom:
            pen.rectangle((left, top, right, bottom), fill="black")
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(width, height))
    canvas.drawImage(ImageReader(io.BytesIO(encode_picture(picture, "jpeg"))), 0, 0, width, height)
    canvas.showPage()
    canvas.save()
    return PdfReader(target).pages[0]
