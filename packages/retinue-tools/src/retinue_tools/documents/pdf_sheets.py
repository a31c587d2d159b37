"""PDF pages on paper: cropping, scaling, several pages per sheet, booklets."""

import math
from typing import Annotated, Literal

from pypdf import PageObject, PdfWriter, Transformation
from pypdf.generic import NameObject, RectangleObject

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import (
    PAPERS_MM,
    POINTS_PER_MM,
    MadePdf,
    Pages,
    chosen_pages,
    made_pdf,
    refusing_damage,
    upright_pages,
    writer_of,
)
from retinue_tools.documents._samples import FILE

_THREE = {FILE: samples.encode(samples.text_pdf("one", "two", "three"))}
_GRIDS = {2: (2, 1), 4: (2, 2), 6: (3, 2), 8: (4, 2), 9: (3, 3), 16: (4, 4)}
"""Columns and rows for a number of portrait pages; with more columns than rows, the sheet is in landscape orientation.

"""

Paper = Annotated[Literal["A3", "A4", "A5", "Letter", "Legal"], About("Size of the paper")]
Margin = Annotated[float, About("Millimetres to cut off", 10, minimum=0, maximum=2000)]
Box = tuple[float, float, float, float]
"""Left, bottom, width and height in points."""


def _size(page: int, width: float, height: float) -> ExampleCall:
    """Return a check that a page of the result has this size in points."""
    where = {"file": "{made}", "page": page, "left": 0, "top": 0, "right": 1, "bottom": 1}
    return ExampleCall("pdf_extract_region", where, {"page_width": width, "page_height": height})


@tool(
    tags="pdf crop trim margins cut border edges",
    use_when=(
        "Cut 10 mm off all edges of the PDF",
        "Trim the white margins of these pages",
        "Remove the header strip of 20 mm from each page",
    ),
    examples=(
        Example(
            {"file": FILE, "left_mm": 25.4, "top_mm": 12.7},
            {"pages": 3},
            source="Letter is 612 by 792 points; an inch has 25.4 mm and 72 points",
            files=_THREE,
            then=(_size(1, 540.0, 756.0),),
        ),
        Example(
            {"file": FILE, "right_mm": 25.4, "pages": "2"},
            {"pages": 3},
            source="by hand",
            files=_THREE,
            then=(_size(1, 612.0, 792.0), _size(2, 540.0, 792.0)),
        ),
        Refusal({"file": FILE, "left_mm": 150, "right_mm": 100}, "Nothing would be left", files=_THREE),
    ),
    reply="The cropped PDF: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_crop_pages(
    file: File,
    left_mm: Margin = 0,
    top_mm: Margin = 0,
    right_mm: Margin = 0,
    bottom_mm: Margin = 0,
    pages: Pages = "",
) -> MadePdf:
    """Crop pages of a PDF: cut a number of millimetres off each edge.

    Use it to trim margins or strips. The cropped content is hidden, but stays in the file: pdf_redact_areas removes
    content permanently. Returns the new PDF.
    """
    writer = writer_of(file)
    for index in chosen_pages(pages, len(writer.pages)):
        page = writer.pages[index]
        if page.rotation:
            page.transfer_rotation_to_content()
        left, bottom, width, height = _box(page)
        x, y = left + left_mm * POINTS_PER_MM, bottom + bottom_mm * POINTS_PER_MM
        right, top = left + width - right_mm * POINTS_PER_MM, bottom + height - top_mm * POINTS_PER_MM
        if right - x < 1 or top - y < 1:
            raise ToolError(f"Nothing would be left of page {index + 1}. Cut off less.")
        for box in ("/MediaBox", "/CropBox", "/TrimBox", "/BleedBox", "/ArtBox"):
            page[NameObject(box)] = RectangleObject((x, y, right, top))
    return made_pdf(writer, "cropped.pdf")


@tool(
    tags="pdf scale resize fit paper a4 letter page size print",
    use_when=(
        "Make all pages of this PDF A4",
        "Convert a Letter PDF to A4 paper",
        "Enlarge the pages to A3",
    ),
    examples=(
        Example(
            {"file": FILE, "paper": "A4"},
            {"pages": 3},
            source="ISO 216: A4 is 210 by 297 mm, 595.28 by 841.89 points",
            tolerance=1e-4,
            files=_THREE,
            then=(_size(1, 595.2756, 841.8898), ExampleCall("pdf_search_text", {"file": "{made}", "query": "two"})),
        ),
        Example(
            {"file": FILE, "paper": "A5", "margin_mm": 10},
            {"pages": 3},
            source="ISO 216",
            tolerance=1e-4,
            files=_THREE,
            then=(_size(3, 419.5276, 595.2756),),
        ),
        Refusal({"file": FILE, "paper": "A5", "margin_mm": 80}, "must be at most 50", files=_THREE),
    ),
    reply={
        "args.paper": "The PDF on {args.paper} paper: {file}",
        "": "The PDF on its new paper: {file}",
    },
    pace="normal",
)
@refusing_damage()
def pdf_scale_pages(
    file: File,
    paper: Paper,
    margin_mm: Annotated[float, About("Margin at each edge", minimum=0, maximum=50)] = 0,
) -> MadePdf:
    """Fit every page of a PDF onto a size of paper, in its proportions and centred.

    Use it before printing, or to make pages of different sizes alike. Landscape pages stay landscape. Returns the new
    PDF; links and forms are not kept.
    """
    writer = PdfWriter()
    for page in upright_pages(file):
        _, _, width, height = _box(page)
        sheet = _sheet(paper, landscape=width > height)
        _place(page, sheet, _inset((0, 0, float(sheet.mediabox.width), float(sheet.mediabox.height)), margin_mm))
        writer.add_page(sheet)
    return made_pdf(writer, "scaled.pdf")


