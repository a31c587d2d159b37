"""Conversion of Word documents to blocks (see `office_blocks`), and of blocks to Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from retinue_tools.documents._office_blocks import Block, BlockKind, Span, plain

_LIST_STYLE = re.compile(r"List (Bullet|Number)(?: (\d))?")
_HEADING_STYLE = re.compile(r"Heading (\d)")
_SPECIAL = re.compile(r"([\\`*_\[\]<])")
_MONOSPACED = ("Courier", "Consolas", "Mono", "Menlo")
SHOWN_RUNS = ".//w:r[not(ancestor::w:del) and not(ancestor::w:moveFrom) and not(ancestor::w:txbxContent)]"
_MAX_BASES = 20


def blocks_of(document: Any) -> list[Block]:
    """Return the body of an open document in order; tracked insertions are treated as accepted."""
    return [_block(element, document) for element in body_elements(document)]


def body_elements(document: Any) -> list[Any]:
    """Return the XML elements of the paragraphs and tables of the body, in order, one for each of `blocks_of`."""
    return list(_elements(document.element.body))


def body_paragraphs(document: Any) -> Iterator[Any]:
    """Return all paragraphs of an open document: body, tables, and page headers and footers."""
    yield from _paragraphs(document.element.body, document)
    seen = set()
    for section in document.sections:
        for part in (
            section.header, section.footer, section.first_page_header, section.first_page_footer,
            section.even_page_header, section.even_page_footer,
        ):  # fmt: skip
            if not part.is_linked_to_previous and part.part.partname not in seen:
                seen.add(part.part.partname)
                yield from _paragraphs(part._element, part)


def table_rows(table: Any) -> list[list[str]]:
    """Return the texts of a table's cells; a merged cell is repeated for each column that it spans."""
    return [[_cell_text(cell) for cell in row.cells] for row in table.rows]


def _cell_text(cell: Any) -> str:
    return "\n".join(paragraph_text(paragraph) for paragraph in cell.paragraphs).strip()


def paragraph_text(paragraph: Any) -> str:
    """Return the displayed text of a paragraph, including links, fields and tracked insertions."""
    return plain(_spans(paragraph))


def lines_of(block: Block) -> Iterator[tuple[str, int, str]]:
    """Return the kind (heading, paragraph, list or table), heading level and text of each line of a block."""
    if block.kind == "table":
        yield from (("table", 0, "\t".join(plain(cell).replace("\n", " ") for cell in row)) for row in block.rows)
    else:
        kind = "list" if block.kind in ("bullet", "number") else "heading" if block.kind == "heading" else "paragraph"
        yield kind, block.level if kind == "heading" else 0, block.text.strip()


def markdown_of(blocks: Sequence[Block]) -> str:
    """Format blocks as Markdown (CommonMark, with the tables of GitHub)."""
    text, before, number = "", None, 0
    for block in blocks:
        if block.kind not in ("table", "rule") and not block.text.strip():
            continue
        number = number + 1 if block.kind == "number" and block.level == 1 else 0 if block.kind != "number" else number
        listed = block.kind in ("bullet", "number") and before in ("bullet", "number")
        text += ("" if before is None else "\n" if listed else "\n\n") + _markdown(block, number)
        before = block.kind
    return text + "\n" if text else ""


def _markdown(block: Block, number: int) -> str:
    match block.kind:
        case "heading":
            return "#" * max(1, min(6, block.level)) + " " + _inline(block.spans).replace("\n", " ")
        case "bullet" | "number":
            mark = "-" if block.kind == "bullet" else f"{number if block.level == 1 else 1}."
            return "    " * (block.level - 1) + f"{mark} " + _inline(block.spans).replace("\n", " ")
        case "quote":
            return "> " + _inline(block.spans).replace("\n", "\n> ")
        case "code":
            return f"```\n{block.text}\n```"
        case "rule":
            return "---"
        case "table":
            return _pipes(block.rows)
        case _:
            return _inline(block.spans).replace("\n", "  \n")


def _pipes(rows: Sequence[Sequence[Sequence[Span]]]) -> str:
    width = max((len(row) for row in rows), default=0)
    cells = [[_inline(cell).replace("\n", "<br>").replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in cells]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]])


