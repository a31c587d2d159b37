"""Changes of Word documents: texts, page headers and footers, and inserted Markdown."""

import re
from typing import Annotated, Any, Literal

from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.run import Run
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_blocks import markdown_blocks
from retinue_tools.documents._office_files import WordFile, save_document, word
from retinue_tools.documents._office_runs import constant, replace_in_runs, text_pattern, xml_text
from retinue_tools.documents._office_samples import docx, para, text_run
from retinue_tools.documents._office_word_blocks import SHOWN_RUNS, blocks_of, body_elements, body_paragraphs
from retinue_tools.documents._office_word_build import write
from retinue_tools.documents._samples import FILE

_FIELDS = {"{page}": "PAGE", "{pages}": "NUMPAGES"}

_LETTER_TEXT = docx(para("We sell ", text_run("te", "<w:b/>"), "a and Tea."), para("No coffee."))


class Replacement(TypedDict):
    """A text and its replacement."""

    find: Annotated[str, About("Text to replace", "2025", min_length=1, max_length=1000)]
    replace: Annotated[str, About("Replacement text", "2026", max_length=5000)]


Replacements = Annotated[
    list[Replacement],
    About("Replacements, made one after the other", [{"find": "2025", "replace": "2026"}], min_items=1, max_items=100),
]


class Replaced(TypedDict):
    """A document with replaced texts."""

    file: OutputFile
    replaced: Annotated[int, About("Number of replacements")]
    counts: Annotated[list[int], About("Number of replacements for each text")]


class Framed(TypedDict):
    """A document with a page header or footer."""

    file: OutputFile
    sections: Annotated[int, About("Number of changed sections")]


class Extended(TypedDict):
    """An extended document."""

    file: OutputFile
    blocks_added: Annotated[int, About("Number of added paragraphs and tables")]