@tool(
    tags="pdf nup several pages per sheet handout print save paper 2-up 4-up",
    use_when=(
        "Put 4 slides on each page for a handout",
        "Print two pages per sheet",
        "Make a 9-up overview of the PDF",
    ),
    examples=(
        Example(
            {"file": FILE, "per_sheet": 2},
            {"pages": 2},
            source="three pages by twos, on A4 that lies",
            tolerance=1e-4,
            files=_THREE,
            then=(_size(1, 841.8898, 595.2756),),
        ),
        Example(
            {"file": FILE, "per_sheet": 4, "paper": "Letter"},
            {"pages": 1},
            source="half of Letter's width, 306 points, is where the second page begins; its text 36 points later",
            tolerance=0.01,
            files=_THREE,
            then=(
                ExampleCall(
                    "pdf_search_text",
                    {"file": "{made}", "query": "two"},
                    {"count": 1, "pages": [1], "matches": [{"left": 342.0}]},
                ),
            ),
        ),
        Refusal({"file": FILE, "per_sheet": 5}, "must be one of", files=_THREE),
    ),
    reply="The PDF with {args.per_sheet} pages on each sheet, {pages|sheet} in all: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_arrange_sheets(
    file: File,
    per_sheet: Annotated[Literal[2, 4, 6, 8, 9, 16], About("Pages on each sheet")],
    paper: Paper = "A4",
    gap_mm: Annotated[float, About("Margin around each page", minimum=0, maximum=20)] = 0,
) -> MadePdf:
    """Place several pages of a PDF, made smaller, on each sheet, row by row.

    Use it for handouts and to save paper. Sheets use the orientation that fits the pages. Returns the new PDF.
    """
    pages = upright_pages(file)
    columns, rows = _GRIDS[per_sheet]
    lying = columns > rows
    if float(pages[0].cropbox.width) > float(pages[0].cropbox.height):
        columns, rows, lying = rows, columns, columns <= rows
    writer = PdfWriter()
    for number, page in enumerate(pages):
        if number % per_sheet == 0:
            sheet = writer.add_page(_sheet(paper, landscape=lying))
        width, height = float(sheet.mediabox.width) / columns, float(sheet.mediabox.height) / rows
        row, column = divmod(number % per_sheet, columns)
        _place(page, sheet, _inset((column * width, (rows - 1 - row) * height, width, height), gap_mm))
    return made_pdf(writer, "sheets.pdf")


@tool(
    tags="pdf booklet brochure imposition fold saddle stitch print duplex",
    use_when=(
        "Make a booklet that I can print, fold and staple",
        "Arrange the PDF's pages as a brochure",
        "Impose 8 pages on two A4 sheets",
        "Print a little booklet",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"pages": 2},
            source="one folded sheet of four pages: outside 4 (blank) and 1, inside 2 and 3",
            files=_THREE,
            then=(
                ExampleCall(
                    "pdf_extract_text",
                    {"file": "{made}"},
                    {"pages": [{"page": 1, "text": "one"}, {"page": 2, "text": "two three"}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "paper": "Letter"},
            {"pages": 2},
            source="Letter that lies",
            files=_THREE,
            then=(_size(1, 792.0, 612.0),),
        ),
        Refusal({"file": FILE, "paper": "B5"}, "must be one of", files=_THREE),
    ),
    reply="The booklet, to be printed on both sides, flipped on the short edge: {file}",
    pace="normal",
)
@refusing_damage()
def pdf_create_booklet(file: File, paper: Paper = "A4") -> MadePdf:
    """Arrange the pages of a PDF as a booklet: two on each side, so that the printed stack can be folded in the middle.

    Print the result on both sides, flipped on the short edge, then fold and staple. Blank pages are added up to a
    multiple of four.
    """
    pages = upright_pages(file)
    total = math.ceil(len(pages) / 4) * 4
    writer = PdfWriter()
    for side in range(total // 2):
        outer, inner = total - 1 - side, side
        sheet = writer.add_page(_sheet(paper, landscape=True))
        width, height = float(sheet.mediabox.width) / 2, float(sheet.mediabox.height)
        for half, number in enumerate((inner, outer) if side % 2 else (outer, inner)):
            if number < len(pages):
                _place(pages[number], sheet, (half * width, 0, width, height))
    return made_pdf(writer, "booklet.pdf")


def _box(page: PageObject) -> Box:
    """Return the visible area of a page."""
    box = page.cropbox
    if not (float(box.width) > 0 and float(box.height) > 0):
        raise ToolError("A page has no size. Remove it with pdf_select_pages first.")
    return float(box.left), float(box.bottom), float(box.width), float(box.height)


def _sheet(paper: str, *, landscape: bool) -> PageObject:
    width, height = (side * POINTS_PER_MM for side in PAPERS_MM[paper])
    return PageObject.create_blank_page(None, *((height, width) if landscape else (width, height)))


def _inset(box: Box, margin_mm: float) -> Box:
    margin = margin_mm * POINTS_PER_MM
    return box[0] + margin, box[1] + margin, max(box[2] - 2 * margin, 1), max(box[3] - 2 * margin, 1)


def _place(page: PageObject, sheet: PageObject, target: Box) -> None:
    """Draw a page onto a sheet, as large as possible and centred in the target."""
    left, bottom, width, height = _box(page)
    scale = min(target[2] / width, target[3] / height)
    x = target[0] + (target[2] - width * scale) / 2
    y = target[1] + (target[3] - height * scale) / 2
    move = Transformation().translate(-left, -bottom).scale(scale).translate(x, y)
    sheet.merge_transformed_page(page, move)
