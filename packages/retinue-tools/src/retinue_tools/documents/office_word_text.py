"""Text of Word documents: extraction, conversion to Markdown and comparison."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, OutputFile, Refusal, save, tool
from retinue_tools.documents._office_files import WordFile, word
from retinue_tools.documents._office_samples import NOT_OFFICE, docx, para, text_run, word_table
from retinue_tools.documents._office_word_blocks import blocks_of, lines_of, markdown_of, paragraph_text
from retinue_tools.documents._samples import FILE, FILE_2

_MOST_PARAGRAPHS, _MOST_CHANGES = 5000, 1000
PLAN = docx(
    para("Plan", style="Heading1"),
    para("We sell ", text_run("tea", "<w:b/>"), "."),
    para("Costs", style="Heading2"),
    word_table(("Item", "Price"), ("Pot", "12"), ("Cup", "3")),
    para("All in euro."),
)
_REVISED = docx(para("Plan", style="Heading1"), para("We sell coffee."), para("All in euro."))

MostCharacters = Annotated[int, About("Maximum number of characters", minimum=1, maximum=2_000_000)]


class Paragraph(TypedDict):
    """A paragraph or a row of a table."""

    kind: Annotated[str, About("heading, paragraph, list or table")]
    level: Annotated[int, About("Level of a heading, from 1; 0 for other kinds")]
    text: Annotated[str, About("Text; cells of a table row are separated by tabs")]


class WordText(TypedDict):
    """Text of a Word document."""

    paragraphs: Annotated[list[Paragraph], About("Paragraphs and rows with text, in order, at most 5000")]
    words: Annotated[int, About("Number of words in the body")]
    characters: Annotated[int, About("Number of characters returned")]
    truncated: Annotated[bool, About("Whether the text is truncated")]
    headers: Annotated[list[str], About("Distinct texts of page headers")]
    footers: Annotated[list[str], About("Distinct texts of page footers")]


class Markdown(TypedDict):
    """A document as Markdown."""

    markdown: Annotated[str, About("Markdown, up to the character limit")]
    characters: Annotated[int, About("Number of characters of the whole Markdown")]
    truncated: Annotated[bool, About("Whether the returned Markdown is truncated; the file contains all of it")]
    file: OutputFile


class Change(TypedDict):
    """A paragraph that differs between two documents."""

    kind: Annotated[str, About("removed, added or changed")]
    before: Annotated[str, About("Paragraph in the first document")]
    after: Annotated[str, About("Paragraph in the second")]


class Comparison(TypedDict):
    """Differences between the texts of two documents."""

    identical: Annotated[bool, About("Whether the texts are equal")]
    similarity_percent: Annotated[
        float,
        About("Similarity: 200 times the number of common paragraphs divided by the sum of both documents' paragraphs"),
    ]
    changes: Annotated[list[Change], About("Changes in order, at most 1000")]
    removed: Annotated[int, About("Number of paragraphs only in the first")]
    added: Annotated[int, About("Number of paragraphs only in the second")]
    changed: Annotated[int, About("Number of reworded paragraphs")]


@tool(
    tags="docx word text extract read paragraphs content headings header footer",
    use_when=(
        "What does this Word document say?",
        "Read the text of report.docx with its headings",
        "What stands in the page footer of this Word file?",
        "Read what a Word file says",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "paragraphs": [
                    {"kind": "heading", "level": 1, "text": "Plan"},
                    {"kind": "paragraph", "level": 0, "text": "We sell tea."},
                    {"kind": "heading", "level": 2, "text": "Costs"},
                    {"kind": "table", "level": 0, "text": "Item\tPrice"},
                    {"kind": "table", "level": 0, "text": "Pot\t12"},
                    {"kind": "table", "level": 0, "text": "Cup\t3"},
                    {"kind": "paragraph", "level": 0, "text": "All in euro."},
                ],
                "words": 14,
                "truncated": False,
            },
            source="the paragraphs that the document was written with",
            files={FILE: PLAN},
        ),
        Example(
            {"file": FILE, "max_characters": 6},
            {
                "paragraphs": [
                    {"kind": "heading", "level": 1, "text": "Plan"},
                    {"kind": "paragraph", "level": 0, "text": "We"},
                ],
                "characters": 6,
                "truncated": True,
            },
            source="by hand: Plan has four characters",
            files={FILE: PLAN},
        ),
        Refusal({"file": FILE}, "is not a valid Word document (.docx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "truncated, paragraphs": "The beginning of the document: {paragraphs}",
        "paragraphs": "The document has {words|word}: {paragraphs}",
        "": "There is no text in the document.",
    },
    tier="starter",
    pace="normal",
)
def docx_extract_text(file: WordFile, max_characters: MostCharacters = 100_000) -> WordText:
    """Extract the text of a Word document, paragraph by paragraph, with headings and tables in position.

    Use it to read, summarise or quote a .docx file. Returns the paragraphs, the number of words, and the texts of page
    headers and footers. docx_convert_to_markdown returns one text with bold, lists and links.
    """
    with word(file) as document:
        every = [
            Paragraph(kind=kind, level=level, text=text)
            for block in blocks_of(document)
            for kind, level, text in lines_of(block)
            if text.strip()
        ]
        headers = [_join(section.header) for section in document.sections]
        footers = [_join(section.footer) for section in document.sections]
    paragraphs = _within(every[:_MOST_PARAGRAPHS], max_characters)
    characters = sum(len(line["text"]) for line in paragraphs)
    return {
        "paragraphs": paragraphs,
        "words": sum(len(line["text"].split()) for line in every),
        "characters": characters,
        "truncated": characters < sum(len(line["text"]) for line in every),
        "headers": sorted({text for text in headers if text}),
        "footers": sorted({text for text in footers if text}),
    }


@tool(
    tags="docx word markdown convert export md text headings lists tables",
    use_when=(
        "Convert this Word document to Markdown",
        "Turn report.docx into a .md file for the wiki",
        "Give me the document as Markdown with its tables",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "markdown": "# Plan\n\nWe sell **tea**.\n\n## Costs\n\n| Item | Price |\n| --- | --- |\n| Pot | 12 |\n"
                "| Cup | 3 |\n\nAll in euro.\n",
                "truncated": False,
                "file": "document.md",
            },
            source="CommonMark and the tables of GitHub's Markdown, by hand",
            files={FILE: PLAN},
        ),
        Example(
            {"file": FILE, "max_characters": 6},
            {"markdown": "# Plan", "truncated": True},
            source="by hand",
            files={FILE: PLAN},
        ),
        Refusal({"file": FILE}, "is not a valid Word document (.docx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "truncated": "The document is long, so the whole Markdown is in a file: {file}",
        "markdown": "The document in Markdown: {markdown}",
        "": "The Markdown file: {file}",
    },
    tier="starter",
    pace="normal",
)
def docx_convert_to_markdown(file: WordFile, max_characters: MostCharacters = 100_000) -> Markdown:
    """Convert a Word document to Markdown with headings, bold and italic, links, lists and tables.

    Use it to convert a .docx file for a wiki, a repository or a prompt. Returns the Markdown and a file with all of it;
    pictures are omitted.
    """
    with word(file) as document:
        markdown = markdown_of(blocks_of(document))
    return {
        "markdown": markdown[:max_characters],
        "characters": len(markdown),
        "truncated": len(markdown) > max_characters,
        "file": save("document.md", markdown.encode()),
    }


@tool(
    tags="docx word compare diff versions changes revision contract",
    use_when=(
        "What changed between these two Word documents?",
        "Compare contract v1.docx with v2.docx",
        "Which paragraphs were added to the new version?",
        "What changed between two versions of a contract?",
    ),
    examples=(
        Example(
            {"file": FILE, "other_file": FILE_2},
            {
                "identical": False,
                "similarity_percent": 40.0,
                "changes": [
                    {"kind": "changed", "before": "We sell tea.", "after": "We sell coffee."},
                    {"kind": "removed", "before": "Costs", "after": ""},
                    {"kind": "removed", "before": "Item\tPrice", "after": ""},
                    {"kind": "removed", "before": "Pot\t12", "after": ""},
                    {"kind": "removed", "before": "Cup\t3", "after": ""},
                ],
                "removed": 4,
                "added": 0,
                "changed": 1,
            },
            source="two paragraphs of seven and three are common: 100 * 2 * 2 / 10",
            files={FILE: PLAN, FILE_2: _REVISED},
        ),
        Example(
            {"file": FILE, "other_file": FILE_2},
            {"identical": True, "similarity_percent": 100.0, "changes": []},
            source="a document does not differ from itself",
            files={FILE: PLAN, FILE_2: PLAN},
        ),
        Refusal(
            {"file": FILE, "other_file": FILE_2},
            "is not a valid Word document (.docx)",
            files={FILE: PLAN, FILE_2: NOT_OFFICE},
        ),
    ),
    reply={
        "identical": "The texts of both documents are the same.",
        "changes": "The documents are {similarity_percent} % alike. The changes: {changes}",
        "": "The documents are {similarity_percent} % alike.",
    },
    tier="starter",
    pace="normal",
)
def docx_compare_text(
    file: WordFile, other_file: Annotated[WordFile, About("ID of the Word file to compare with", FILE_2)]
) -> Comparison:
    """Compare the texts of two Word documents paragraph by paragraph.

    Use it for two versions of a contract or report. Returns the paragraphs removed, added and reworded, and the
    similarity of the documents; formatting is not compared.
    """
    before, after = _lines(file), _lines(other_file)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changes: list[Change] = []
    for operation, start, end, other_start, other_end in matcher.get_opcodes():
        if operation != "equal":
            changes += _changes(before[start:end], after[other_start:other_end])
    counts = {kind: sum(change["kind"] == kind for change in changes) for kind in ("removed", "added", "changed")}
    return {
        "identical": not changes,
        "similarity_percent": round(100 * matcher.ratio(), 2),
        "changes": changes[:_MOST_CHANGES],
        "removed": counts["removed"],
        "added": counts["added"],
        "changed": counts["changed"],
    }


def _within(lines: Sequence[Paragraph], room: int) -> list[Paragraph]:
    """Return the first lines, of no more than `room` characters in total."""
    selected: list[Paragraph] = []
    for line in lines:
        if room <= 0:
            break
        selected.append({**line, "text": line["text"][:room]})
        room -= len(line["text"])
    return selected


def _join(part: Any) -> str:
    """Return the text of a page header or footer."""
    return "\n".join(paragraph_text(paragraph) for paragraph in part.paragraphs).strip()


def _lines(file: str) -> list[str]:
    with word(file) as document:
        return [text for block in blocks_of(document) for _, _, text in lines_of(block) if text]


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    """Return the changes. Paragraphs at the same position count as reworded if they share half of their words, or if
    there is one each.
    """
    paired = min(len(before), len(after))
    for old, new in zip(before, after, strict=False):
        if len(before) == len(after) == 1 or difflib.SequenceMatcher(None, old.split(), new.split()).ratio() >= 0.5:
            yield {"kind": "changed", "before": old, "after": new}
        else:
            yield {"kind": "removed", "before": old, "after": ""}
            yield {"kind": "added", "before": "", "after": new}
    for old in before[paired:]:
        yield {"kind": "removed", "before": old, "after": ""}
    for new in after[paired:]:
        yield {"kind": "added", "before": "", "after": new}
