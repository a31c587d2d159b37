"""PDF pages as pictures: rendering, overviews, visual comparison, blank pages, redaction."""

import io
from collections.abc import Sequence
from typing import Annotated, Literal

import pypdfium2 as pdfium
from PIL import Image, ImageChops, ImageDraw
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, File, MadeFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import (
    Page,
    Pages,
    chosen_pages,
    made_pdf,
    reader_of,
    refusing_damage,
    rendering,
)
from retinue_tools.documents._samples import FILE, FILE_2, FIRST_PAGE

_MOST_PIXELS = 25_000_000
_MOST_PICTURES = 50
_REDACTED_DPI = 200
_LEFT_OUT = ("/Annots", "/AA", "/Metadata", "/PieceInfo", "/B", "/StructParents", "/Thumb")
"""Entries of a page that are no part of its content (ISO 32000-1, table 30)."""

_TWO = {FILE: samples.encode(samples.text_pdf("Secret name\nPublic text", "two"))}
_CHANGED = {FILE_2: samples.encode(samples.text_pdf("Secret name\nPublic test", "two"))}
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
"""Both pages draw a form with a name."""

_BLANK = {FILE: samples.encode(samples.text_pdf("one", "", "three"))}

Dpi = Annotated[
    int, About("Dots per inch: 72 is screen size, 150 good to read, 300 for print", minimum=30, maximum=300)
]
Share = Annotated[float, About("Points (1/72 inch)", 72, minimum=-10_000, maximum=100_000)]


class Pictures(TypedDict):
    """Pages as pictures."""

    files: Annotated[list[MadeFile], About("One picture for each page, in order")]
    pages: Annotated[list[int], About("Which pages they show")]
    widths: Annotated[list[int], About("Their widths in pixels")]
    heights: Annotated[list[int], About("Their heights in pixels")]


class Overview(TypedDict):
    """Many pages in one picture."""

    file: MadeFile
    pages: Annotated[int, About("How many pages it shows")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]


class PageDifference(TypedDict):
    """How differently a page looks."""

    page: Annotated[int, About("Page, counted from 1")]
    changed_percent: Annotated[float, About("Pixels that differ, in percent; 100 where one PDF lacks the page")]


class Looks(TypedDict):
    """How differently two PDFs look."""

    same_looks: Annotated[bool, About("Whether no page differs")]
    differences: Annotated[list[PageDifference], About("The pages that differ")]
    files: Annotated[list[MadeFile], About("For the first 20 of them that both have: the page, changes in red")]


class Trimmed(TypedDict):
    """A PDF without its blank pages."""

    file: MadeFile
    pages: Annotated[int, About("How many pages are left")]
    removed: Annotated[list[int], About("Pages that were blank, by their old numbers")]


class Area(TypedDict):
    """A rectangle of a page, in points (1/72 inch) from its left and top edge."""

    page: Page
    left: Share
    top: Share
    right: Share
    bottom: Share


class Redacted(TypedDict):
    """A PDF from which content was removed."""

    file: MadeFile
    pages: Annotated[int, About("How many pages it has")]
    redacted_pages: Annotated[list[int], About("Pages that are pictures now, their text gone")]
    areas: Annotated[int, About("How many places were blackened")]


