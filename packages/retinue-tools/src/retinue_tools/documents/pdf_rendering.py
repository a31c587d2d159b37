"""PDF pages as pictures: rendering, overviews, visual comparison and blank pages."""

import io
from typing import Annotated, Literal

import pypdfium2 as pdfium
from PIL import Image, ImageChops
from pypdf import PdfWriter
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import Pages, chosen_pages, made_pdf, reader_of, refusing_damage, rendering
from retinue_tools.documents._samples import FILE, FILE_2

_MOST_PIXELS = 25_000_000
_MOST_PICTURES = 50

TWO_PAGES = {FILE: samples.encode(samples.text_pdf("Secret name\nPublic text", "two"))}
_CHANGED = {FILE_2: samples.encode(samples.text_pdf("Secret name\nPublic test", "two"))}

_BLANK = {FILE: samples.encode(samples.text_pdf("one", "", "three"))}

Dpi = Annotated[
    int, About("Dots per inch: 72 is screen size, 150 is easily readable, 300 is for print", minimum=30, maximum=300)
]


class Pictures(TypedDict):
    """Pages as pictures."""

    files: Annotated[list[OutputFile], About("One picture for each page, in order")]
    pages: Annotated[list[int], About("Numbers of the pages")]
    widths: Annotated[list[int], About("Widths in pixels")]
    heights: Annotated[list[int], About("Heights in pixels")]


class Overview(TypedDict):
    """Many pages in one picture."""

    file: OutputFile
    pages: Annotated[int, About("Number of pages shown")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]


class PageDifference(TypedDict):
    """Visual difference of a page."""

    page: Annotated[int, About("Page, counted from 1")]
    changed_percent: Annotated[float, About("Differing pixels in percent; 100 if one PDF lacks the page")]


class Looks(TypedDict):
    """Visual differences between two PDFs."""

    same_looks: Annotated[bool, About("Whether no page differs")]
    differences: Annotated[list[PageDifference], About("Pages that differ")]
    files: Annotated[
        list[OutputFile], About("Pictures of the first 20 differing pages that exist in both, with changes in red")
    ]


class Trimmed(TypedDict):
    """A PDF without blank pages."""

    file: OutputFile
    pages: Annotated[int, About("Number of remaining pages")]
    removed: Annotated[list[int], About("Removed blank pages, by their old numbers")]


