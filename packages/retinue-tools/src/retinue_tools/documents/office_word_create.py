"""Creation of Word documents from Markdown and from items."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_blocks import Block, BlockKind, Span, markdown_blocks
from retinue_tools.documents._office_files import refusing_damage, save_document
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_word_blocks import lines_of
from retinue_tools.documents._office_word_build import blank, write

_MARKDOWN = (
    "# Tea\n\nGreen **and** [black](<https://example.com/>).\n\n1. Boil\n2. Pour\n\n"
    "| A | B |\n| --- | --- |\n| 1 | 2 |\n"
)
_MOST_CELLS = 20_000
_LISTS: dict[str, BlockKind] = {"bullets": "bullet", "numbers": "number"}
_PLAIN: dict[str, BlockKind] = {
    "heading": "heading",
    "paragraph": "paragraph",
    "quote": "quote",
    "code": "code",
}

Paper = Annotated[Literal["A4", "Letter"], About("Size of the paper")]
Title = Annotated[str, About("Title at the top and in the document properties", "Annual report", max_length=300)]
Line = Annotated[str, About("One item", "First point", max_length=5000)]


class Item(TypedDict, total=False):
    """A part of a document; each kind uses the fields that are documented for it."""

    kind: Annotated[
        Literal["heading", "paragraph", "bullets", "numbers", "quote", "code", "table", "page_break"],
        About("Kind of the part"),
    ]
    text: Annotated[str, About("Text of a heading, paragraph, quote or code", "Introduction", max_length=50_000)]
    level: Annotated[int, About("Level of a heading", 1, minimum=1, maximum=6)]
    lines: Annotated[list[Line], About("Items of bullets or numbers", ["First", "Second"], max_items=1000)]
    rows: Annotated[
        list[list[Annotated[str, About("Text of a cell", "12", max_length=5000)]]],
        About("Rows of a table, the first one is the header", [["Item", "Price"], ["Pot", "12"]], max_items=2000),
    ]


class WrittenDocument(TypedDict):
    """A created Word document."""

    file: OutputFile
    headings: Annotated[int, About("Number of headings")]
    tables: Annotated[int, About("Number of tables")]
    words: Annotated[int, About("Number of words")]


@tool(
    tags="docx word create markdown convert write document report md notes",
    use_when=(
        "Make a Word document from this Markdown",
        "Write the summary as a .docx file",
        "Convert README.md to Word with its tables and lists",
        "Make a Word document of my Markdown text",
        "Convert .md to .docx",
    ),
    examples=(
        Example(
            {"markdown": _MARKDOWN},
            {"file": "document.docx", "headings": 1, "tables": 1, "words": 10},
            source="the text counted by hand",
            then=(ExampleCall("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": _MARKDOWN}),),
        ),
        Example(
            {"markdown": "Text", "title": "Tea", "paper": "Letter", "landscape": True},
            {"headings": 1, "words": 2},
            source="by hand: the title counts as a heading",
            then=(
                ExampleCall("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "# Tea\n\nText\n"}),
                ExampleCall("docx_read_properties", {"file": "{made}"}, {"title": "Tea", "page_width_mm": 279.4}),
            ),
        ),
        Refusal({"markdown": " "}, "no text"),
    ),
    reply="The Word document with {words|word}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
)
def docx_create_from_markdown(
    markdown: Annotated[str, About("Markdown (CommonMark and tables)", "# Report\n\nAll is well.", max_length=500_000)],
    title: Title = "",
    paper: Paper = "A4",
    landscape: Annotated[bool, About("Whether to use landscape orientation")] = False,
) -> WrittenDocument:
    """Create a Word document from Markdown: headings, bold, italic, links, nested lists, tables, quotes and code.

    Use it to share a text as a .docx file with real styles and lists. Returns the file and its numbers of headings,
    tables and words.
    """
    blocks = markdown_blocks(markdown)
    if not blocks:
        raise ToolError("The Markdown has no text. Send at least one paragraph.")
    return _render(blocks, title, paper, landscape=landscape)


@tool(
    tags="docx word create document write report letter headings tables lists",
    use_when=(
        "Create a Word document with a heading, two paragraphs and a table",
        "Write a letter as .docx",
        "Make a Word report from these sections",
        "Make a Word document",
    ),
    examples=(
        Example(
            {
                "items": [
                    {"kind": "heading", "text": "Costs", "level": 2},
                    {"kind": "paragraph", "text": "All *literal*."},
                    {"kind": "bullets", "lines": ["one", "two"]},
                    {"kind": "page_break"},
                    {"kind": "table", "rows": [["Item", "Price"], ["Pot", "12"]]},
                ]
            },
            {"file": "document.docx", "headings": 1, "tables": 1, "words": 9},
            source="the text counted by hand",
            then=(
                ExampleCall(
                    "docx_convert_to_markdown",
                    {"file": "{made}"},
                    {
                        "markdown": "## Costs\n\nAll \\*literal\\*.\n\n- one\n- two\n\n"
                        "| Item | Price |\n| --- | --- |\n| Pot | 12 |\n"
                    },
                ),
            ),
        ),
        Example(
            {"items": [{"kind": "numbers", "lines": ["a", "b"]}], "title": "Steps"},
            {"headings": 1, "words": 3},
            source="by hand",
            then=(
                ExampleCall("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "# Steps\n\n1. a\n2. b\n"}),
            ),
        ),
        Refusal({"items": [{"kind": "table", "rows": []}]}, "Item 1 is a table without rows"),
    ),
    reply="The Word document with {words|word}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
)
def docx_create_document(
    items: Annotated[
        list[Item],
        About(
            "Parts of the document in order",
            [{"kind": "heading", "text": "Report", "level": 1}, {"kind": "paragraph", "text": "All is well."}],
            min_items=1,
            max_items=2000,
        ),
    ],
    title: Title = "",
    paper: Paper = "A4",
    landscape: Annotated[bool, About("Whether to use landscape orientation")] = False,
) -> WrittenDocument:
    """Create a Word document from a list of headings, paragraphs, lists, quotes, code and tables.

    Use it if the content is available as parts and every character must be preserved; docx_create_from_markdown reads
    Markdown. Returns the file and its numbers of headings, tables and words.
    """
    blocks = [block for number, item in enumerate(items, 1) for block in _blocks(number, item)]
    return _render(blocks, title, paper, landscape=landscape)


def _render(blocks: list[Block], title: str, paper: str, *, landscape: bool) -> WrittenDocument:
    title = xml_text(title).strip()
    if title:
        blocks = [Block("heading", (Span(title),), 0), *blocks]
    if sum(len(block.rows) * len(block.rows[0]) for block in blocks if block.rows) > _MOST_CELLS:
        raise ToolError(f"The tables have more than {_MOST_CELLS:,} cells. Use a workbook instead.")
    with refusing_damage("docx"):
        document = blank(paper, landscape=landscape)
        document.core_properties.title = title[:255]
        document.core_properties.author = ""
        document.core_properties.comments = ""
        write(document, blocks)
    texts = [line[2] for block in blocks for line in lines_of(block)]
    return {
        "file": save_document(document, "document.docx"),
        "headings": sum(block.kind == "heading" for block in blocks),
        "tables": sum(block.kind == "table" for block in blocks),
        "words": sum(len(text.split()) for text in texts),
    }


def _blocks(number: int, item: Item) -> list[Block]:
    """Return the blocks of an item. Raises `ToolError` if it lacks required fields."""
    kind = item.get("kind", "paragraph")
    text = (Span(xml_text(item.get("text", "")), code=kind == "code"),)
    if kind == "page_break":
        return [Block("break")]
    if kind in ("bullets", "numbers"):
        lines = [(Span(xml_text(line)),) for line in item.get("lines", [])]
        if not lines:
            raise ToolError(f"Item {number} is a list without lines. Give at least one.")
        return [Block(_LISTS[kind], line, starts=not place) for place, line in enumerate(lines)]
    if kind == "table":
        rows = [[(Span(xml_text(cell)),) for cell in row] for row in item.get("rows", [])]
        if not rows or not rows[0]:
            raise ToolError(f"Item {number} is a table without rows. The first row is its header.")
        return [Block("table", rows=rows)]
    if not text[0].text.strip():
        raise ToolError(f"Item {number} is a {kind} without text. Give its text.")
    return [Block(_PLAIN[kind], text, item.get("level", 1))]
