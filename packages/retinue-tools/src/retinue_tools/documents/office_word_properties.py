"""Properties of Word documents."""

from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_files import WordFile, save_document, word
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_samples import NOT_OFFICE, docx, para, text_run
from retinue_tools.documents._office_word_blocks import blocks_of, lines_of
from retinue_tools.documents._samples import FILE

_BY = 'w:id="1" w:author="Reviewer" w:date="2026-03-01T09:30:00Z"'
REVIEWED = docx(
    para(
        "We sell ",
        f"<w:del {_BY}><w:r><w:delText>tea</w:delText></w:r></w:del>",
        f"<w:ins {_BY}>{text_run('coffee')}</w:ins>",
        ".",
    )
)

Property = Annotated[str, About("New value", "Annual report", max_length=255)]


class Properties(TypedDict):
    """Properties of a Word document."""

    title: Annotated[str, About("Title")]
    author: Annotated[str, About("Author")]
    subject: Annotated[str, About("Subject")]
    keywords: Annotated[str, About("Keywords")]
    last_modified_by: Annotated[str, About("Author of the last change")]
    created: Annotated[str | None, About("Creation time, ISO 8601 in UTC")]
    modified: Annotated[str | None, About("Time of the last change, ISO 8601 in UTC")]
    revision: Annotated[int, About("Revision number")]
    paragraphs: Annotated[int, About("Number of paragraphs and table rows with text")]
    words: Annotated[int, About("Number of words in the body")]
    characters: Annotated[int, About("Number of characters in the body")]
    tables: Annotated[int, About("Number of tables")]
    pictures: Annotated[int, About("Number of stored pictures")]
    sections: Annotated[int, About("Number of sections")]
    page_width_mm: Annotated[float | None, About("Width of the first section's pages")]
    page_height_mm: Annotated[float | None, About("Height of the first section's pages")]


class Edited(TypedDict):
    """A document with changed properties."""

    file: OutputFile
    changed: Annotated[list[str], About("Names of the properties that were set")]


@tool(
    tags="docx word properties metadata author title dates statistics words pages",
    use_when=(
        "Who wrote this Word document and when?",
        "How many words has thesis.docx?",
        "Show the metadata of the .docx file",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"paragraphs": 1, "words": 3, "tables": 0, "pictures": 0, "sections": 0, "page_width_mm": None},
            source="We sell coffee: the paragraph with its insertion made",
            files={FILE: REVIEWED},
        ),
        Refusal({"file": FILE}, "is not a valid Word document (.docx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "title, author": "\u201c{title}\u201d was written by {author} and has {words|word}.",
        "author": "The document was written by {author} and has {words|word}.",
        "title": "\u201c{title}\u201d names no author and has {words|word}.",
        "": "The document names no author and has {words|word}.",
    },
    tier="starter",
    pace="normal",
)
def docx_read_properties(file: WordFile) -> Properties:
    """Read the properties and statistics of a Word document.

    Use it for author, title, dates, paper and length of a .docx file. Words are counted in the body, including tables.
    """
    with word(file) as document:
        core = document.core_properties
        texts = [text for block in blocks_of(document) for _, _, text in lines_of(block) if text]
        section = document.sections[0] if len(document.sections) else None
        return {
            "title": str(core.title),
            "author": str(core.author),
            "subject": str(core.subject),
            "keywords": str(core.keywords),
            "last_modified_by": str(core.last_modified_by),
            "created": iso_time(core.created),
            "modified": iso_time(core.modified),
            "revision": int(core.revision),
            "paragraphs": len(texts),
            "words": sum(len(text.split()) for text in texts),
            "characters": sum(map(len, texts)),
            "tables": len(document.tables),
            "pictures": len(_pictures(document)),
            "sections": len(document.sections),
            "page_width_mm": _millimetres(section and section.page_width),
            "page_height_mm": _millimetres(section and section.page_height),
        }


@tool(
    tags="docx word properties metadata set author title remove anonymise clean",
    use_when=(
        "Set the title and author of this Word document",
        "Remove the author from the .docx before I publish it",
        "Change the keywords of report.docx",
    ),
    examples=(
        Example(
            {"file": FILE, "title": "Tea", "author": ""},
            {"file": "document.docx", "changed": ["title", "author", "last_modified_by"]},
            source="by hand",
            files={FILE: REVIEWED},
            then=(ExampleCall("docx_read_properties", {"file": "{made}"}, {"title": "Tea", "author": ""}),),
        ),
        Refusal({"file": FILE}, "Nothing to change", files={FILE: REVIEWED}),
    ),
    reply={
        "changed": "I changed the properties of the document: {file}",
        "": "The document: {file}",
    },
    tier="starter",
    pace="normal",
)
def docx_set_properties(
    file: WordFile,
    title: Property | None = None,
    author: Property | None = None,
    subject: Property | None = None,
    keywords: Property | None = None,
) -> Edited:
    """Change title, author, subject or keywords of a Word document; an empty text removes one.

    Use it before a document is published. The author is also set as the author of the last change. Omitted properties
    are not changed.
    """
    fields = {"title": title, "author": author, "subject": subject, "keywords": keywords, "last_modified_by": author}
    changes = {name: value for name, value in fields.items() if value is not None}
    if not changes:
        raise ToolError("Nothing to change: give title, author, subject or keywords.")
    with word(file) as document:
        for name, value in changes.items():
            setattr(document.core_properties, name, xml_text(value))
        return {"file": save_document(document, "document.docx"), "changed": list(changes)}


def iso_time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _millimetres(length: Any) -> float | None:
    return round(float(length.mm), 1) if length else None


def _pictures(document: Any) -> set[str]:
    """Return the names of the pictures of a document."""
    parts = document.part.package.iter_parts()
    return {PurePosixPath(str(part.partname)).name for part in parts if str(part.content_type).startswith("image/")}