@tool(
    tags="pdf render image png jpeg picture convert page screenshot dpi",
    use_when=(
        "Convert this PDF to PNG images",
        "Show me page 3 of the PDF as a picture",
        "Make JPEGs of the slides at 150 dpi",
        "PDF to JPG",
    ),
    examples=(
        Example(
            {"file": FILE, "dpi": 72},
            {"files": ["page-1.png", "page-2.png"], "pages": [1, 2], "widths": [612, 612], "heights": [792, 792]},
            source="a Letter page has 612 by 792 points, and at 72 dpi as many pixels",
            files=TWO_PAGES,
        ),
        Example(
            {"file": FILE, "dpi": 144, "pages": "2", "image_format": "jpeg"},
            {"files": ["page-2.jpg"], "widths": [1224], "heights": [1584]},
            source="twice as many",
            files=TWO_PAGES,
        ),
        Refusal({"file": FILE, "pages": "3"}, "the PDF has 2 pages", files=TWO_PAGES),
    ),
    reply={
        "files.1": "The pages as pictures: {files}",
        "": "The page as a picture: {files.0}",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def pdf_render_pages(
    file: File,
    pages: Pages = "",
    dpi: Dpi = 150,
    image_format: Annotated[Literal["png", "jpeg"], About("png is sharp, jpeg is smaller for photographs")] = "png",
) -> Pictures:
    """Render pages of a PDF as PNG or JPEG pictures, as a browser shows them.

    Use it to view a PDF, or to pass its pages to a vision model. Returns one picture for each page, at most 50.
    """
    files: list[str] = []
    sizes: list[tuple[int, int]] = []
    with rendering(file) as document:
        indexes = chosen_pages(pages, len(document))
        if len(indexes) > _MOST_PICTURES:
            raise ToolError(f"That is {len(indexes)} pages; the maximum is {_MOST_PICTURES}. Choose fewer pages.")
        for index in indexes:
            picture = picture_of(document[index], dpi / 72)
            name = f"page-{index + 1}.{'jpg' if image_format == 'jpeg' else 'png'}"
            files.append(save(name, encode_picture(picture, image_format)))
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
            files=TWO_PAGES,
        ),
        Example(
            {"file": FILE, "columns": 1, "pages": "2"},
            {"pages": 1, "width": 220},
            source="200 pixels and 10 at either side",
            files=TWO_PAGES,
        ),
        Refusal({"file": FILE, "pages": "7-9"}, "the PDF has 2 pages", files=TWO_PAGES),
    ),
    reply="An overview of {pages|page}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def pdf_render_thumbnails(
    file: File,
    pages: Pages = "",
    columns: Annotated[int, About("Pages per row", minimum=1, maximum=10)] = 5,
    thumbnail_width: Annotated[int, About("Width of each in pixels", minimum=50, maximum=400)] = 200,
) -> Overview:
    """Make one picture with small images of the pages of a PDF.

    Use it for a preview or to see the structure of a document at a glance. Shows the first 100 of the selected pages.
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
    name = save("overview.png", encode_picture(sheet, "png"))
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
            files=TWO_PAGES,
        ),
        Example(
            {"file": FILE, "other_file": FILE_2, "dpi": 72},
            {"same_looks": False, "files": ["changes-1.png"]},
            source="one letter of page 1 differs",
            files=TWO_PAGES | _CHANGED,
        ),
        Refusal({"file": FILE, "other_file": FILE_2}, "not a PDF", files=TWO_PAGES | {FILE_2: samples.encode("x")}),
    ),
    reply={
        "same_looks": "Both PDFs look the same.",
        "differences": "The PDFs differ on these pages: {differences}",
        "": "The PDFs do not look the same.",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def pdf_compare_looks(
    file: File, other_file: Annotated[File, About("ID of the PDF to compare with", FILE_2)], dpi: Dpi = 72
) -> Looks:
    """Compare how two PDFs look, page by page and pixel by pixel.

    Use it for drawings, layouts and scans; pdf_compare_text compares words. Returns the pages that differ, by how much,
    and pictures with the changes in red, for the first 100 pages.
    """
    differences: list[PageDifference] = []
    files: list[str] = []
    with rendering(file) as first, rendering(other_file) as second:
        for index in range(min(max(len(first), len(second)), 100)):
            if index >= min(len(first), len(second)):
                differences.append({"page": index + 1, "changed_percent": 100.0})
                continue
            before, after = picture_of(first[index], dpi / 72), picture_of(second[index], dpi / 72)
            changed, picture = _changes(before, after)
            if changed:
                differences.append({"page": index + 1, "changed_percent": changed})
                if len(files) < 20:
                    files.append(save(f"changes-{index + 1}.png", encode_picture(picture, "png")))
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
                ExampleCall(
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
            files=TWO_PAGES,
        ),
        Refusal(
            {"file": FILE}, "All pages would count as blank", files={FILE: samples.encode(samples.text_pdf("", ""))}
        ),
    ),
    reply={
        "removed.1": "I removed the blank pages {removed}; {pages} are left: {file}",
        "removed": "I removed the blank page {removed}; {pages} are left: {file}",
        "": "No page is blank: {file}",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
@refusing_damage()
def pdf_remove_blank_pages(
    file: File,
    ink_percent: Annotated[float, About("Maximum share of dark pixels of a blank page", minimum=0, maximum=5)] = 0.01,
) -> Trimmed:
    """Remove the blank pages of a PDF, including scans, whose paper is never quite white.

    Use it after scanning stacks on both sides; increase ink_percent if pages with specks are kept. Returns the new PDF
    and the removed pages.
    """
    with rendering(file) as document:
        inks = [_ink(page) for page in document]
    pages = [index for index, ink in enumerate(inks) if ink > ink_percent]
    if not pages:
        raise ToolError("All pages would count as blank. Lower ink_percent.")
    writer = PdfWriter()
    writer.append(reader_of(file), pages=pages, import_outline=False)
    removed = sorted({index + 1 for index in range(len(inks))} - {index + 1 for index in pages})
    result = made_pdf(writer, "without-blanks.pdf")
    return {"file": result["file"], "pages": result["pages"], "removed": removed}


def picture_of(page: pdfium.PdfPage, scale: float) -> Image.Image:
    """Render a page on white, at a lower resolution if it is huge."""
    width, height = page.get_size()
    pixels = width * height * scale**2
    return page.render(scale=scale * min(1.0, (_MOST_PIXELS / max(pixels, 1)) ** 0.5)).to_pil().convert("RGB")


def _thumbnail(page: pdfium.PdfPage, width: int) -> Image.Image:
    """Render a page at the requested width, and at most four times as high."""
    scale = width / max(page.get_width(), 1)
    return picture_of(page, scale).resize((width, max(1, min(round(page.get_height() * scale), 4 * width))))


def encode_picture(picture: Image.Image, kind: str) -> bytes:
    target = io.BytesIO()
    picture.save(target, kind.upper(), **({"quality": 88} if kind == "jpeg" else {}))
    return target.getvalue()


def _changes(before: Image.Image, after: Image.Image) -> tuple[float, Image.Image]:
    """Return how much of a page differs, in percent, and the new page in grey with the changes in red."""
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
    """Return the share of dark pixels in percent, at 50 dots per inch and without the outermost 3 %, where scanners
    shade.
    """
    grey = picture_of(page, 50 / 72).convert("L")
    x, y = round(grey.width * 0.03), round(grey.height * 0.03)
    inner = grey.crop((x, y, max(grey.width - x, x + 1), max(grey.height - y, y + 1)))
    return float(100 * sum(inner.histogram()[:200]) / (inner.width * inner.height))
