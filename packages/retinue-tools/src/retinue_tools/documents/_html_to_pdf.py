"""Conversion of HTML to ReportLab flowables: headings, paragraphs, lists, tables, quotations and code."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import (
    Flowable,
    HRFlowable,
    Indenter,
    ListFlowable,
    ListItem,
    LongTable,
    Paragraph,
    Spacer,
    TableStyle,
    XPreformatted,
)

from retinue.sdk import ToolError
from retinue_tools.documents._html_trees import BLOCKS, HIDDEN, plain_text
from retinue_tools.documents._typesetting import ACCENT, MONO, MUTED, RULE, SHADE

Styles = Mapping[str, ParagraphStyle]

_DEEPEST = 8
_LONGEST_PARAGRAPH = 50_000
_CODE_LINES = 100
_PART_ROWS = 200
_MOST_COLUMNS = 20
_MARKUP = {
    "b": "b", "strong": "b", "i": "i", "em": "i", "cite": "i", "u": "u", "ins": "u", "s": "strike", "del": "strike",
    "strike": "strike", "sub": "sub", "sup": "super",
}  # fmt: skip
"""Inline elements and the corresponding tags of ReportLab's paragraphs."""


def story(body: Any, styles: Styles) -> list[Flowable]:
    """Return the flowables for the children of an element."""
    return list(_blocks(body, styles, 1))


def check_length(paragraph: str) -> None:
    """Reject a paragraph that would take minutes to typeset: ReportLab processes the whole rest of a paragraph on each
    page.
    """
    if len(paragraph) > _LONGEST_PARAGRAPH:
        raise ToolError(f"A paragraph has more than {_LONGEST_PARAGRAPH:,} characters. Divide it with empty lines.")


def tables_of(rows: list[list[str]], styles: Styles, *, header: bool = True) -> list[Flowable]:
    """Return a table of marked-up cells as wide as the page, with thin rules; its first row is repeated on each page.

    A long table is split into parts, because ReportLab's time grows with the square of the rows.
    """
    width = max(map(len, rows))
    if not 1 <= width <= _MOST_COLUMNS:
        raise ToolError(f"A table has {width} columns; 1 to {_MOST_COLUMNS} fit on a page.")
    cells = [
        [_cell(text, styles["cell" if number or not header else "head_cell"]) for text in row]
        + [""] * (width - len(row))
        for number, row in enumerate(rows)
    ]
    head, body = (cells[:1], cells[1:]) if header else ([], cells)
    parts = [body[start : start + _PART_ROWS] for start in range(0, max(len(body), 1), _PART_ROWS)]
    tables = [_style([*head, *part], styles, header=header) for part in parts]
    return [*tables, Spacer(1, styles["body"].fontSize)]


def _cell(text: str, style: ParagraphStyle) -> Flowable:
    check_length(text)
    return Paragraph(text.strip(), style)


def _style(rows: list[list[Any]], styles: Styles, *, header: bool) -> Flowable:
    size = styles["cell"].fontSize
    repeated = 1 if header and len(rows) > 1 else 0
    table = LongTable(rows, ["*"] * len(rows[0]), repeatRows=repeated, splitInRow=1, hAlign="LEFT")
    look = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, -1), 0.5, HexColor(RULE)),
        ("TOPPADDING", (0, 0), (-1, -1), size * 0.45),
        ("BOTTOMPADDING", (0, 0), (-1, -1), size * 0.5),
    ]
    if header:
        look.append(("BACKGROUND", (0, 0), (-1, 0), HexColor(SHADE)))
    table.setStyle(TableStyle(look))
    return table


def code_blocks(text: str, style: ParagraphStyle) -> list[Flowable]:
    """Return text with its spaces and line ends; lines are broken at the number of characters that the style has
    columns.
    """
    cut = [line[start : start + style.columns] for line in text.split("\n") for start in _starts(line, style.columns)]
    parts = (cut[start : start + _CODE_LINES] for start in range(0, len(cut), _CODE_LINES))
    return [XPreformatted(escape("\n".join(part), quote=False), style) for part in parts]


def _starts(line: str, columns: int) -> range:
    return range(0, max(len(line), 1), columns)