def _inline(spans: Sequence[Span]) -> str:
    merged: list[Span] = []
    for span in spans:
        if merged and replace(merged[-1], text="") == replace(span, text=""):
            merged[-1] = replace(span, text=merged[-1].text + span.text)
        else:
            merged.append(span)
    return "".join(map(_mark, merged)).strip()


def _mark(span: Span) -> str:
    core = span.text.strip()
    if not core:
        return span.text
    start, end = span.text[: span.text.index(core)], span.text[span.text.index(core) + len(core) :]
    core = f"`{core}`" if span.code else _SPECIAL.sub(r"\\\1", core)
    for mark, applies in (("**", span.bold), ("*", span.italic), ("~~", span.strike)):
        core = f"{mark}{core}{mark}" if applies else core
    return start + (f"[{core}](<{span.link}>)" if span.link else core) + end


def _elements(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables below an element, including those within content controls and tracked insertions."""
    for element in parent:
        if element.tag in (qn("w:p"), qn("w:tbl")):
            yield element
        elif element.tag in (qn("w:sdt"), qn("w:sdtContent"), qn("w:ins")):
            yield from _elements(element)


def _paragraphs(element: Any, parent: Any) -> Iterator[Any]:
    return (Paragraph(found, parent) for found in element.iter(qn("w:p")))


def _block(element: Any, document: Any) -> Block:
    if element.tag == qn("w:tbl"):
        rows = [[[Span(text)] for text in row] for row in table_rows(Table(element, document))]
        return Block("table", rows=rows)
    paragraph = Paragraph(element, document)
    kind, level = _kind(paragraph, document)
    return Block(kind, _spans(paragraph), level)


def _kind(paragraph: Any, document: Any) -> tuple[BlockKind, int]:
    for name in _style_names(paragraph.style):
        if name == "Title":
            return "heading", 0
        if found := _HEADING_STYLE.fullmatch(name):
            return "heading", int(found[1])
        if found := _LIST_STYLE.fullmatch(name):
            return "bullet" if found[1] == "Bullet" else "number", int(found[2] or 1)
        if name in ("Quote", "Intense Quote"):
            return "quote", 1
        if name in ("Code", "HTML Preformatted", "macro"):
            return "code", 1
    numbers = paragraph._p.xpath("./w:pPr/w:numPr[w:numId[@w:val != '0']]")
    return _number_lines(numbers[0], document) if numbers else ("paragraph", 1)


def _style_names(style: Any) -> Iterator[str]:
    """Return the name of a style and of the styles that it is based on."""
    for _ in range(_MAX_BASES):
        if style is None:
            return
        yield str(style.name or "")
        style = style.base_style


def _number_lines(element: Any, document: Any) -> tuple[BlockKind, int]:
    """Return whether a paragraph belongs to a bulleted or a numbered list, and its depth (ECMA-376, part 1, section
    17.9).
    """
    number, level = element.numId.val, element.ilvl.val if element.ilvl is not None else 0
    numbering = document.part.numbering_part.element
    formats = numbering.xpath(
        f"./w:abstractNum[@w:abstractNumId = ../w:num[@w:numId='{number}']/w:abstractNumId/@w:val]"
        f"/w:lvl[@w:ilvl='{level}']/w:numFmt/@w:val"
    )
    return "number" if formats and formats[0] not in ("bullet", "none") else "bullet", level + 1


def _spans(paragraph: Any) -> list[Span]:
    return [span for element in paragraph._p.xpath(SHOWN_RUNS) if (span := _span(Run(element, paragraph))).text]


def _span(run: Any) -> Span:
    font = str(run.font.name or "")
    return Span(
        str(run.text),
        bold=bool(run.bold),
        italic=bool(run.italic),
        strike=bool(run.font.strike),
        code=any(name in font for name in _MONOSPACED),
        link=_link(run),
    )


def _link(run: Any) -> str:
    holder = run._r.getparent()
    if holder.tag != qn("w:hyperlink"):
        return ""
    relation, anchor = holder.get(qn("r:id")), holder.get(qn("w:anchor"))
    if relation in run.part.rels and run.part.rels[relation].is_external:
        return str(run.part.rels[relation].target_ref)
    return f"#{anchor}" if anchor else ""
