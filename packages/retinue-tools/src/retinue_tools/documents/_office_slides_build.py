"""Slide creation: a plain wide presentation, and blocks (see `office_blocks`) written on it."""

from collections.abc import Sequence
from typing import Any

import pptx
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE
from pptx.oxml.ns import qn
from pptx.util import Emu, Pt

from retinue.sdk import ToolError
from retinue_tools.documents._office_blocks import Block, Span

WIDE = (12_192_000, 6_858_000)
"""Width and height of a 16:9 slide in EMU, 914,400 per inch."""
MOST_ROWS, MOST_COLUMNS = 60, 15
_MONOSPACED = "Consolas"


def blank() -> Any:
    """Create a new 16:9 presentation without slides."""
    deck = pptx.Presentation()
    factor = WIDE[0] / deck.slide_width
    deck.slide_width, deck.slide_height = WIDE
    for holder in (deck.slide_master, *deck.slide_layouts):
        for shape in holder.shapes:
            if shape.is_placeholder and shape._element.spPr.find(qn("a:xfrm")) is not None:
                shape.left, shape.width = Emu(int(shape.left * factor)), Emu(int(shape.width * factor))
    return deck


def add_slide(deck: Any, layouts: Sequence[str], title: str) -> Any:
    """Add a slide with the first available of these layouts, with its title."""
    known = {str(layout.name): layout for layout in deck.slide_layouts}
    if not known:
        raise ToolError("The presentation has no layouts, so no slide can be added to it.")
    layout = next((known[name] for name in layouts if name in known), deck.slide_layouts[0])
    slide = deck.slides.add_slide(layout)
    if slide.shapes.title is not None:
        slide.shapes.title.text = title
        _fit(slide.shapes.title.text_frame, 34 if len(title) <= 60 else 26)
    return slide


def body_of(slide: Any) -> Any | None:
    """Return the first placeholder below the title that accepts text."""
    title = slide.shapes.title
    for shape in slide.placeholders:
        if shape.has_text_frame and (title is None or shape.shape_id != title.shape_id):
            return shape
    return None


def fill_body(slide: Any, blocks: Sequence[Block]) -> None:
    """Write blocks into the text of a slide, in a font size that fits."""
    body = body_of(slide)
    if body is None or not blocks:
        return
    frame = body.text_frame
    frame.clear()
    length = sum(len(block.text) for block in blocks)
    points = 24 if len(blocks) <= 7 and length <= 420 else 20 if len(blocks) <= 10 and length <= 700 else 16
    for number, block in enumerate(blocks):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.level = min(block.level - 1, 4) if block.kind in ("bullet", "number") else 0
        paragraph.space_after = Pt(6)
        if block.kind not in ("bullet", "number"):
            _no_bullet(paragraph)
        _fill(paragraph, block.spans, points - 2 * paragraph.level)
    frame.auto_size = MSO_AUTO_SIZE.NONE


def add_table(slide: Any, rows: Sequence[Sequence[Sequence[Span]]], top: int) -> None:
    """Add a table, whose first row is the header, to a slide below `top` (EMU)."""
    columns = max(map(len, rows))
    if len(rows) > MOST_ROWS or columns > MOST_COLUMNS:
        raise ToolError(f"A table on a slide may have at most {MOST_ROWS} rows and {MOST_COLUMNS} columns. Split it.")
    width = int(deck_width(slide) * 0.88)
    left = int(deck_width(slide) * 0.06)
    room = deck_height(slide) - top - 400_000
    height = min(420_000, room // len(rows))
    table = slide.shapes.add_table(len(rows), columns, left, top, width, height * len(rows)).table
    points = 16 if len(rows) <= 9 and columns <= 6 else 12 if len(rows) <= 16 else 9
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, spans in zip(row.cells, cells, strict=False):
            _fill(cell.text_frame.paragraphs[0], spans, points)
            cell.vertical_anchor = MSO_ANCHOR.MIDDLE
            cell.margin_top = cell.margin_bottom = Pt(2)


def deck_width(slide: Any) -> int:
    """Return the width of the slides in EMU."""
    return int(slide.part.package.presentation_part.presentation.slide_width or WIDE[0])


def deck_height(slide: Any) -> int:
    """Return the height of the slides in EMU."""
    return int(slide.part.package.presentation_part.presentation.slide_height or WIDE[1])


def set_notes(slide: Any, notes: str) -> None:
    """Write the speaker notes of a slide."""
    frame = slide.notes_slide.notes_text_frame
    if frame is None:
        raise ToolError("The presentation's notes have no text placeholder. Open and save it in PowerPoint first.")
    frame.text = notes


def _fill(paragraph: Any, spans: Sequence[Span], points: int) -> None:
    for span in spans:
        run = paragraph.add_run()
        run.text = span.text.replace("\n", "\v")
        run.font.size = Pt(points - 2 if span.code else points)
        run.font.bold, run.font.italic = span.bold or None, span.italic or None
        if span.code:
            run.font.name = _MONOSPACED
        if span.link:
            run.hyperlink.address = span.link


def _fit(frame: Any, points: int) -> None:
    for paragraph in frame.paragraphs:
        for run in paragraph.runs:
            run.font.size = Pt(points)


def _no_bullet(paragraph: Any) -> None:
    """Remove the bullet of a paragraph (ECMA-376, part 1, section 21.1.2.4.8)."""
    properties = paragraph._p.get_or_add_pPr()
    properties.set("marL", "0")
    properties.set("indent", "0")
    properties.append(properties.makeelement(qn("a:buNone"), {}))