def _blocks(element: Any, styles: Styles, depth: int) -> Iterator[Flowable]:
    """Yield the flowables of each block; inline text between blocks becomes paragraphs."""
    running = escape(element.text or "", quote=False)
    for child in element:
        tail = escape(child.tail or "", quote=False)
        if child.tag in HIDDEN:
            running += tail
        elif child.tag in BLOCKS:
            yield from _paragraph(running, styles["body"])
            yield from _block(child, styles, depth)
            running = tail
        else:
            running += markup(child) + tail
    yield from _paragraph(running, styles["body"])


def _block(element: Any, styles: Styles, depth: int) -> Iterator[Flowable]:
    tag = element.tag
    if depth > _DEEPEST:
        yield from _paragraph(escape(plain_text(element), quote=False), styles["body"])
    elif tag in styles and tag.startswith("h"):
        yield from _paragraph(_inner(element), styles[tag])
    elif tag == "hr":
        yield HRFlowable(width="100%", color=HexColor(RULE), spaceBefore=8, spaceAfter=12)
    elif tag == "pre":
        yield from code_blocks(element.text_content().strip("\n"), styles["code"])
    elif tag in ("ul", "ol"):
        yield from _list(element, styles, depth)
    elif tag == "table":
        yield from _table(element, styles)
    elif tag in ("blockquote", "dd"):
        yield Indenter(left=styles["quote"].leftIndent)
        yield from _blocks(element, {**styles, "body": _quote(styles)}, depth + 1)
        yield Indenter(left=-styles["quote"].leftIndent)
    elif any(child.tag in BLOCKS for child in element):
        yield from _blocks(element, styles, depth + 1)
    else:
        yield from _paragraph(_inner(element), styles["body"])


def _quote(styles: Styles) -> ParagraphStyle:
    return ParagraphStyle("quoted", styles["body"], textColor=HexColor(MUTED))


def _paragraph(text: str, style: ParagraphStyle) -> Iterator[Flowable]:
    text = re.sub(r"[ \t\n\r\f]+", " ", text).strip()
    check_length(text)
    if text:
        yield Paragraph(text, style)


def _list(element: Any, styles: Styles, depth: int) -> Iterator[Flowable]:
    size = styles["body"].fontSize
    items = []
    for child in element.iterchildren("li"):
        content = list(_blocks(child, {**styles, "body": styles["item"]}, depth + 1))
        items.append(ListItem(content or [Spacer(1, size)], leftIndent=size * 1.8))
    if items:
        numbered = {"bulletType": "1", "bulletFormat": "%s."} if element.tag == "ol" else {"bulletType": "bullet"}
        look = {"bulletFontName": styles["body"].fontName, "bulletFontSize": size, "bulletColor": HexColor(MUTED)}
        if element.tag == "ul":
            look |= {"start": "•"}
        yield ListFlowable(items, leftIndent=size * 1.8, **numbered, **look)
        yield Spacer(1, size * 0.4)


def _table(element: Any, styles: Styles) -> Iterator[Flowable]:
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in element.iter("tr")]
    rows = [row for row in rows if row]
    if not rows:
        return
    header = all(cell.tag == "th" for cell in rows[0])
    yield from tables_of([[_inner(cell) for cell in row] for row in rows], styles, header=header)


def _inner(element: Any) -> str:
    """Return the content of an element as ReportLab markup."""
    parts = [escape(element.text or "", quote=False)]
    for child in element:
        parts += [markup(child) if child.tag not in HIDDEN else "", escape(child.tail or "", quote=False)]
    return "".join(parts)


def markup(element: Any) -> str:
    """Return an inline element as ReportLab markup; blocks within it become inline text."""
    tag, inner = element.tag, _inner(element)
    if tag == "br":
        return "<br/>"
    if tag == "img":
        return f"<i>{escape(element.get('alt') or '', quote=False)}</i>" if element.get("alt") else ""
    if tag == "a" and str(element.get("href") or "").startswith(("http://", "https://", "mailto:")):
        return f'<a href="{escape(element.get("href"))}" color="{ACCENT}">{inner}</a>' if "<a " not in inner else inner
    if tag in ("code", "kbd", "samp", "tt"):
        return f'<font face="{MONO}">{inner}</font>'
    return f"<{_MARKUP[tag]}>{inner}</{_MARKUP[tag]}>" if tag in _MARKUP else inner
