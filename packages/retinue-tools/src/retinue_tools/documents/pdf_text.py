"""Text of PDF files: extraction, search and comparison."""

import difflib
import re
from typing import Annotated

import pypdfium2 as pdfium
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import Page, Pages, chosen_pages, rendering
from retinue_tools.documents._samples import FILE, FILE_2

_MOST_MATCHES = 500
_MOST_LINES = 4000
_TWO_PAGES = {FILE: samples.encode(samples.text_pdf("Annual report\nRevenue rose.", "Outlook\nRevenue may fall."))}
_AMENDED = {FILE_2: samples.encode(samples.text_pdf("Annual report\nRevenue fell.", "Outlook\nRevenue may fall."))}
_NO_PDF = {FILE: samples.encode("just text")}

Distance = Annotated[float, About("Points (1/72 inch)", 72, minimum=-100_000, maximum=100_000)]


class PageText(TypedDict):
    """The text of a page."""

    page: Annotated[int, About("Page, counted from 1")]
    text: Annotated[str, About("Text with line breaks")]


class Extracted(TypedDict):
    """Text by page."""

    pages: Annotated[list[PageText], About("Requested pages, up to the character limit")]
    total_pages: Annotated[int, About("Number of pages of the PDF")]
    characters: Annotated[int, About("Number of characters returned")]
    truncated: Annotated[bool, About("Whether the text is truncated because of max_characters")]
    pages_without_text: Annotated[list[int], About("Pages without text, such as scans")]


class Match(TypedDict):
    """Position of a text. Distances are points (1/72 inch) from the left and the top edge of the page."""

    page: Annotated[int, About("Page, counted from 1")]
    excerpt: Annotated[str, About("The match with surrounding words")]
    left: Annotated[float, About("Left edge")]
    top: Annotated[float, About("Top edge")]
    right: Annotated[float, About("Right edge")]
    bottom: Annotated[float, About("Bottom edge")]


class Matches(TypedDict):
    """Matches of a search."""

    matches: Annotated[list[Match], About("Matches in reading order, at most 500")]
    count: Annotated[int, About("Number of listed matches")]
    complete: Annotated[bool, About("Whether the list contains all matches")]
    pages: Annotated[list[int], About("Pages with a match")]


class Change(TypedDict):
    """A line that exists in only one of two PDFs."""

    kind: Annotated[str, About("removed (only in the first) or added (only in the second)")]
    page: Annotated[int, About("Page in the PDF with the line")]
    text: Annotated[str, About("Text of the line")]


class Compared(TypedDict):
    """Differences between the texts of two PDFs."""

    identical: Annotated[bool, About("Whether the texts are equal, ignoring spaces")]
    similarity_percent: Annotated[
        float, About("Similarity: 200 times the number of common lines divided by the sum of both PDFs' lines")
    ]
    changes: Annotated[list[Change], About("Removed and added lines in order, at most 1000")]
    removed: Annotated[int, About("Number of lines only in the first")]
    added: Annotated[int, About("Number of lines only in the second")]


class Region(TypedDict):
    """Text within a rectangle."""

    text: Annotated[str, About("Text with line breaks")]
    page_width: Annotated[float, About("Width of the page in points")]
    page_height: Annotated[float, About("Height of the page in points")]


@tool(
    tags="pdf text extract read content pages plain words",
    use_when=(
        "What does this PDF say?",
        "Give me the text of pages 2 to 5 of the contract",
        "Which pages of the scan hold no text?",
        "Copy the text out of a PDF",
        "Read a PDF",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "pages": [
                    {"page": 1, "text": "Annual report\nRevenue rose."},
                    {"page": 2, "text": "Outlook\nRevenue may fall."},
                ],
                "total_pages": 2,
                "truncated": False,
            },
            source="the lines that the PDF was written with",
            files=_TWO_PAGES,
        ),
        Example(
            {"file": FILE, "pages": "2", "max_characters": 7},
            {"pages": [{"page": 2, "text": "Outlook"}], "characters": 7, "truncated": True},
            source="by hand",
            files=_TWO_PAGES,
        ),
        Refusal({"file": FILE}, "not a PDF", files=_NO_PDF),
        Refusal({"file": FILE, "pages": "3"}, "the PDF has 2 pages", files=_TWO_PAGES),
    ),
    reply={
        "pages.1, truncated": "The beginning of the text: {pages}",
        "pages.1": "The text by page: {pages}",
        "pages.0.text": "The text of page {pages.0.page}: {pages.0.text}",
        "": "There is no text in the PDF; perhaps it was scanned.",
    },
    pace="normal",
)
def pdf_extract_text(
    file: File,
    pages: Pages = "",
    max_characters: Annotated[int, About("Maximum number of characters", minimum=1, maximum=2_000_000)] = 100_000,
) -> Extracted:
    """Extract the text of a PDF, page by page and in reading order.

    Use it to read, summarise or quote a PDF. Returns the text of each page and lists pages without text, which may be
    scans. pdf_to_markdown keeps headings and tables, pdf_extract_tables returns only tables.
    """
    found: list[PageText] = []
    bare, room, truncated = [], max_characters, False
    with rendering(file) as document:
        for index in chosen_pages(pages, len(document)):
            text = page_text(document[index])
            if not text:
                bare.append(index + 1)
            truncated = truncated or len(text) > room
            if room:
                found.append({"page": index + 1, "text": text[:room]})
            room -= min(len(text), room)
        total = len(document)
    return {
        "pages": found,
        "total_pages": total,
        "characters": max_characters - room,
        "truncated": truncated,
        "pages_without_text": bare,
    }