@tool(
    tags="docx word find replace text substitute change rename keep format",
    use_when=(
        "Replace the company name everywhere in this Word document",
        "Change 2025 to 2026 in contract.docx and keep the format",
        "Find and replace text in a .docx file",
        "Find and replace in Word",
    ),
    examples=(
        Example(
            {"file": FILE, "replacements": [{"find": "tea", "replace": "juice"}]},
            {"file": "replaced.docx", "replaced": 2, "counts": [2]},
            source="by hand: tea, which two runs share, and Tea",
            files={FILE: _LETTER_TEXT},
            then=(
                ExampleCall(
                    "docx_convert_to_markdown",
                    {"file": "{made}"},
                    {"markdown": "We sell **juice** and juice.\n\nNo coffee.\n"},
                ),
            ),
        ),
        Example(
            {
                "file": FILE,
                "replacements": [{"find": "Tea", "replace": "Mate"}, {"find": "gin", "replace": "rum"}],
                "match_case": True,
                "whole_words": True,
            },
            {"replaced": 1, "counts": [1, 0]},
            source="by hand",
            files={FILE: _LETTER_TEXT},
        ),
        Refusal(
            {"file": FILE, "replacements": [{"find": "gin", "replace": "rum"}]},
            "contains none of these texts",
            files={FILE: _LETTER_TEXT},
        ),
    ),
    reply={
        "replaced": "I replaced {replaced|place}: {file}",
        "": "There was nothing to replace: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
)
def docx_replace_text(
    file: WordFile,
    replacements: Replacements,
    match_case: Annotated[bool, About("Whether to match case")] = False,
    whole_words: Annotated[bool, About("Whether to match whole words only")] = False,
) -> Replaced:
    """Replace texts in a Word document and keep its format: in the body, in tables, in page headers and footers.

    Use it to change names, dates or terms in a .docx file; words that Word stores in several parts are found too.
    Returns the new file and the number of replacements for each text.
    """
    patterns = [text_pattern(item["find"], match_case=match_case, whole_words=whole_words) for item in replacements]
    texts = [xml_text(item["replace"]) for item in replacements]
    with word(file) as document:
        counts = [0] * len(patterns)
        for paragraph in body_paragraphs(document):
            for number, (pattern, text) in enumerate(zip(patterns, texts, strict=True)):
                counts[number] += replace_in_runs(text_runs(paragraph), pattern, constant(text))
        if not any(counts):
            raise ToolError("The document contains none of these texts. Check their spelling, or match_case.")
        return {"file": save_document(document, "replaced.docx"), "replaced": sum(counts), "counts": counts}


@tool(
    tags="docx word header footer page numbers letterhead confidential",
    use_when=(
        "Add page numbers to this Word document",
        "Put 'Confidential' into the header of every page",
        "Write a footer with page x of y into report.docx",
    ),
    examples=(
        Example(
            {"file": FILE, "header": "Confidential", "footer": "Page {page} of {pages}"},
            {"file": "document.docx", "sections": 1},
            source="by hand",
            files={FILE: docx(para("Text"), "<w:sectPr/>")},
            then=(
                ExampleCall(
                    "docx_extract_text", {"file": "{made}"}, {"headers": ["Confidential"], "footers": ["Page 1 of 1"]}
                ),
            ),
        ),
        Example(
            {"file": FILE, "footer": "{page}", "align": "right"},
            {"sections": 1},
            source="by hand",
            files={FILE: docx(para("Text"), "<w:sectPr/>")},
            then=(ExampleCall("docx_extract_text", {"file": "{made}"}, {"headers": [], "footers": ["1"]}),),
        ),
        Refusal({"file": FILE}, "Give a header or a footer", files={FILE: docx(para("Text"))}),
    ),
    reply="The header and footer are set in {sections|section}: {file}",
    tier="starter",
    pace="normal",
)
def docx_set_header_footer(
    file: WordFile,
    header: Annotated[
        str | None, About("Text of the page header; empty removes it", "Confidential", max_length=500)
    ] = None,
    footer: Annotated[
        str | None,
        About(
            "Text of the page footer; {page} and {pages} become page numbers", "Page {page} of {pages}", max_length=500
        ),
    ] = None,
    align: Annotated[Literal["left", "center", "right"], About("Horizontal alignment")] = "center",
) -> Framed:
    """Set the page header and footer of a Word document; {page} and {pages} become live page numbers.

    Use it for page numbers, letterheads or a mark on each page. An omitted header or footer is not changed; all
    sections get the same. Returns the new file.
    """
    if header is None and footer is None:
        raise ToolError("Give a header or a footer, such as: Page {page} of {pages}.")
    with word(file) as document:
        sections = list(document.sections) or [document.add_section()]
        for section in sections:
            for part, text in ((section.header, header), (section.footer, footer)):
                if text is not None:
                    _frame(part, xml_text(text), align)
        return {"file": save_document(document, "document.docx"), "sections": len(sections)}


@tool(
    tags="docx word append insert add text section markdown paragraph table",
    use_when=(
        "Append a section to this Word document",
        "Add a table after the heading 'Costs' in report.docx",
        "Insert a paragraph below the introduction",
    ),
    examples=(
        Example(
            {"file": FILE, "markdown": "More *tea*.\n\n- one", "after_heading": "plan"},
            {"file": "document.docx", "blocks_added": 2},
            source="by hand",
            files={FILE: docx(para("Plan", style="Heading1"), para("Old."))},
            then=(
                ExampleCall(
                    "docx_convert_to_markdown",
                    {"file": "{made}"},
                    {"markdown": "# Plan\n\nMore *tea*.\n\none\n\nOld.\n"},
                ),
            ),
        ),
        Example(
            {"file": FILE, "markdown": "## End"},
            {"blocks_added": 1},
            source="by hand",
            files={FILE: docx(para("Old."))},
            then=(ExampleCall("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "Old.\n\n## End\n"}),),
        ),
        Refusal(
            {"file": FILE, "markdown": "x", "after_heading": "Costs"},
            "no heading Costs",
            files={FILE: docx(para("Plan", style="Heading1"))},
        ),
    ),
    reply="I added {blocks_added|paragraph or table|paragraphs and tables} to the document: {file}",
    tier="starter",
    credits=2,
    pace="normal",
)
def docx_insert_markdown(
    file: WordFile,
    markdown: Annotated[str, About("Markdown to insert", "## Costs\n\nAll is well.", min_length=1, max_length=200_000)],
    after_heading: Annotated[
        str, About("Heading below which to insert it; empty for the end of the document", "Costs", max_length=500)
    ] = "",
) -> Extended:
    """Add Markdown to a Word document, at its end or right below a heading, in the document's own styles.

    Use it to extend a report or minutes. Returns the new file and the number of added paragraphs and tables.
    """
    blocks = markdown_blocks(markdown)
    if not blocks:
        raise ToolError("The Markdown has no text.")
    with word(file) as document:
        body = document.element.body
        before = set(body)
        place = _heading_element(document, after_heading) if after_heading.strip() else None
        write(document, blocks)
        if place is not None:
            for element in reversed([child for child in body if child not in before]):
                place.addnext(element)
        return {"file": save_document(document, "document.docx"), "blocks_added": len(blocks)}


def text_runs(paragraph: Any) -> list[Any]:
    """Return the runs of a paragraph with visible text, including those in links and content controls."""
    return [
        Run(element, paragraph) for element in paragraph._p.xpath(SHOWN_RUNS) if not len(element.xpath("./w:drawing"))
    ]


def _frame(part: Any, text: str, align: str) -> None:
    """Replace a page header or footer."""
    part.is_linked_to_previous = False
    paragraph, *others = part.paragraphs
    for other in others:
        other._p.getparent().remove(other._p)
    for child in [child for child in paragraph._p if child.tag != qn("w:pPr")]:
        paragraph._p.remove(child)
    paragraph.alignment = WD_ALIGN_PARAGRAPH[align.upper()]
    for piece in re.split(r"(\{pages?\})", text):
        if piece in _FIELDS:
            _field(paragraph, _FIELDS[piece])
        elif piece:
            paragraph.add_run(piece)


def _field(paragraph: Any, instruction: str) -> None:
    """Return a field that Word computes (ECMA-376, part 1, section 17.16)."""
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), instruction)
    run = paragraph.add_run("1")
    paragraph._p.append(field)
    field.append(run._r)


def _heading_element(document: Any, heading: str) -> Any:
    for element, block in zip(body_elements(document), blocks_of(document), strict=True):
        if block.kind == "heading" and block.text.strip().casefold() == heading.strip().casefold():
            return element
    raise ToolError(f"The document has no heading {heading}. docx_list_headings lists them.")
