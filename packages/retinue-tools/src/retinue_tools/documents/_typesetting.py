"""Style of created PDFs: fonts, paragraph styles, margins and page numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

from reportlab.lib.colors import HexColor
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import SimpleDocTemplate
from reportlab.platypus.doctemplate import LayoutError
from reportlab.platypus.flowables import CallerMacro
from typing_extensions import TypedDict

from retinue.sdk import About, OutputFile, ToolError, ToolUnavailable, save
from retinue_tools.documents._pdf_files import PAPERS_MM, POINTS_PER_MM

_COUNT = "page-count"
SANS, BOLD, ITALIC, BOLD_ITALIC, MONO = "Sans", "Sans-Bold", "Sans-Italic", "Sans-BoldItalic", "Mono"
INK, MUTED, RULE, SHADE, ACCENT = "#1f2933", "#66727f", "#cbd2d9", "#f2f4f7", "#1d4f91"
_FACES = {
    SANS: "DejaVuSans.ttf",
    BOLD: "DejaVuSans-Bold.ttf",
    ITALIC: "DejaVuSans-Oblique.ttf",
    BOLD_ITALIC: "DejaVuSans-BoldOblique.ttf",
    MONO: "DejaVuSansMono.ttf",
}
"""Free fonts with the Latin, Greek and Cyrillic scripts that are included in matplotlib."""

Paper = Annotated[Literal["A4", "A5", "A3", "Letter", "Legal"], About("Size of the paper")]
FontSize = Annotated[float, About("Font size of the body text in points", minimum=6, maximum=24)]
MarginMm = Annotated[float, About("Margin at each edge in millimetres", minimum=5, maximum=60)]


class Typeset(TypedDict):
    """A typeset PDF."""

    file: OutputFile
    pages: Annotated[int, About("Number of pages")]
    missing_characters: Annotated[
        list[str], About("Characters that the font lacks, printed as boxes: scripts of East Asia, emoji and similar")
    ]


@cache
def register_fonts() -> None:
    """Register the fonts with ReportLab, once per process."""
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise ToolUnavailable("The fonts for new PDFs are not installed. Run: retinue tools install")
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    try:
        for name, file in _FACES.items():
            pdfmetrics.registerFont(TTFont(name, str(folder / file)))
    except TTFError as error:
        raise ToolUnavailable("The fonts for new PDFs cannot be read. Run: retinue tools install") from error
    pdfmetrics.registerFontFamily(SANS, normal=SANS, bold=BOLD, italic=ITALIC, boldItalic=BOLD_ITALIC)
    pdfmetrics.registerFontFamily(MONO, normal=MONO, bold=MONO, italic=MONO, boldItalic=MONO)


def missing_characters(text: str) -> list[str]:
    """Return the characters of a text that the font lacks, sorted, at most 50."""
    register_fonts()
    known = pdfmetrics.getFont(SANS).face.charToGlyph
    return sorted({character for character in set(text) if ord(character) not in known and character > " "})[:50]


def styles(size: float, width: float = 470) -> Mapping[str, ParagraphStyle]:
    """Return paragraph styles by name, based on a body font size and a line width, both in points."""
    register_fonts()
    ink, muted = HexColor(INK), HexColor(MUTED)
    body = ParagraphStyle(
        "body", fontName=SANS, fontSize=size, leading=size * 1.5, textColor=ink, spaceAfter=size * 0.7, splitLongWords=1
    )
    styles_by_name = {
        "body": body,
        "title": ParagraphStyle(
            "title", body, fontName=BOLD, fontSize=size * 2.3, leading=size * 2.8, spaceAfter=size * 0.8
        ),
        "subtitle": ParagraphStyle("subtitle", body, fontSize=size * 1.2, textColor=muted, spaceAfter=size * 1.5),
        "quote": ParagraphStyle("quote", body, leftIndent=size * 1.4, textColor=muted, fontName=ITALIC),
        "cell": ParagraphStyle("cell", body, fontSize=size * 0.9, leading=size * 1.25, spaceAfter=0),
        "head_cell": ParagraphStyle(
            "head_cell", body, fontName=BOLD, fontSize=size * 0.9, leading=size * 1.25, spaceAfter=0
        ),
        "line": ParagraphStyle("line", body, spaceAfter=0),
        "item": ParagraphStyle("item", body, spaceAfter=size * 0.25),
        "caption": ParagraphStyle("caption", body, fontSize=size * 0.85, leading=size * 1.2, textColor=muted),
        "verbatim": ParagraphStyle(
            "verbatim", body, fontName=MONO, fontSize=size * 0.85, leading=size * 1.25,
            columns=int(width / _advance(size * 0.85)),
        ),
        "code": ParagraphStyle(
            "code", body, fontName=MONO, fontSize=size * 0.85, leading=size * 1.25, backColor=HexColor(SHADE),
            columns=int((width - size) / _advance(size * 0.85)),
            borderPadding=size * 0.5, leftIndent=size * 0.5, rightIndent=size * 0.5, spaceBefore=size * 0.5,
            spaceAfter=size * 1.3,
        ),
    }  # fmt: skip
    for level, factor in enumerate((2.0, 1.55, 1.25, 1.1, 1.0, 1.0), 1):
        styles_by_name[f"h{level}"] = ParagraphStyle(
            f"h{level}", body, fontName=BOLD, fontSize=size * factor, leading=size * factor * 1.25,
            spaceBefore=size * 1.1, spaceAfter=size * 0.5, keepWithNext=1,
        )  # fmt: skip
    return styles_by_name


def _advance(size: float) -> float:
    """Return the width of a character in the fixed-width font."""
    return float(pdfmetrics.stringWidth("0", MONO, size))


@dataclass(frozen=True, slots=True)
class Layout:
    """Page layout of a PDF."""

    paper: str = "A4"
    landscape: bool = False
    margin_mm: float = 22
    title: str = ""
    footer: str = ""
    numbered: bool = True

    def size(self) -> tuple[float, float]:
        """Return width and height in points."""
        width, height = (side * POINTS_PER_MM for side in PAPERS_MM[self.paper])
        return (height, width) if self.landscape else (width, height)

    def text_width(self) -> float:
        """Return the line width in points; ReportLab adds a padding of 6 points at each side of its frames."""
        return self.size()[0] - 2 * self.margin_mm * POINTS_PER_MM - 12


def typeset(name: str, story: Sequence[Any], text: str, layout: Layout) -> Typeset:
    """Set flowables on pages and save the PDF. `text` is all printed text, used to find missing characters."""
    register_fonts()
    target, margin, pages = BytesIO(), layout.margin_mm * POINTS_PER_MM, list[int]()
    document = SimpleDocTemplate(
        target, pagesize=layout.size(), title=layout.title, leftMargin=margin, rightMargin=margin, topMargin=margin,
        bottomMargin=max(margin, 40),
    )  # fmt: skip

    def finish(flowable: Any, *_: float) -> None:
        pages.append(flowable.canv.getPageNumber())
        _draw_count(flowable.canv, pages[-1])

    def draw_foot(canvas: Canvas, _document: object) -> None:
        _draw_foot(canvas, layout)

    try:
        document.build([*story, CallerMacro(finish)], onFirstPage=draw_foot, onLaterPages=draw_foot)
    except (LayoutError, ValueError) as error:
        # ReportLab raises no specific error for cells narrower than their padding.
        raise ToolError(
            "A part is too large for the page. Use larger paper, smaller text or narrower tables."
        ) from error
    return {
        "file": save(name, target.getvalue()),
        "pages": pages[-1],
        "missing_characters": missing_characters(text + layout.footer),
    }


def _draw_foot(canvas: Canvas, layout: Layout) -> None:
    """Draw the footer of a page. The total number of pages is in a form that is drawn after the last page."""
    canvas.saveState()
    canvas.setFont(SANS, 8)
    canvas.setFillColor(HexColor(MUTED))
    canvas.drawString(36, 24, layout.footer)
    if layout.numbered:
        canvas.drawRightString(layout.size()[0] - 56, 24, f"{canvas.getPageNumber()} / ")
        canvas.translate(layout.size()[0] - 56, 24)
        canvas.doForm(_COUNT)
    canvas.restoreState()


def _draw_count(canvas: Canvas, pages: int) -> None:
    canvas.beginForm(_COUNT)
    canvas.setFont(SANS, 8)
    canvas.setFillColor(HexColor(MUTED))
    canvas.drawString(0, 0, str(pages))
    canvas.endForm()
