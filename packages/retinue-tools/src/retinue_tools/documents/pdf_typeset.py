"""PDFs from text, Markdown and HTML."""

from html import escape
from itertools import pairwise
from typing import Annotated

from markdown_it import MarkdownIt
from reportlab.platypus import Flowable, Paragraph

from retinue.sdk import About, Example, ExampleCall, Refusal, Text, ToolError, tool
from retinue_tools.documents._html_to_pdf import Styles, check_length, code_blocks, story
from retinue_tools.documents._html_trees import Html, plain_text, tree_of
from retinue_tools.documents._typesetting import FontSize, Layout, MarginMm, Paper, Typeset, styles, typeset

_LONGEST = 200_000
_MARKDOWN = (
    "# Tides\n\nHigh water at **noon**, see [tables](https://example.org/t).\n\n"
    "| Port | Time |\n|---|---|\n| Cuxhaven | 12:04 |\n\n1. Look\n2. Sail\n"
)

Title = Annotated[str, About("Title in the PDF properties", max_length=200)]
Footer = Annotated[str, About("Footer of each page, left of the page number", max_length=100)]
Numbered = Annotated[bool, About("Whether to print the page number and the number of pages in the footer")]
Landscape = Annotated[bool, About("Whether to use landscape orientation")]


@tool(
    tags="pdf text plain typeset convert txt create letter print",
    use_when=(
        "Make a PDF of this text",
        "Typeset my letter as a PDF in 12 points",
        "Convert a log excerpt to PDF with fixed width",
        "Make a PDF that says hello",
        "Create a PDF with this sentence",
    ),
    examples=(
        Example(
            {"text": "Dear reader,\n\nhigh water is at noon.", "title": "Letter"},
            {"pages": 1, "missing_characters": [], "file": "text.pdf"},
            source="by hand",
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "high water is at noon."}, {"count": 1}),
                ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"title": "Letter", "page_width_mm": 210.0}),
            ),
        ),
        Example(
            {"text": "a  b\nč ψ ж 漢", "monospace": True, "paper": "Letter"},
            {"pages": 1, "missing_characters": ["漢"]},
            source="the font has Latin, Greek and Cyrillic letters",
            then=(ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 215.9}),),
        ),
        Refusal({"text": " \n"}, "nothing to print"),
    ),
    reply={
        "missing_characters": "The PDF with {pages|page}; it has no letters for {missing_characters}: {file}",
        "": "The PDF with {pages|page}: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def pdf_from_text(
    text: Text,
    title: Title = "",
    monospace: Annotated[bool, About("Whether to preserve spaces and line ends, in a fixed-width font")] = False,
    paper: Paper = "A4",
    font_size: FontSize = 10.5,
    margin_mm: MarginMm = 22,
    footer: Footer = "",
    page_numbers: Numbered = True,
) -> Typeset:
    """Typeset plain text as a PDF with good margins and page numbers; an empty line ends a paragraph.

    Use it for letters, notes and logs; pdf_from_markdown supports headings and tables. Returns the PDF and its number
    of pages.
    """
    _check(text)
    layout = Layout(paper, margin_mm=margin_mm, title=title, footer=footer, numbered=page_numbers)
    look = styles(font_size, layout.text_width())
    clean = text.replace("\r\n", "\n").expandtabs(4)
    flowables = code_blocks(clean, look["verbatim"]) if monospace else _lines(clean, look)
    return typeset("text.pdf", flowables, text, layout)