@tool(
    tags="pdf search find text phrase word position where page",
    use_when=(
        "On which pages does the contract mention 'termination'?",
        "Where in this PDF is the invoice number?",
        "How often does the report say revenue?",
    ),
    examples=(
        Example(
            {"file": FILE, "query": "revenue"},
            {"count": 2, "pages": [1, 2], "complete": True},
            source="the lines that the PDF was written with",
            files=_TWO_PAGES,
        ),
        Example(
            {"file": FILE, "query": "Revenue may", "match_case": True, "pages": "2-"},
            {"matches": [{"page": 2, "left": 73.0, "excerpt": "Outlook Revenue may fall."}], "count": 1},
            source="the line begins 72 points from the left edge; the ink of R about one point later",
            tolerance=0.01,
            files=_TWO_PAGES,
        ),
        Refusal({"file": FILE, "query": "x", "pages": "9"}, "the PDF has 2 pages", files=_TWO_PAGES),
    ),
    reply={
        "matches": "\u201c{args.query}\u201d occurs {count|time}, on page {pages}: {matches}",
        "matches, matches": "\u201c{args.query}\u201d occurs here: {matches}",
        "": "\u201c{args.query}\u201d does not occur in the PDF.",
    },
    pace="normal",
)
def pdf_search_text(
    file: File,
    query: Annotated[str, About("Word or phrase to find", "termination", min_length=1, max_length=200)],
    pages: Pages = "",
    match_case: Annotated[bool, About("Whether to match case")] = False,
    whole_words: Annotated[bool, About("Whether to find whole words only")] = False,
) -> Matches:
    """Find a word or phrase in a PDF, with pages and positions.

    Use it to locate something in a long document. Returns each match with the surrounding words and its rectangle, for
    pdf_extract_region and pdf_redact_areas.
    """
    matches: list[Match] = []
    with rendering(file) as document:
        for index in chosen_pages(pages, len(document)):
            room = _MOST_MATCHES + 1 - len(matches)
            matches += _matches(document[index], index + 1, query, (match_case, whole_words), room)
            if len(matches) > _MOST_MATCHES:
                break
    complete = len(matches) <= _MOST_MATCHES
    matches = matches[:_MOST_MATCHES]
    return {
        "matches": matches,
        "count": len(matches),
        "complete": complete,
        "pages": sorted({match["page"] for match in matches}),
    }


@tool(
    tags="pdf compare diff versions changes text contract revision",
    use_when=(
        "What changed between these two versions of the contract?",
        "Do both PDFs say the same?",
        "Which lines were added in the new PDF?",
    ),
    examples=(
        Example(
            {"file": FILE, "other_file": FILE_2},
            {
                "identical": False,
                "similarity_percent": 75.0,
                "changes": [
                    {"kind": "removed", "page": 1, "text": "Revenue rose."},
                    {"kind": "added", "page": 1, "text": "Revenue fell."},
                ],
            },
            source="one of four lines differs: 2 * 3 / 8",
            files=_TWO_PAGES | _AMENDED,
        ),
        Refusal({"file": FILE, "other_file": FILE_2}, "not a PDF", files=_NO_PDF | _AMENDED),
    ),
    reply={
        "identical": "Both PDFs say the same.",
        "changes": "The texts are {similarity_percent} % alike. The changes: {changes}",
        "": "The texts are {similarity_percent} % alike.",
    },
    pace="normal",
)
def pdf_compare_text(
    file: File, other_file: Annotated[File, About("ID of the PDF to compare with", FILE_2)]
) -> Compared:
    """Compare the texts of two PDFs line by line.

    Use it for two versions of a document. Returns the lines removed and added with their pages, and the similarity of
    the texts; layout and pictures are not compared.
    """
    before, after = _lines(file), _lines(other_file)
    matcher = difflib.SequenceMatcher(None, [line for _, line in before], [line for _, line in after], autojunk=False)
    changes: list[Change] = []
    for operation, start, end, other_start, other_end in matcher.get_opcodes():
        if operation != "equal":
            changes += ({"kind": "removed", "page": page, "text": line} for page, line in before[start:end])
            changes += ({"kind": "added", "page": page, "text": line} for page, line in after[other_start:other_end])
    removed = sum(change["kind"] == "removed" for change in changes)
    return {
        "identical": not changes,
        "similarity_percent": round(100 * matcher.ratio(), 2),
        "changes": changes[:1000],
        "removed": removed,
        "added": len(changes) - removed,
    }


