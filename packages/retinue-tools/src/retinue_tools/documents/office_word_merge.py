"""Mail merge from rows of a table, and merging of Word documents."""

from collections.abc import Sequence
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

import docx as word_library
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_files import WordFile, save_document, word
from retinue_tools.documents._office_runs import PLACEHOLDER, filling, placeholders, replace_in_runs, row_values
from retinue_tools.documents._office_samples import NOT_OFFICE, docx, para, text_run
from retinue_tools.documents._office_word_blocks import body_paragraphs, paragraph_text
from retinue_tools.documents._samples import FILE, FILE_2
from retinue_tools.documents.office_word_edit import text_runs

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_NOTES = ("w:commentRangeStart", "w:commentRangeEnd", "w:commentReference", "w:footnoteReference", "w:endnoteReference")
_HOLDERS = ("w:drawing", "w:object", "w:pict", "w:altChunk", "w:subDoc")


class MergedDocument(TypedDict):
    """Merged documents."""

    file: OutputFile
    documents: Annotated[int, About("Number of merged documents")]
    paragraphs: Annotated[int, About("Number of paragraphs outside tables")]
    left_out: Annotated[int, About("Number of omitted comments, notes and objects of the later documents")]


@tool(
    tags="docx word merge combine join append documents",
    use_when=(
        "Join these three Word documents into one",
        "Append the annex to the contract",
        "Combine chapter files to one .docx",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE_2]},
            {"file": "merged.docx", "documents": 2, "paragraphs": 3},
            source="one paragraph each and one with the page break",
            files={FILE: docx(para("First.")), FILE_2: docx(para("Second."))},
            then=(ExampleCall("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "First.\n\nSecond.\n"}),),
        ),
        Example(
            {"files": [FILE, FILE_2], "new_pages": False},
            {"paragraphs": 2},
            source="by hand",
            files={FILE: docx(para("First.")), FILE_2: docx(para("Second."))},
        ),
        Refusal(
            {"files": [FILE, FILE_2]},
            "is not a valid Word document (.docx)",
            files={FILE: docx(para("First.")), FILE_2: NOT_OFFICE},
        ),
    ),
    reply={
        "left_out": (
            "I joined {documents|document}, without {left_out|comment, note or "
            "object|comments, notes and objects} of the later ones: {file}"
        ),
        "": "I joined {documents|document}: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def docx_merge_documents(
    files: Annotated[list[WordFile], About("IDs of Word files in order", [FILE, FILE_2], min_items=2, max_items=50)],
    new_pages: Annotated[bool, About("Whether each document begins on a new page")] = True,
) -> MergedDocument:
    """Join Word documents into one that has the styles, margins, headers and footers of the first.

    Use it for chapters or annexes. Text, tables, lists, links and pictures are kept; comments, notes, charts and
    embedded objects of the later documents are omitted and counted. Returns the merged file.
    """
    with word(files[0]) as target:
        left_out = 0
        for file in files[1:]:
            if new_pages:
                target.add_page_break()
            with word(file) as source:
                left_out += append_document(target, source)
        return {
            "file": save_document(target, "merged.docx"),
            "documents": len(files),
            "paragraphs": len(target.paragraphs),
            "left_out": left_out,
        }


def append_document(target: Any, source: Any) -> int:
    """Append the body of a document to another. Returns the number of omitted objects and notes."""
    _copy_styles(target, source)
    numbers: dict[int, int] = {}
    left_out = 0
    body = target.element.body
    for element in source.element.body:
        if element.tag == qn("w:sectPr"):
            continue
        copy = deepcopy(element)
        for note in list(copy.iter(*map(qn, _NOTES))):
            note.getparent().remove(note)
            left_out += 1
        left_out += sum(not _find_related(found, target, source) for found in list(copy.iter()))
        for number in copy.iter(qn("w:numId")):
            number.val = _copy_numbering(target, source, number.val, numbers)
        body.insert_element_before(copy, "w:sectPr")
    return left_out


def _copy_styles(target: Any, source: Any) -> None:
    """Copy the styles that a document lacks from another."""
    known = {style.style_id for style in target.styles}
    for style in source.styles:
        if style.style_id not in known:
            copy = deepcopy(style.element)
            copy.attrib.pop(qn("w:default"), None)
            target.styles.element.append(copy)


def _find_related(element: Any, target: Any, source: Any) -> bool:
    """Copy the links and pictures of a copied element to the target; False if the element was removed instead."""
    for attribute in [name for name in element.attrib if name.startswith(_RELATION)]:
        relation = source.part.rels.get(element.get(attribute))
        if relation is None:
            continue
        if relation.is_external:
            relation_id = target.part.relate_to(relation.target_ref, relation.reltype, is_external=True)
        elif relation.reltype == RELATIONSHIP_TYPE.IMAGE:
            relation_id, _ = target.part.get_or_add_image(BytesIO(relation.target_part.blob))
        else:
            _remove_holder(element)
            return False
        element.set(attribute, relation_id)
    return True


def _remove_holder(element: Any) -> None:
    """Remove an object from its document, with the drawing around it."""
    holder = next((above for above in element.iterancestors(*map(qn, _HOLDERS))), element)
    if holder.getparent() is not None:
        holder.getparent().remove(holder)


