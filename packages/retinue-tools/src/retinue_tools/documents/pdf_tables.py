"""Structure of PDF pages: tables, and headings and paragraphs as Markdown."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pdfplumber
from pdfminer.pdfexceptions import PDFException
from pdfplumber.utils.exceptions import PdfminerException
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import Pages, chosen_pages, reader_of, refusing_damage
from retinue_tools.documents._samples import FILE

_MOST_PAGES = 60
_MOST_CELLS = 200_000
_GRID = (
    "0.5 w 72 735 m 272 735 l S 72 712 m 272 712 l S 72 692 m 272 692 l S 72 735 m 72 692 l S 172 735 m 172 692 l S "
)
_CELLS = "BT /F1 12 Tf 180 720 Td (2.5 m) Tj ET BT /F1 12 Tf 180 700 Td (0.4 m) Tj ET 272 735 m 272 692 l S"
_TABLE = {FILE: samples.encode(samples.text_pdf("High\nLow", graphics=_GRID + _CELLS))}
_COLUMNS = {FILE: samples.encode(samples.text_pdf("Tide\nHigh\nLow", graphics=(
    "BT /F1 12 Tf 300 720 Td (Level) Tj ET BT /F1 12 Tf 300 700 Td (2.5 m) Tj ET BT /F1 12 Tf 300 680 Td (0.4 m) Tj ET"
)))}  # fmt: skip
_ARTICLE = {
    FILE: samples.encode(
        samples.text_pdf(
            "The sea rises\nand falls.\n\n\x95 High\n\x95 Low",
            graphics="BT /F1 24 Tf 72 750 Td (Tides) Tj ET",
        )
    )
}
_BULLET = re.compile(r"^[•◦▪‣●\u2013*-]\s+")
_NUMBER = re.compile(r"^(\d{1,3})[.)]\s+")


class Table(TypedDict):
    """A table of a page."""

    page: Annotated[int, About("Page of the table")]
    rows: Annotated[list[list[str]], About("Rows of cells; empty text for an empty cell")]


class Tables(TypedDict):
    """The tables of a PDF."""

    tables: Annotated[list[Table], About("Tables by page")]
    count: Annotated[int, About("Number of tables")]
    files: Annotated[list[OutputFile], About("A CSV file for each table, if requested")]


class AsMarkdown(TypedDict):
    """A PDF as Markdown."""

    markdown: Annotated[str, About("Text with headings, lists and tables")]
    pages: Annotated[int, About("Number of pages read")]
    headings: Annotated[int, About("Number of headings detected, by font size")]
    tables: Annotated[int, About("Number of tables detected, by their lines")]


@dataclass(frozen=True, slots=True)
class _Block:
    """A line or a table of a page; `top` is its distance from the top edge, and sizes are in points."""

    top: float
    bottom: float
    size: float
    text: str
    table: bool = False


@contextmanager
def _refusing_damage() -> Iterator[None]:
    """Like `refusing_damage`, for pdfplumber, which has its own errors. A decorator."""
    try:
        with refusing_damage():
            yield
    except (PDFException, PdfminerException) as error:
        raise ToolError("The PDF is damaged, or uses unsupported features. Save it again.") from error


@tool(
    tags="pdf table extract csv rows cells columns spreadsheet statement",
    use_when=(
        "Get the table on page 3 of this PDF as rows",
        "Turn the tables of the annual report into CSV files",
        "Read the transactions out of a bank statement PDF",
        "Get the tables of a PDF into a spreadsheet",
        "Turn the table on page 2 of a PDF into CSV",
        "PDF to Excel",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"tables": [{"page": 1, "rows": [["High", "2.5 m"], ["Low", "0.4 m"]]}], "count": 1, "files": []},
            source="the words and lines that the page was drawn with",
            files=_TABLE,
        ),
        Example(
            {"file": FILE, "strategy": "text", "save_csv": True},
            {
                "tables": [{"page": 1, "rows": [["Tide", "Level"], ["High", "2.5 m"], ["Low", "0.4 m"]]}],
                "files": ["page-1-table-1.csv"],
            },
            source="the words that the page was drawn with, in columns without lines",
            files=_COLUMNS,
        ),
        Refusal({"file": FILE, "pages": "2"}, "the PDF has 1 page", files=_TABLE),
    ),
    reply={
        "tables": "I found {count|table}: {tables}",
        "": "There are no tables in the PDF.",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
@_refusing_damage()
def pdf_extract_tables(
    file: File,
    pages: Pages = "",
    strategy: Annotated[
        Literal["lines", "text"], About("lines for tables with ruled cells, text for columns separated by white space")
    ] = "lines",
    save_csv: Annotated[bool, About("Whether to save each table as a CSV file too")] = False,
) -> Tables:
    """Extract the tables of a PDF as rows of cells, and optionally as CSV files.

    Use it for statements, reports and price lists; not for scans, which only contain pictures. Try the other strategy
    if the result is empty or wrong. At most 60 pages at a time.
    """
    found: list[Table] = []
    settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
    for page in _opened_pages(file, pages):
        for rows in page.extract_tables(settings):
            cells = [[" ".join((cell or "").split()) for cell in row] for row in rows]
            found.append({"page": page.page_number, "rows": [row for row in cells if any(row)]})
    found = [table for table in found if table["rows"]]
    if sum(len(row) for table in found for row in table["rows"]) > _MOST_CELLS:
        raise ToolError(f"The tables have more than {_MOST_CELLS:,} cells. Choose fewer pages.")
    files = [_saved_csv(table, number) for number, table in enumerate(found, 1)] if save_csv else []
    return {"tables": found, "count": len(found), "files": files}


@tool(
    tags="pdf markdown convert headings lists tables structure llm text",
    use_when=(
        "Convert this PDF to Markdown",
        "Give me the paper with its headings and tables as text",
        "Prepare the PDF for a language model",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"markdown": "# Tides\n\nThe sea rises and falls.\n\n- High\n- Low\n", "headings": 1, "tables": 0},
            source="the words that the page was drawn with, the first twice as large",
            files=_ARTICLE,
        ),
        Example(
            {"file": FILE, "pages": "1"},
            {"markdown": "| High | 2.5 m |\n| --- | --- |\n| Low | 0.4 m |\n", "headings": 0, "tables": 1},
            source="by hand",
            files=_TABLE,
        ),
        Refusal({"file": FILE}, "no text", files={FILE: samples.encode(samples.text_pdf(""))}),
    ),
    reply={
        "markdown": "The PDF in Markdown: {markdown}",
        "": "There is no text in the PDF.",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
@_refusing_damage()
def pdf_to_markdown(file: File, pages: Pages = "") -> AsMarkdown:
    """Convert a PDF to Markdown: headings by font size, paragraphs, lists, and tables with ruled lines.

    Use it to read, summarise or edit a PDF with its structure. Lines are joined to paragraphs, and words that are
    hyphenated at line ends are joined. Multi-column layouts are not separated. At most 60 pages at a time.
    """
    by_page = [_blocks(page) for page in _opened_pages(file, pages)]
    blocks = [block for page in by_page for block in page]
    if not blocks:
        raise ToolError("The pages contain no text: they may be scans. pdf_render_pages makes pictures of them.")
    levels = _heading_levels(blocks)
    parts = [part for page in by_page for part in _paragraphs(page, levels)]
    return {
        "markdown": _join(parts),
        "pages": len(by_page),
        "headings": sum(part.startswith("#") for part in parts),
        "tables": sum(block.table for block in blocks),
    }


def _opened_pages(file: str, pages: str) -> Iterator[Any]:
    """Open pages one after the other, and free each before the next."""
    indexes = chosen_pages(pages, len(reader_of(file).pages))
    if len(indexes) > _MOST_PAGES:
        raise ToolError(f"That is {len(indexes)} pages; the maximum is {_MOST_PAGES}. Choose some, such as 1-60.")
    with pdfplumber.open(file) as document:
        for index in indexes:
            page = document.pages[index]
            yield page
            page.close()


def _saved_csv(table: Table, number: int) -> str:
    target = io.StringIO()
    csv.writer(target).writerows(table["rows"])
    return save(f"page-{table['page']}-table-{number}.csv", target.getvalue().encode("utf-8-sig"))


def _blocks(page: Any) -> list[_Block]:
    """Return the lines outside tables, and the tables, from top to bottom."""
    tables = [table for table in page.find_tables() if len(table.rows) > 1]
    found = [_Block(table.bbox[1], table.bbox[3], 0, _table_text(table.extract()), table=True) for table in tables]
    found = [block for block in found if block.text]
    for line in page.extract_text_lines(return_chars=True):
        middle, centre = (line["top"] + line["bottom"]) / 2, (line["x0"] + line["x1"]) / 2
        inside = any(
            left <= centre <= right and top <= middle <= bottom
            for left, top, right, bottom in (table.bbox for table in tables)
        )
        if not inside and line["text"].strip():
            size = Counter(round(char["size"], 1) for char in line["chars"]).most_common(1)[0][0]
            found.append(_Block(line["top"], line["bottom"], size, line["text"].strip()))
    return sorted(found, key=lambda block: block.top)


def _table_text(rows: Sequence[Sequence[str | None]]) -> str:
    cells = [[" ".join((cell or "").split()).replace("|", "\\|") for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    if not cells:
        return ""
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "| " + " | ".join("---" for _ in cells[0]) + " |", *lines[1:]])


def _heading_levels(blocks: Sequence[_Block]) -> dict[float, int]:
    """Return the heading level by font size: sizes well above that of most text, largest first."""
    weights: Counter[float] = Counter()
    for block in blocks:
        if not block.table:
            weights[block.size] += len(block.text)
    if not weights:
        return {}
    body = weights.most_common(1)[0][0]
    sizes = sorted((size for size in weights if size > 1.15 * body), reverse=True)
    return {size: min(level, 6) for level, size in enumerate(sizes, 1)}


def _paragraphs(blocks: Sequence[_Block], levels: dict[float, int]) -> Iterator[str]:
    """Yield headings, list items, tables and paragraphs of a page."""
    text, last = "", None
    for block in blocks:
        level = 0 if block.table else levels.get(block.size, 0)
        item = _item(block.text) if not (block.table or level) else None
        if last is not None and not (block.table or level or item) and _continues(last, block):
            text = _append(text, block.text)
        else:
            if text:
                yield text
            text = block.text if block.table else "#" * level + " " + block.text if level else item or block.text
        last = None if block.table or level else block
    if text:
        yield text


def _item(text: str) -> str | None:
    """Return a line that begins a list item as Markdown."""
    if bullet := _BULLET.match(text):
        return "- " + text[bullet.end() :]
    if number := _NUMBER.match(text):
        return f"{number[1]}. {text[number.end() :]}"
    return None


def _continues(last: _Block, block: _Block) -> bool:
    """Return whether a line belongs to the previous paragraph: same font size, and small distance."""
    return abs(block.size - last.size) < 0.2 and block.top - last.bottom < 0.9 * block.size


def _append(text: str, line: str) -> str:
    divided = text.endswith(("-", "\u00ad")) and text[-2:-1].isalpha() and line[:1].islower()
    return text[:-1] + line if divided else f"{text} {line}"


def _join(parts: Sequence[str]) -> str:
    """Join parts with an empty line between them, except for list items."""
    text = ""
    for part in parts:
        listed = _is_item(part) and text and _is_item(text.rsplit("\n", 1)[-1])
        text += ("\n" if listed else "\n\n" if text else "") + part
    return text + "\n"


def _is_item(text: str) -> bool:
    return text.startswith("- ") or bool(_NUMBER.match(text))