@tool(
    tags="pdf markdown convert typeset report document create headings tables",
    use_when=(
        "Turn this Markdown into a nice PDF",
        "Make a PDF report with headings, lists and a table",
        "Export my notes as PDF",
    ),
    examples=(
        Example(
            {"markdown": _MARKDOWN, "title": "Tides"},
            {"pages": 1, "missing_characters": []},
            source="by hand",
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "High water at noon"}, {"count": 1}),
                ExampleCall("pdf_extract_links", {"file": "{made}"}, {"addresses": ["https://example.org/t"]}),
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Cuxhaven"}, {"count": 1}),
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "1 / 1"}, {"count": 1}),
            ),
        ),
        Example(
            {"markdown": "text", "paper": "A5", "landscape": True, "page_numbers": False, "footer": "Draft"},
            {"pages": 1},
            source="ISO 216: A5 is 148 by 210 mm",
            then=(
                ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 210.0, "page_height_mm": 148.0}),
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Draft"}, {"count": 1}),
            ),
        ),
        Refusal({"markdown": "\n"}, "nothing to print"),
    ),
    reply={
        "missing_characters": "The PDF with {pages|page}; it has no letters for {missing_characters}: {file}",
        "": "The PDF with {pages|page}: {file}",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def pdf_from_markdown(
    markdown: Annotated[
        str,
        About(
            "Markdown: CommonMark with tables and strike-through", "# Tides\n\nHigh at **noon**.", max_length=_LONGEST
        ),
    ],
    title: Title = "",
    paper: Paper = "A4",
    landscape: Landscape = False,
    font_size: FontSize = 10.5,
    margin_mm: MarginMm = 22,
    footer: Footer = "",
    page_numbers: Numbered = True,
) -> Typeset:
    """Typeset Markdown as a PDF: headings, lists, tables, code, quotations and links, with page numbers.

    Use it for reports and documents. Pictures are not fetched: their descriptions are printed instead. Returns the PDF
    and its number of pages.
    """
    _check(markdown)
    renderer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    body = tree_of(renderer.render(markdown) or "<p></p>")
    layout = Layout(paper, landscape, margin_mm, title, footer, page_numbers)
    return typeset("document.pdf", story(body, styles(font_size, layout.text_width())), plain_text(body), layout)


@tool(
    tags="pdf html convert typeset page web print create",
    use_when=(
        "Convert this HTML to PDF",
        "Make a PDF of an HTML table",
        "Print the HTML article on A4",
    ),
    examples=(
        Example(
            {"html": "<h1>Tides</h1><p>High at <b>noon</b> &amp; midnight.</p><script>x()</script><ul><li>Sail</ul>"},
            {"pages": 1, "missing_characters": []},
            source="by hand: scripts are not printed",
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "High at noon & midnight."}, {"count": 1}),
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "x()"}, {"count": 0}),
            ),
        ),
        Example(
            {"html": "<table><tr><th>Port<td>Time<tr><td>Husum", "paper": "Letter", "landscape": True},
            {"pages": 1},
            source="by hand: broken HTML is mended as browsers do",
            then=(ExampleCall("pdf_search_text", {"file": "{made}", "query": "Husum"}, {"count": 1}),),
        ),
        Refusal({"html": "<script>only()</script>"}, "nothing to print"),
    ),
    reply={
        "missing_characters": "The PDF with {pages|page}; it has no letters for {missing_characters}: {file}",
        "": "The PDF with {pages|page}: {file}",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def pdf_from_html(
    html: Annotated[Html, About("HTML: a page or a fragment", "<h1>Tides</h1>", max_length=_LONGEST)],
    title: Title = "",
    paper: Paper = "A4",
    landscape: Landscape = False,
    font_size: FontSize = 10.5,
    margin_mm: MarginMm = 22,
    footer: Footer = "",
    page_numbers: Numbered = True,
) -> Typeset:
    """Typeset the content of HTML as a PDF: headings, paragraphs, lists, tables, code and links.

    Use it for articles and generated tables. The content is set in a fixed style: style sheets, scripts and pictures
    are ignored. Returns the PDF and its number of pages.
    """
    body = tree_of(html)
    _check(plain_text(body))
    layout = Layout(paper, landscape, margin_mm, title, footer, page_numbers)
    return typeset("page.pdf", story(body, styles(font_size, layout.text_width())), plain_text(body), layout)


def _lines(text: str, look: Styles) -> list[Flowable]:
    """Return each line as a paragraph, with space after the last line before an empty one."""
    lines = [line.rstrip() for line in text.split("\n")]
    flowables = []
    for line, following in pairwise([*lines, ""]):
        check_length(line)
        if line:
            flowables.append(Paragraph(escape(line, quote=False), look["line" if following else "body"]))
    return flowables


def _check(text: str) -> None:
    if not text.strip():
        raise ToolError("The text is empty, so there is nothing to print.")
