"""Stamps on PDF pages: watermarks, page numbers, headers, letterheads."""

import math
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Annotated, Literal

from PIL import Image, UnidentifiedImageError
from pypdf import PageObject, PdfReader
from reportlab.lib.colors import HexColor
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import (
    POINTS_PER_MM,
    MadePdf,
    Pages,
    chosen_pages,
    made_pdf,
    reader_of,
    refusing_damage,
    writer_of,
)
from retinue_tools.documents._samples import FILE, FILE_2
from retinue_tools.documents._typesetting import BOLD, SANS, missing_characters, register_fonts

_MOST_PIXELS = 30_000_000
_PLAIN = {FILE: samples.encode(samples.text_pdf("one", "two", "three"))}
_LETTERHEAD = {FILE_2: samples.encode(samples.text_pdf("\nHarbour office", "\nContinued"))}
_PICTURE = {FILE_2: samples.encode(samples.png(40, 20, (200, 30, 30)))}

Draw = Callable[[Canvas, float, float], None]
Colour = Annotated[str, About("Colour as RRGGBB", "#c0392b", pattern=r"^#[0-9A-Fa-f]{6}$", max_length=7)]
Opacity = Annotated[float, About("0 is invisible, 1 is opaque", minimum=0.02, maximum=1)]
Place = Annotated[
    Literal["bottom_center", "bottom_left", "bottom_right", "top_center", "top_left", "top_right"],
    About("Position on the page"),
]


@tool(
    tags="pdf watermark stamp draft confidential text overlay diagonal",
    use_when=(
        "Stamp 'CONFIDENTIAL' across every page",
        "Add a DRAFT watermark to the PDF",
        "Mark pages 1-3 as a copy",
    ),
    examples=(
        Example(
            {"file": FILE, "text": "DRAFT"},
            {"pages": 3},
            source="by hand: on all pages",
            files=_PLAIN,
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "DRAFT"}, {"count": 3, "pages": [1, 2, 3]}),
            ),
        ),
        Example(
            {"file": FILE, "text": "Paid", "pages": "2", "angle": 0, "color": "#1e8449", "opacity": 1},
            {"pages": 3},
            source="by hand: on that page",
            files=_PLAIN,
            then=(ExampleCall("pdf_search_text", {"file": "{made}", "query": "Paid"}, {"count": 1, "pages": [2]}),),
        ),
        Refusal({"file": FILE, "text": "機密"}, "font lacks", files=_PLAIN),
    ),
    reply="The PDF with the stamp \u201c{args.text}\u201d: {file}",
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_add_watermark(
    file: File,
    text: Annotated[str, About("Text of the stamp", "CONFIDENTIAL", min_length=1, max_length=60)],
    angle: Annotated[float, About("Degrees, counter-clockwise", minimum=-90, maximum=90)] = 45,
    color: Colour = "#808080",
    opacity: Opacity = 0.25,
    pages: Pages = "",
) -> MadePdf:
    """Stamp a text in large letters across the middle of pages of a PDF.

    Use it for marks such as draft, copy or confidential. The text is as large as the page allows at that angle.
    Returns the new PDF.
    """
    _check_characters(text)

    def draw(canvas: Canvas, width: float, height: float) -> None:
        turned = math.radians(angle)
        room = 0.8 * min(width / max(abs(math.cos(turned)), 0.01), height / max(abs(math.sin(turned)), 0.01))
        size = min(room / pdfmetrics.stringWidth(text, BOLD, 1), height / 5)
        canvas.translate(width / 2, height / 2)
        canvas.rotate(angle)
        canvas.setFillColor(HexColor(color), alpha=opacity)
        canvas.setFont(BOLD, size)
        canvas.drawCentredString(0, -size / 3, text)

    return _stamp(file, pages, lambda _: draw, "watermarked.pdf")