def _copy_numbering(target: Any, source: Any, number: int, known: dict[int, int]) -> int:
    """Return the number, in the target, of a list of the source, which is copied on first use."""
    if number not in known:
        old = source.part.numbering_part.element
        new = target.part.numbering_part.element
        found = old.xpath(f"./w:abstractNum[@w:abstractNumId = ../w:num[@w:numId='{number}']/w:abstractNumId/@w:val]")
        known[number] = 0
        if found:
            copy = deepcopy(found[0])
            taken = [int(value) for value in new.xpath("./w:abstractNum/@w:abstractNumId")]
            copy.set(qn("w:abstractNumId"), str(max(taken, default=0) + 1))
            new.insert(len(taken), copy)
            known[number] = int(new.add_num(max(taken, default=0) + 1).numId)
    return known[number]


_MOST_LETTERS = 200
_LETTER = docx(para("Dear {{", text_run("name", "<w:b/>"), "}},"), para("You owe {{amount}} euro."))


class Letters(TypedDict):
    """Letters created from a template."""

    files: Annotated[list[OutputFile], About("One file, or one for each row")]
    letters: Annotated[int, About("Number of letters")]
    placeholders: Annotated[list[str], About("Placeholders of the template")]
    unused_fields: Annotated[list[str], About("Fields of the rows that the template does not use")]


@tool(
    tags="docx word mail merge letters template placeholders fill rows serial form",
    use_when=(
        "Write this letter to each customer in the list",
        "Fill the {{name}} placeholders of my Word template",
        "Mail merge these rows into a .docx template",
        "Fill a letter for each person in a spreadsheet",
        "Personal letters to everybody on my list",
    ),
    examples=(
        Example(
            {"file": FILE, "rows": [{"name": "Ada", "amount": 12.5, "city": "Bonn"}, {"name": "Bob", "amount": 7}]},
            {
                "files": ["letters.docx"],
                "letters": 2,
                "placeholders": ["amount", "name"],
                "unused_fields": ["city"],
            },
            source="by hand",
            files={FILE: _LETTER},
            then=(
                ExampleCall(
                    "docx_convert_to_markdown",
                    {"file": "{made}"},
                    {"markdown": "Dear Ada,\n\nYou owe 12.5 euro.\n\nDear Bob,\n\nYou owe 7 euro.\n"},
                ),
            ),
        ),
        Example(
            {"file": FILE, "rows": [{"name": "Ada"}, {"name": "Bob"}], "output": "separate", "missing": "blank"},
            {"files": ["letter-001.docx", "letter-002.docx"], "letters": 2},
            source="by hand",
            files={FILE: _LETTER},
            then=(
                ExampleCall(
                    "docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "Dear Ada,\n\nYou owe  euro.\n"}
                ),
            ),
        ),
        Refusal({"file": FILE, "rows": [{"name": "Ada"}]}, "Row 1 has no field amount", files={FILE: _LETTER}),
    ),
    reply={
        "files": "I wrote {letters|letter}: {files}",
        "": "There was no letter to write.",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def docx_merge_mail(
    file: WordFile,
    rows: Annotated[
        list[dict[str, Annotated[str | float | bool | None, About("Value", "Ada", max_length=5000)]]],
        About("One object for each letter", [{"name": "Ada", "amount": 12.5}], min_items=1, max_items=_MOST_LETTERS),
    ],
    output: Annotated[Literal["one_file", "separate"], About("All letters in one file, or a file each")] = "one_file",
    missing: Annotated[
        Literal["refuse", "blank", "keep"], About("Handling of rows that lack a placeholder's field")
    ] = "refuse",
) -> Letters:
    """Fill the placeholders {{field}} of a Word template once for each row (mail merge).

    Use it for letters, certificates, contracts or labels from a list. Placeholders may be in the body, in tables and in
    page headers; case is ignored. Returns one file with page breaks, or a file for each row.
    """
    content = Path(file).read_bytes()
    with word(file) as template:
        names = placeholders(paragraph_text(paragraph) for paragraph in body_paragraphs(template))
        if not names:
            raise ToolError("The template has no placeholders. Write them as {{name}} at the position of a value.")
        filled = []
        for number, row in enumerate(rows, 1):
            letter = word_library.Document(BytesIO(content))
            values = row_values(row, names, number, missing)
            for paragraph in body_paragraphs(letter):
                replace_in_runs(text_runs(paragraph), PLACEHOLDER, filling(values))
            filled.append(letter)
        used = {name.casefold() for name in names}
        return {
            "files": _letter_files(filled, output),
            "letters": len(filled),
            "placeholders": names,
            "unused_fields": sorted({name for row in rows for name in row if name.strip().casefold() not in used}),
        }


def _letter_files(letters: Sequence[Any], output: str) -> list[str]:
    if output == "separate":
        return [save_document(letter, f"letter-{number:03}.docx") for number, letter in enumerate(letters, 1)]
    joined = letters[0]
    for letter in letters[1:]:
        joined.add_page_break()
        append_document(joined, letter)
    return [save_document(joined, "letters.docx")]