@tool(
    tags="pdf region area rectangle box zone text extract field position",
    use_when=(
        "Read the text in the top right corner of the invoice",
        "What stands in this area of page 1?",
        "Extract the address field at a fixed position of each PDF",
    ),
    examples=(
        Example(
            {"file": FILE, "page": 2, "left": 60, "top": 85, "right": 300, "bottom": 105},
            {"text": "Revenue may fall.", "page_width": 612.0, "page_height": 792.0},
            source="the base line of that line is 792 - 700 = 92 points below the top edge",
            files=_TWO_PAGES,
        ),
        Refusal(
            {"file": FILE, "page": 1, "left": 100, "top": 50, "right": 90, "bottom": 80},
            "right must be greater than left",
            files=_TWO_PAGES,
        ),
    ),
    reply={
        "text": "The text there: {text}",
        "": "There is no text in this part of the page.",
    },
)
def pdf_extract_region(
    file: File, page: Page, left: Distance, top: Distance, right: Distance, bottom: Distance
) -> Region:
    """Extract the text within a rectangle of one page of a PDF.

    Use it for forms and invoices with fields at fixed positions. Distances are points (1/72 inch) from the left and the
    top edge of the page; returns the text within and the size of the page.
    """
    if right <= left or bottom <= top:
        raise ToolError("The rectangle is empty: right must be greater than left, and bottom greater than top.")
    with rendering(file) as document:
        content = document[chosen_pages(str(page), len(document))[0]]
        x, _, _, y = content.get_bbox()
        text = content.get_textpage().get_text_bounded(x + left, y - bottom, x + right, y - top)
        width, height = content.get_size()
    return {"text": _clean(text), "page_width": width, "page_height": height}


def page_text(page: pdfium.PdfPage) -> str:
    """Return the text of an open page."""
    return _clean(page.get_textpage().get_text_bounded())


def _clean(text: str) -> str:
    """Normalise line ends to newlines, and the hyphen that PDFium marks at a line's end (U+FFFE) to a hyphen."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-").replace("\0", "").strip()


def _matches(page: pdfium.PdfPage, number: int, query: str, how: tuple[bool, bool], room: int) -> list[Match]:
    content = page.get_textpage()
    searcher = content.search(query, match_case=how[0], match_whole_word=how[1])
    left_edge, _, _, top_edge = page.get_bbox()
    found: list[Match] = []
    while len(found) < room and (place := searcher.get_next()):
        start, length = place
        boxes = [content.get_charbox(index) for index in range(start, start + length)]
        boxes = [box for box in boxes if box[2] > box[0]] or [(0.0, 0.0, 0.0, 0.0)]
        around = content.get_text_range(max(0, start - 60), length + min(start, 60) + 60, errors="ignore")
        found.append(
            {
                "page": number,
                "excerpt": re.sub(r"\s+", " ", _clean(around)),
                "left": round(min(box[0] for box in boxes) - left_edge, 2),
                "top": round(top_edge - max(box[3] for box in boxes), 2),
                "right": round(max(box[2] for box in boxes) - left_edge, 2),
                "bottom": round(top_edge - min(box[1] for box in boxes), 2),
            }
        )
    return found


def _lines(file: str) -> list[tuple[int, str]]:
    """Return the lines of a PDF with text, with their pages."""
    with rendering(file) as document:
        texts = [(number, page_text(page)) for number, page in enumerate(document, 1)]
    lines = [(page, " ".join(line.split())) for page, text in texts for line in text.split("\n") if line.strip()]
    if len(lines) > _MOST_LINES:
        raise ToolError(f"A PDF has {len(lines):,} lines; the maximum is {_MOST_LINES:,}. Split it first.")
    return lines