@tool(
    tags="pdf page numbers header footer numbering pagination bates",
    use_when=(
        "Number the pages of this PDF",
        "Add 'Page 1 of 12' at the bottom of each page",
        "Start numbering at 5 in the top right corner",
        "Stamp Bates numbers on the exhibits",
    ),
    examples=(
        Example(
            {"file": FILE, "template": "Page {page} of {pages}"},
            {"pages": 3},
            source="by hand",
            files=_PLAIN,
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Page 2 of 3"}, {"count": 1, "pages": [2]}),
            ),
        ),
        Example(
            {"file": FILE, "template": "ABC{page:06}", "first_number": 41, "position": "top_right", "pages": "2-"},
            {"pages": 3},
            source="by hand: page 2 is the first that is numbered",
            files=_PLAIN,
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "ABC000042"}, {"count": 1, "pages": [3]}),
            ),
        ),
        Refusal({"file": FILE, "template": "Page"}, "{page}", files=_PLAIN),
    ),
    reply="The numbered PDF with {pages|page}: {file}",
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_add_page_numbers(
    file: File,
    template: Annotated[
        str,
        About("Text with {page}, {page:06} for leading zeros, and {pages}", min_length=1, max_length=100),
    ] = "{page} / {pages}",
    position: Place = "bottom_center",
    first_number: Annotated[int, About("Number of the first page", minimum=0, maximum=10_000_000)] = 1,
    font_size: Annotated[float, About("Points", minimum=5, maximum=36)] = 9,
    pages: Pages = "",
) -> MadePdf:
    """Number the pages of a PDF, in any corner or the middle of an edge.

    Use it for page numbers, running titles with a number, and Bates stamps. {pages} becomes the last number. Returns
    the new PDF.
    """
    if "{page}" not in template and "{page:06}" not in template:
        raise ToolError("The template contains no {page}. Example: Page {page} of {pages}")
    _check_characters(template)
    chosen = chosen_pages(pages, len(reader_of(file).pages))
    numbers = {index: number for number, index in enumerate(chosen, first_number)}
    last = first_number + len(chosen) - 1

    def draw_on(index: int) -> Draw:
        number = numbers[index]
        text = template.replace("{page:06}", f"{number:06}").replace("{page}", str(number))
        return _line(text.replace("{pages}", str(last)), position, font_size)

    return _stamp(file, pages, draw_on, "numbered.pdf")


@tool(
    tags="pdf header footer running title text line stamp date name",
    use_when=(
        "Add a header 'Draft of 3 March' to every page",
        "Put the file reference in the footer of the PDF",
        "Write the exhibit's letter on top of its pages",
    ),
    examples=(
        Example(
            {"file": FILE, "text": "Exhibit B"},
            {"pages": 3},
            source="by hand",
            files=_PLAIN,
            then=(ExampleCall("pdf_search_text", {"file": "{made}", "query": "Exhibit B"}, {"pages": [1, 2, 3]}),),
        ),
        Example(
            {"file": FILE, "text": "Ref. 2026/17", "position": "bottom_left", "pages": "1"},
            {"pages": 3},
            source="it begins 10 mm, 28.3 points, from the left edge",
            tolerance=0.05,
            files=_PLAIN,
            then=(
                ExampleCall(
                    "pdf_search_text", {"file": "{made}", "query": "Ref. 2026/17"}, {"matches": [{"left": 29.0}]}
                ),
            ),
        ),
        Refusal({"file": FILE, "text": "x", "pages": "8"}, "the PDF has 3 pages", files=_PLAIN),
    ),
    reply="The PDF with the line on its pages: {file}",
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_add_header_footer(
    file: File,
    text: Annotated[str, About("One line of text", "Exhibit B", min_length=1, max_length=200)],
    position: Place = "top_center",
    font_size: Annotated[float, About("Points", minimum=5, maximum=36)] = 9,
    pages: Pages = "",
) -> MadePdf:
    """Write a line of text at the top or bottom of pages of a PDF.

    Use it for references, dates, names and exhibit labels; use pdf_add_page_numbers for numbers. Returns the new PDF.
    """
    _check_characters(text)
    return _stamp(file, pages, lambda _: _line(text, position, font_size), "stamped.pdf")


@tool(
    tags="pdf letterhead stationery overlay underlay background template pages",
    use_when=(
        "Put my letterhead behind this PDF",
        "Use the company stationery as background of all pages",
        "Lay one PDF over another",
    ),
    examples=(
        Example(
            {"file": FILE, "overlay_file": FILE_2},
            {"pages": 3},
            source="the second letterhead page goes on every page after the first",
            files=_PLAIN | _LETTERHEAD,
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Harbour office"}, {"pages": [1]}),
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Continued"}, {"pages": [2, 3]}),
            ),
        ),
        Example(
            {"file": FILE, "overlay_file": FILE_2, "layer": "over", "pages": "2"},
            {"pages": 3},
            source="by hand",
            files=_PLAIN | _LETTERHEAD,
            then=(ExampleCall("pdf_search_text", {"file": "{made}", "query": "Harbour office"}, {"pages": [2]}),),
        ),
        Refusal({"file": FILE, "overlay_file": FILE_2}, "not a PDF", files=_PLAIN | {FILE_2: samples.encode("no PDF")}),
    ),
    reply="The combined PDF with {pages|page}: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_overlay_pages(
    file: File,
    overlay_file: Annotated[File, About("ID of the PDF to place under or over the pages", FILE_2)],
    layer: Annotated[Literal["under", "over"], About("Whether to place it below or above the content")] = "under",
    pages: Pages = "",
) -> MadePdf:
    """Lay the pages of one PDF, such as a letterhead, under or over the pages of another.

    The first page is combined with the first, and so on; the last one is repeated for all further pages. Returns the
    new PDF.
    """
    writer, overlay = writer_of(file), reader_of(overlay_file).pages
    for position, index in enumerate(chosen_pages(pages, len(writer.pages))):
        page = writer.pages[index]
        if page.rotation:
            page.transfer_rotation_to_content()
        page.merge_page(overlay[min(position, len(overlay) - 1)], over=layer == "over")
    return made_pdf(writer, "overlaid.pdf")


