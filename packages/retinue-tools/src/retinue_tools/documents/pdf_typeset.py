"""PDFs of text, Markdown and HTML."""

from html import escape
from itertools import pairwise
from typing import Annotated, Literal

from markdown_it import MarkdownIt
from reportlab.platypus import Flowable, Paragraph

from retinue.sdk import About, Alias, Call, Example, Refusal, Text, ToolError, tool
from retinue_tools.documents._html_trees import plain_text, tree_of
from retinue_tools.documents._story import Styles, check_length, code_blocks, story
from retinue_tools.documents._typesetting import FontSize, Layout, MarginMm, Paper, Typeset, styles, typeset

_LONGEST = 200_000
_MARKDOWN = (
    "# Tides\n\nHigh water at **noon**, see [tables](https://example.org/t).\n\n"
    "| Port | Time |\n|---|---|\n| Cuxhaven | 12:04 |\n\n1. Look\n2. Sail\n"
)

Title = Annotated[str, About("Title in the properties of the PDF", max_length=200)]
Footer = Annotated[str, About("Line at the foot of each page, left of the page number", max_length=100)]
Numbered = Annotated[bool, About("Print the page number and the number of pages at the foot")]
Landscape = Annotated[bool, About("Lay the paper on its long side")]


@tool(
    tags="pdf text plain typeset convert txt create letter print markdown report document headings tables html page",
    use_when=(
        "Make a PDF of this text",
        "Typeset my letter as a PDF in 12 points",
        "Convert a log excerpt to PDF with fixed width",
        "Turn this Markdown into a nice PDF",
        "Make a PDF report with headings, lists and a table",
        "Export my notes as PDF",
        "Convert this HTML to PDF",
        "Make a PDF of an HTML table",
        "Print the HTML article on A4",
    ),
    examples=(
        Example(
            {"text": "Dear reader,\n\nhigh water is at noon.", "title": "Letter"},
            {"pages": 1, "missing_characters": [], "file": "text.pdf"},
            source="by hand",
            then=(
                Call("pdf_search_text", {"file": "{made}", "query": "high water is at noon."}, {"count": 1}),
                Call("pdf_read_metadata", {"file": "{made}"}, {"title": "Letter", "page_width_mm": 210.0}),
            ),
        ),
        Example(
            {"text": "a  b\nč ψ ж 漢", "monospace": True, "paper": "Letter"},
            {"pages": 1, "missing_characters": ["漢"]},
            source="the font has Latin, Greek and Cyrillic letters",
            then=(Call("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 215.9}),),
        ),
        Example(
            {"text": _MARKDOWN, "form": "markdown", "title": "Tides"},
            {"pages": 1, "missing_characters": []},
            source="by hand",
            then=(
                Call("pdf_search_text", {"file": "{made}", "query": "High water at noon"}, {"count": 1}),
                Call("pdf_extract_links", {"file": "{made}"}, {"addresses": ["https://example.org/t"]}),
                Call("pdf_search_text", {"file": "{made}", "query": "Cuxhaven"}, {"count": 1}),
                Call("pdf_search_text", {"file": "{made}", "query": "1 / 1"}, {"count": 1}),
            ),
        ),
        Example(
            {
                "text": "text",
                "form": "markdown",
                "paper": "A5",
                "landscape": True,
                "page_numbers": False,
                "footer": "Draft",
            },
            {"pages": 1},
            source="ISO 216: A5 is 148 by 210 mm",
            then=(
                Call("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 210.0, "page_height_mm": 148.0}),
                Call("pdf_search_text", {"file": "{made}", "query": "Draft"}, {"count": 1}),
            ),
        ),
        Example(
            {
                "text": "<h1>Tides</h1><p>High at <b>noon</b> &amp; midnight.</p><script>x()</script><ul><li>Sail</ul>",
                "form": "html",
            },
            {"pages": 1, "missing_characters": []},
            source="by hand: scripts are not printed",
            then=(
                Call("pdf_search_text", {"file": "{made}", "query": "High at noon & midnight."}, {"count": 1}),
                Call("pdf_search_text", {"file": "{made}", "query": "x()"}, {"count": 0}),
            ),
        ),
        Example(
            {
                "text": "<table><tr><th>Port<td>Time<tr><td>Husum",
                "form": "html",
                "paper": "Letter",
                "landscape": True,
            },
            {"pages": 1},
            source="by hand: broken HTML is mended as browsers do",
            then=(Call("pdf_search_text", {"file": "{made}", "query": "Husum"}, {"count": 1}),),
        ),
        Refusal({"text": " \n"}, "nothing to print"),
        Refusal({"text": "\n", "form": "markdown"}, "nothing to print"),
        Refusal({"text": "<script>only()</script>", "form": "html"}, "nothing to print"),
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
    aliases=(
        Alias("pdf_from_markdown", {"markdown": "text"}, {"form": "markdown"}),
        Alias("pdf_from_html", {"html": "text"}, {"form": "html"}),
    ),
)
def pdf_from_text(
    text: Text,
    title: Title = "",
    monospace: Annotated[
        bool, About("For plain text: keep spaces and line ends as they are, in a font of fixed width")
    ] = False,
    paper: Paper = "A4",
    font_size: FontSize = 10.5,
    margin_mm: MarginMm = 22,
    footer: Footer = "",
    page_numbers: Numbered = True,
    form: Annotated[
        Literal["plain", "markdown", "html"],
        About("What the text is: markdown is CommonMark with tables and strike-through"),
    ] = "plain",
    landscape: Landscape = False,
) -> Typeset:
    """Typeset plain text, Markdown or HTML as a PDF with good margins and page numbers.

    Use it for letters, notes, logs, reports, articles and generated tables. Headings, lists, tables, code, quotations
    and links are set in a clean style of its own; style sheets, scripts and pictures are left out. In plain text an
    empty line ends a paragraph. Returns the PDF and its number of pages.
    """
    layout = Layout(paper, landscape, margin_mm, title, footer, page_numbers)
    look = styles(font_size, layout.text_width())
    if form == "plain":
        _check(text)
        clean = text.replace("\r\n", "\n").expandtabs(4)
        flowables = code_blocks(clean, look["verbatim"]) if monospace else _lines(clean, look)
        return typeset("text.pdf", flowables, text, layout)
    if len(text) > _LONGEST:
        raise ToolError(f"Markdown and HTML may have {_LONGEST:,} characters. Typeset a part of it.")
    body = tree_of(_render(text) if form == "markdown" else text)
    _check(text if form == "markdown" else plain_text(body))
    return typeset("document.pdf" if form == "markdown" else "page.pdf", story(body, look), plain_text(body), layout)


def _render(markdown: str) -> str:
    """The HTML of Markdown."""
    renderer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return str(renderer.render(markdown)) or "<p></p>"


def _lines(text: str, look: Styles) -> list[Flowable]:
    """Each line as a paragraph; the last before an empty line with space after it."""
    lines = [line.rstrip() for line in text.split("\n")]
    flowables = []
    for line, following in pairwise([*lines, ""]):
        check_length(line)
        if line:
            flowables.append(Paragraph(escape(line, quote=False), look["line" if following else "body"]))
    return flowables


def _check(text: str) -> None:
    if not text.strip():
        raise ToolError("There is nothing to print: the text is empty.")