@tool(
    tags="pdf render image png jpeg picture convert page screenshot dpi",
    use_when=(
        "Convert this PDF to PNG images",
        "Show me page 3 of the PDF as a picture",
        "Make JPEGs of the slides at 150 dpi",
    ),
    examples=(
        Example(
            {"file": FILE, "dpi": 72},
            {"files": ["page-1.png", "page-2.png"], "pages": [1, 2], "widths": [612, 612], "heights": [792, 792]},
            source="a Letter page has 612 by 792 points, and at 72 dpi as many pixels",
            files=_TWO,
        ),
        Example(
            {"file": FILE, "dpi": 144, "pages": "2", "image_format": "jpeg"},
            {"files": ["page-2.jpg"], "widths": [1224], "heights": [1584]},
            source="twice as many",
            files=_TWO,
        ),
        Refusal({"file": FILE, "pages": "3"}, "the PDF has 2 pages", files=_TWO),
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def pdf_render_pages(
    file: File,
    pages: Pages = "",
    dpi: Dpi = 150,
    image_format: Annotated[Literal["png", "jpeg"], About("png is sharp, jpeg smaller for photographs")] = "png",
) -> Pictures:
    """Render pages of a PDF as PNG or JPEG pictures, as a browser shows them.

    Use it to look at a PDF, or to hand its pages to a model that sees. Returns one picture for each page, at most 50.
    """
    files: list[str] = []
    sizes: list[tuple[int, int]] = []
    with rendering(file) as document:
        indexes = chosen_pages(pages, len(document))
        if len(indexes) > _MOST_PICTURES:
            raise ToolError(f"That is {len(indexes)} pages; at most {_MOST_PICTURES} are rendered. Name fewer pages.")
        for index in indexes:
            picture = _picture(document[index], dpi / 72)
            name = f"page-{index + 1}.{'jpg' if image_format == 'jpeg' else 'png'}"
            files.append(save(name, _encode(picture, image_format)))
            sizes.append(picture.size)
    return {
        "files": files,
        "pages": [index + 1 for index in indexes],
        "widths": [size[0] for size in sizes],
        "heights": [size[1] for size in sizes],
    }


@tool(
    tags="pdf thumbnails overview contact sheet preview pages image small",
    use_when=(
        "Show an overview of all pages of this PDF",
        "Make thumbnails of the slides in one picture",
        "Give me a preview of the document",
    ),
    examples=(
        Example(
            {"file": FILE, "columns": 2, "thumbnail_width": 100},
            {"pages": 2, "file": "overview.png", "width": 230, "height": 149},
            source="two of 100 by 129 pixels (792 / 612), 10 pixels around each: 3 * 10 + 200 by 2 * 10 + 129",
            files=_TWO,
        ),
        Example(
            {"file": FILE, "columns": 1, "pages": "2"},
            {"pages": 1, "width": 220},
            source="200 pixels and 10 at either side",
            files=_TWO,
        ),
        Refusal({"file": FILE, "pages": "7-9"}, "the PDF has 2 pages", files=_TWO),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def pdf_render_thumbnails(
    file: File,
    pages: Pages = "",
    columns: Annotated[int, About("Pages side by side", minimum=1, maximum=10)] = 5,
    thumbnail_width: Annotated[int, About("Width of each in pixels", minimum=50, maximum=400)] = 200,
) -> Overview:
    """Make one picture with small images of the pages of a PDF.

    Use it for a preview or to see the structure of a document at a glance. Shows the first 100 of the pages named.
    """
    gap = 10
    with rendering(file) as document:
        indexes = chosen_pages(pages, len(document))[:100]
        small = [_thumbnail(document[index], thumbnail_width) for index in indexes]
    rows = [small[start : start + columns] for start in range(0, len(small), columns)]
    across = min(columns, len(small))
    heights = [max(picture.height for picture in row) + gap for row in rows]
    sheet = Image.new("RGB", (across * (thumbnail_width + gap) + gap, sum(heights) + gap), "#cbd2d9")
    for row_number, row in enumerate(rows):
        for column, picture in enumerate(row):
            sheet.paste(picture, (gap + column * (thumbnail_width + gap), gap + sum(heights[:row_number])))
    name = save("overview.png", _encode(sheet, "png"))
    return {"file": name, "pages": len(small), "width": sheet.width, "height": sheet.height}


@tool(
    tags="pdf compare visual look pixel difference layout versions images",
    use_when=(
        "Do these two PDFs look the same?",
        "Which pages of the layout changed?",
        "Show the visual differences of two drawings",
    ),
    examples=(
        Example(
            {"file": FILE, "other_file": FILE},
            {"same_looks": True, "differences": [], "files": []},
            source="a file is like itself",
            files=_TWO,
        ),
        Example(
            {"file": FILE, "other_file": FILE_2, "dpi": 72},
            {"same_looks": False, "files": ["changes-1.png"]},
            source="one letter of page 1 differs",
            files=_TWO | _CHANGED,
        ),
        Refusal({"file": FILE, "other_file": FILE_2}, "not a PDF", files=_TWO | {FILE_2: samples.encode("x")}),
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def pdf_compare_looks(
    file: File, other_file: Annotated[File, About("Id of the PDF to compare with", FILE_2)], dpi: Dpi = 72
) -> Looks:
    """Compare how two PDFs look, page by page and pixel by pixel.

    Use it for drawings, layouts and scans; pdf_compare_text compares words. Returns the pages that differ, by how
    much, and pictures with the changes in red; of the first 100 pages.
    """
    differences: list[PageDifference] = []
    files: list[str] = []
    with rendering(file) as first, rendering(other_file) as second:
        for index in range(min(max(len(first), len(second)), 100)):
            if index >= min(len(first), len(second)):
                differences.append({"page": index + 1, "changed_percent": 100.0})
                continue
            before, after = _picture(first[index], dpi / 72), _picture(second[index], dpi / 72)
            changed, shown = _changes(before, after)
            if changed:
                differences.append({"page": index + 1, "changed_percent": changed})
                if len(files) < 20:
                    files.append(save(f"changes-{index + 1}.png", _encode(shown, "png")))
    return {"same_looks": not differences, "differences": differences, "files": files}


@tool(
    tags="pdf blank empty pages remove delete scan clean duplex",
    use_when=(
        "Remove the empty pages from this scan",
        "Which pages of the PDF are blank?",
        "Delete blank back sides",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"pages": 2, "removed": [2]},
            source="the second page was written without content",
            files=_BLANK,
            then=(
                Call(
                    "pdf_extract_text",
                    {"file": "{made}"},
                    {"pages": [{"page": 1, "text": "one"}, {"page": 2, "text": "three"}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "ink_percent": 0},
            {"pages": 2, "removed": []},
            source="no page is blank",
            files=_TWO,
        ),
        Refusal({"file": FILE}, "every page is blank", files={FILE: samples.encode(samples.text_pdf("", ""))}),
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
@refusing_damage()
def pdf_remove_blank_pages(
    file: File,
    ink_percent: Annotated[
        float, About("A page with at most this share of dark pixels counts as blank", minimum=0, maximum=5)
    ] = 0.01,
) -> Trimmed:
    """Remove the blank pages of a PDF, scans too, whose paper is never quite white.

    Use it after scanning stacks on both sides; raise ink_percent where specks keep pages. Returns the new PDF and
    which pages were blank.
    """
    with rendering(file) as document:
        inks = [_ink(page) for page in document]
    kept = [index for index, ink in enumerate(inks) if ink > ink_percent]
    if not kept:
        raise ToolError("By that measure every page is blank. Lower ink_percent.")
    writer = PdfWriter()
    writer.append(reader_of(file), pages=kept, import_outline=False)
    removed = sorted({index + 1 for index in range(len(inks))} - {index + 1 for index in kept})
    made = made_pdf(writer, "without-blanks.pdf")
    return {"file": made["file"], "pages": made["pages"], "removed": removed}


@tool(
    tags="pdf redact black out censor remove text names sensitive privacy words",
    use_when=(
        "Black out every mention of this name in the PDF",
        "Redact the account number before I share the document",
        "Remove sensitive words for good",
    ),
    examples=(
        Example(
            {"file": FILE, "texts": ["Secret name"]},
            {"redacted_pages": [1], "areas": 1, "pages": 2},
            source="by hand: that page holds no text any more, the other is as it was",
            files=_TWO,
            then=(
                Call(
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
            files=_TWO,
        ),
        Example(
            {"file": FILE, "texts": ["Secret name"]},
            {"redacted_pages": [1, 2], "areas": 2},
            source="by hand: what pages share is found on each",
            files=_SHARED,
            then=(Call("pdf_search_text", {"file": "{made}", "query": "Secret"}, {"count": 0}),),
        ),
        Refusal({"file": FILE, "texts": ["absent"]}, "None of the texts", files=_TWO),
    ),
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
        About("What to remove wherever it stands", ["Secret name"], min_items=1, max_items=50),
    ],
    match_case: Annotated[bool, About("Tell capital from small letters")] = False,
) -> Redacted:
    """Redact words in a PDF so that they cannot be recovered: each page with a match becomes a picture with black bars.

    Use it before sharing documents. Notes, links, form fields, attachments, bookmarks and metadata go from all pages.
    Words within scanned pictures are not found: use pdf_redact_areas for them.
    """
    areas: list[Area] = []
    with rendering(file) as document:
        for number, page in enumerate(document, 1):
            for text in texts:
                areas += _places(page, number, text, match_case=match_case)
    if not areas:
        raise ToolError("None of the texts is in the PDF. pdf_search_text shows what is found.")
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
            files=_TWO,
            then=(Call("pdf_search_text", {"file": "{made}", "query": "Secret"}, {"count": 0}),),
        ),
        Refusal(
            {"file": FILE, "areas": [{"page": 3, "left": 0, "top": 0, "right": 9, "bottom": 9}]},
            "the PDF has 2 pages",
            files=_TWO,
        ),
    ),
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
            "Rectangles to blacken, as pdf_search_text gives them",
            [{"page": 1, "left": 60, "top": 55, "right": 200, "bottom": 80}],
            min_items=1,
            max_items=500,
        ),
    ],
) -> Redacted:
    """Redact rectangles of a PDF so that nothing below them can be recovered: their pages become pictures.

    Use it for signatures, photographs and scans. Notes, links, form fields, attachments, bookmarks and metadata go
    from all pages. Returns the new PDF.
    """
    for area in areas:
        if area["right"] <= area["left"] or area["bottom"] <= area["top"]:
            raise ToolError("An area is empty: right must lie right of left, and bottom below top.")
    return _redact(file, areas)


def _picture(page: pdfium.PdfPage, scale: float) -> Image.Image:
    """A page on white, in fewer pixels where it is huge."""
    width, height = page.get_size()
    pixels = width * height * scale**2
    return page.render(scale=scale * min(1.0, (_MOST_PIXELS / max(pixels, 1)) ** 0.5)).to_pil().convert("RGB")


def _thumbnail(page: pdfium.PdfPage, width: int) -> Image.Image:
    """A page as wide as asked for, and at most four times as high."""
    scale = width / max(page.get_width(), 1)
    return _picture(page, scale).resize((width, max(1, min(round(page.get_height() * scale), 4 * width))))


def _encode(picture: Image.Image, kind: str) -> bytes:
    target = io.BytesIO()
    picture.save(target, kind.upper(), **({"quality": 88} if kind == "jpeg" else {}))
    return target.getvalue()


def _changes(before: Image.Image, after: Image.Image) -> tuple[float, Image.Image]:
    """How much of a page differs, in percent, and the new page in grey with the changes in red."""
    size = max(before.width, after.width), max(before.height, after.height)
    sheets = [Image.new("RGB", size, "white") for _ in range(2)]
    for sheet, picture in zip(sheets, (before, after), strict=True):
        sheet.paste(picture)
    changed = ImageChops.difference(*sheets).convert("L").point(lambda level: 255 if level > 32 else 0)
    share = 100 * changed.histogram()[255] / (size[0] * size[1])
    grey = sheets[1].convert("L").point(lambda level: 128 + level // 2).convert("RGB")
    grey.paste((214, 40, 40), mask=changed)
    return (max(round(share, 3), 0.001) if share else 0.0), grey


def _ink(page: pdfium.PdfPage) -> float:
    """The share of dark pixels in percent, at 50 dots per inch and without the outermost 3 %, where scanners shade."""
    grey = _picture(page, 50 / 72).convert("L")
    x, y = round(grey.width * 0.03), round(grey.height * 0.03)
    inner = grey.crop((x, y, max(grey.width - x, x + 1), max(grey.height - y, y + 1)))
    return float(100 * sum(inner.histogram()[:200]) / (inner.width * inner.height))


def _places(page: pdfium.PdfPage, number: int, text: str, *, match_case: bool) -> list[Area]:
    """Where a text stands on a page, one rectangle for each line that it runs over."""
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
    """Build a PDF anew from the content of the untouched pages and pictures of the others; nothing else comes along."""
    reader, writer = reader_of(file), PdfWriter()
    pages = sorted({chosen_pages(str(area["page"]), len(reader.pages))[0] for area in areas})
    if "/OCProperties" in reader.root_object:
        # Layers that are off would come to light without the entry that turns them off.
        pages = list(range(len(reader.pages)))
    with rendering(file) as document:
        for index, page in enumerate(reader.pages):
            if index in pages:
                writer.add_page(_blacken(document[index], [area for area in areas if area["page"] == index + 1]))
            else:
                _drop_unused(writer.add_page(page, excluded_keys=_LEFT_OUT))
    writer.metadata = None
    writer.compress_identical_objects(remove_duplicates=False, remove_unreferenced=True)
    made = made_pdf(writer, "redacted.pdf")
    return {
        "file": made["file"],
        "pages": made["pages"],
        "redacted_pages": [index + 1 for index in pages],
        "areas": len(areas),
    }


def _drop_unused(page: PageObject) -> None:
    """Take from a page what it does not draw: pages may share resources, among them those of pages now blackened."""
    resources, content = DictionaryObject(page.get("/Resources", {})), page.get_contents()
    drawn = {operands[0] for operands, operator in content.operations if operator == b"Do"} if content else set()
    objects = resources.get("/XObject", DictionaryObject()).get_object()
    kept = {NameObject(name): objects.raw_get(name) for name in objects if name in drawn}
    resources[NameObject("/XObject")] = DictionaryObject(kept)
    page[NameObject("/Resources")] = resources


def _blacken(page: pdfium.PdfPage, areas: Sequence[Area]) -> PageObject:
    """A page that is a picture of another with black rectangles, a point wider than asked for at each side."""
    width, height = page.get_size()
    picture = _picture(page, _REDACTED_DPI / 72)
    x, y = picture.width / width, picture.height / height
    pen = ImageDraw.Draw(picture)
    for area in areas:
        left, top = max((area["left"] - 1) * x, -1), max((area["top"] - 1) * y, -1)
        right, bottom = min((area["right"] + 1) * x, picture.width), min((area["bottom"] + 1) * y, picture.height)
        if left < right and top < bottom:
            pen.rectangle((left, top, right, bottom), fill="black")
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(width, height))
    canvas.drawImage(ImageReader(io.BytesIO(_encode(picture, "jpeg"))), 0, 0, width, height)
    canvas.showPage()
    canvas.save()
    return PdfReader(target).pages[0]