@tool(
    tags="pdf stamp image logo picture signature insert place png jpeg",
    use_when=(
        "Put our logo in the top right corner of each page",
        "Insert a picture of my signature on page 3",
        "Stamp an image on the PDF",
        "Put my signature on a PDF",
        "Sign a document",
    ),
    examples=(
        Example(
            {"file": FILE, "image_file": FILE_2, "width_mm": 25.4, "left_mm": 10, "top_mm": 10, "pages": "2"},
            {"pages": 3},
            source="by hand: the picture of 40 by 20 pixels is on that page",
            files=_PLAIN | _PICTURE,
            then=(
                ExampleCall(
                    "pdf_extract_images",
                    {"file": "{made}"},
                    {"images": [{"page": 2, "width": 40, "height": 20}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "image_file": FILE_2, "width_mm": 20, "left_mm": 100, "top_mm": 200, "opacity": 0.5},
            {"pages": 3},
            source="by hand",
            files=_PLAIN | _PICTURE,
        ),
        Refusal(
            {"file": FILE, "image_file": FILE_2, "width_mm": 20, "left_mm": 1, "top_mm": 1},
            "not a readable picture",
            files=_PLAIN | _LETTERHEAD,
        ),
    ),
    reply="The PDF with the picture: {file}",
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_stamp_image(
    file: File,
    image_file: Annotated[File, About("ID of a PNG, JPEG, WebP or GIF picture", FILE_2)],
    width_mm: Annotated[float, About("Width of the picture on the page", 40, minimum=1, maximum=1000)],
    left_mm: Annotated[float, About("Distance from the left edge", 150, minimum=0, maximum=2000)],
    top_mm: Annotated[float, About("Distance from the top edge", 10, minimum=0, maximum=2000)],
    opacity: Opacity = 1,
    pages: Pages = "",
) -> MadePdf:
    """Place a picture, such as a logo or a scanned signature, on pages of a PDF.

    Its height follows from its proportions; transparency is preserved. Returns the new PDF.
    """
    picture = open_image(image_file)

    def draw(canvas: Canvas, _width: float, height: float) -> None:
        wide = width_mm * POINTS_PER_MM
        high = wide * picture.height / picture.width
        canvas.setFillAlpha(opacity)
        y = height - top_mm * POINTS_PER_MM - high
        canvas.drawImage(ImageReader(picture), left_mm * POINTS_PER_MM, y, wide, high, mask="auto")

    return _stamp(file, pages, lambda _: draw, "stamped.pdf")


def open_image(file: str) -> Image.Image:
    """Load a picture in colour with transparency. Raises `ToolError`."""
    try:
        with Image.open(Path(file), formats=("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP")) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                raise ToolError("The picture has more than 30 million pixels. Reduce its size first.")
            return picture.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ToolError("The file is not a readable picture: use PNG, JPEG, WebP, GIF, TIFF or BMP.") from error


def _check_characters(text: str) -> None:
    if lacking := missing_characters(text):
        raise ToolError(f"The font lacks {' '.join(lacking)}. Use Latin, Greek or Cyrillic letters.")


def _line(text: str, position: str, size: float) -> Draw:
    """Return a function that writes a line 10 mm from the edges."""
    vertical, _, side = position.partition("_")

    def draw(canvas: Canvas, width: float, height: float) -> None:
        canvas.setFont(SANS, size)
        canvas.setFillColor(HexColor("#333333"))
        edge = 10 * POINTS_PER_MM
        y = edge if vertical == "bottom" else height - edge - size
        if side == "left":
            canvas.drawString(edge, y, text)
        elif side == "right":
            canvas.drawRightString(width - edge, y, text)
        else:
            canvas.drawCentredString(width / 2, y, text)

    return draw


def _stamp(file: str, pages: str, draw_on: Callable[[int], Draw], name: str) -> MadePdf:
    """Draw onto pages; `draw_on` returns the drawing for the page of an index."""
    register_fonts()
    writer = writer_of(file)
    for index in chosen_pages(pages, len(writer.pages)):
        page = writer.pages[index]
        if page.rotation:
            page.transfer_rotation_to_content()
        page.merge_page(_draw(page, draw_on(index)))
    return made_pdf(writer, name)


def _draw(page: PageObject, draw: Draw) -> PageObject:
    """Return a page with only the drawing, positioned at the visible part of the other page."""
    box, target = page.cropbox, BytesIO()
    left, bottom = float(box.left), float(box.bottom)
    canvas = Canvas(target, pagesize=(float(box.right), float(box.top)))
    canvas.translate(left, bottom)
    draw(canvas, float(box.width), float(box.height))
    canvas.showPage()
    canvas.save()
    return PdfReader(target).pages[0]
