"""Writing of blocks (see `office_blocks`) into Word documents."""

from collections.abc import Iterable, Sequence
from typing import Any

import docx
from docx.enum.section import WD_ORIENT
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from retinue_tools.documents._office_blocks import Block, Span

PAPERS_MM = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
_DEEPEST = 3
_FONT, _MONOSPACED, _INK, _LINK = "Calibri", "Consolas", "1F2933", "0B5CAD"
_HEADING_POINTS = {1: 20, 2: 15, 3: 12.5, 4: 11.5}


def blank(paper: str, *, landscape: bool = False) -> Any:
    """Create a new Word document with plain styles on the given paper size."""
    document = docx.Document()
    section = document.sections[0]
    width, height = sorted(PAPERS_MM[paper], reverse=landscape)
    section.page_width, section.page_height = Mm(width), Mm(height)
    section.orientation = WD_ORIENT.LANDSCAPE if landscape else WD_ORIENT.PORTRAIT
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Mm(25))
    _face(document.styles["Normal"], 11, _INK)
    document.styles["Normal"].paragraph_format.space_after = Pt(6)
    _face(document.styles["Title"], 26, _INK)
    for level, points in _HEADING_POINTS.items():
        _face(document.styles[f"Heading {level}"], points, _INK)
    return document


def write(document: Any, blocks: Iterable[Block]) -> None:
    """Append blocks to an open document."""
    numbering = {}
    for block in blocks:
        match block.kind:
            case "heading":
                _fill(_style(document, _heading_style(block.level)), block.spans)
            case "bullet" | "number":
                paragraph = _style(document, _list_style(block))
                if block.kind == "number":
                    if block.starts or block.level not in numbering:
                        numbering[block.level] = _restart(document, _list_style(block))
                    _number(paragraph, numbering[block.level])
                _fill(paragraph, block.spans)
            case "table":
                write_table(document, block.rows)
            case "code":
                _code(document, block)
            case "break":
                document.add_page_break()
            case "rule":
                _border(document.add_paragraph(), "bottom", "auto")
            case _:
                _fill(_style(document, "Quote" if block.kind == "quote" else "Normal"), block.spans)


def write_table(document: Any, rows: Sequence[Sequence[Sequence[Span]]]) -> None:
    """Append a table, whose first row is its header, to an open document."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return
    table = document.add_table(len(rows), width)
    table.alignment = WD_TABLE_ALIGNMENT.LEFT
    for number, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
        for cell, spans in zip(row.cells, cells, strict=False):
            paragraph = cell.paragraphs[0]
            _fill(paragraph, spans)
            paragraph.paragraph_format.space_after = Pt(2)
            paragraph.paragraph_format.space_before = Pt(2)
            for run in paragraph.runs if number == 0 else ():
                run.bold = True
        for cell in row.cells:
            _shade(cell, "F3F5F7" if number == 0 else None)
    header = table.rows[0]._tr.get_or_add_trPr()
    header.append(OxmlElement("w:tblHeader"))
    document.add_paragraph().paragraph_format.space_after = Pt(2)


def _fill(paragraph: Any, spans: Sequence[Span]) -> None:
    for span in spans:
        run = paragraph.add_run(span.text)
        run.bold, run.italic = span.bold or None, span.italic or None
        run.font.strike = span.strike or None
        if span.code:
            run.font.name, run.font.size = _MONOSPACED, Pt(10)
        if span.link:
            _link(paragraph, run, span.link)


def _link(paragraph: Any, run: Any, address: str) -> None:
    """Move a run into a hyperlink (ECMA-376, part 1, section 17.16.22)."""
    run.font.color.rgb, run.font.underline = RGBColor.from_string(_LINK), True
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    paragraph._p.append(link)
    link.append(run._r)


def _face(style: Any, points: float, colour: str) -> None:
    style.font.name, style.font.size = _FONT, Pt(points)
    style.font.color.rgb = RGBColor.from_string(colour)
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for attribute in list(fonts.attrib):
        if attribute.endswith("Theme"):
            del fonts.attrib[attribute]


def _style(document: Any, name: str) -> Any:
    """Add a paragraph with that style, or with the normal one if the document lacks it."""
    known = {style.name for style in document.styles}
    return document.add_paragraph(style=name if name in known else None)


def _heading_style(level: int) -> str:
    return f"Heading {min(level, 9)}" if level else "Title"


def _list_style(block: Block) -> str:
    depth = min(block.level, _DEEPEST)
    return f"List {'Bullet' if block.kind == 'bullet' else 'Number'}" + (f" {depth}" if depth > 1 else "")


def _restart(document: Any, style: str) -> int | None:
    """Create a numbering like that of a style that restarts at 1; None if the style has none."""
    if style not in {known.name for known in document.styles}:
        return None
    found = document.styles[style].element.xpath("./w:pPr/w:numPr/w:numId/@w:val")
    numbering = document.part.numbering_part.element
    abstract = numbering.xpath(f"./w:num[@w:numId='{found[0]}']/w:abstractNumId/@w:val") if found else []
    if not abstract:
        return None
    number = numbering.add_num(int(abstract[0]))
    number.add_lvlOverride(ilvl=0).add_startOverride(1)
    return int(number.numId)


def _number(paragraph: Any, number: int | None) -> None:
    if number is not None:
        properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val = 0
        properties.get_or_add_numId().val = number


def _code(document: Any, block: Block) -> None:
    paragraph = _style(document, "No Spacing")
    _fill(paragraph, block.spans)
    _border(paragraph, "left", "C5CDD5")
    paragraph.paragraph_format.left_indent = Mm(4)
    paragraph.paragraph_format.space_after = Pt(8)


def _border(paragraph: Any, side: str, colour: str) -> None:
    borders, line = OxmlElement("w:pBdr"), OxmlElement(f"w:{side}")
    for name, value in (("val", "single"), ("sz", "8"), ("space", "6"), ("color", colour)):
        line.set(qn(f"w:{name}"), value)
    borders.append(line)
    paragraph._p.get_or_add_pPr().insert_element_before(
        borders, "w:shd", "w:tabs", "w:suppressAutoHyphens", "w:spacing", "w:ind", "w:jc", "w:rPr", "w:sectPr"
    )


def _shade(cell: Any, fill: str | None) -> None:
    """Add a thin line below a cell, and a background colour."""
    properties = cell._tc.get_or_add_tcPr()
    borders, line = OxmlElement("w:tcBorders"), OxmlElement("w:bottom")
    for name, value in (("val", "single"), ("sz", "4"), ("color", "C5CDD5")):
        line.set(qn(f"w:{name}"), value)
    borders.append(line)
    properties.append(borders)
    if fill:
        shade = OxmlElement("w:shd")
        for name, value in (("val", "clear"), ("color", "auto"), ("fill", fill)):
            shade.set(qn(f"w:{name}"), value)
        properties.append(shade)
