"""Joining Word documents."""

from copy import deepcopy
from io import BytesIO
from typing import Annotated, Any

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, MadeFile, Refusal, tool
from retinue_tools.documents._office_files import WordFile, save_document, word
from retinue_tools.documents._office_samples import NOT_OFFICE, docx, para
from retinue_tools.documents._samples import FILE, FILE_2

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_NOTES = ("w:commentRangeStart", "w:commentRangeEnd", "w:commentReference", "w:footnoteReference", "w:endnoteReference")
_HOLDERS = ("w:drawing", "w:object", "w:pict", "w:altChunk", "w:subDoc")


class MergedDocument(TypedDict):
    """Several documents in one."""

    file: MadeFile
    documents: Annotated[int, About("How many documents were joined")]
    paragraphs: Annotated[int, About("Paragraphs outside of tables")]
    left_out: Annotated[int, About("Comments, notes and objects of the later documents that were left out")]


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
            then=(Call("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "First.\n\nSecond.\n"}),),
        ),
        Example(
            {"files": [FILE, FILE_2], "new_pages": False},
            {"paragraphs": 2},
            source="by hand",
            files={FILE: docx(para("First.")), FILE_2: docx(para("Second."))},
        ),
        Refusal(
            {"files": [FILE, FILE_2]}, "is no Word document", files={FILE: docx(para("First.")), FILE_2: NOT_OFFICE}
        ),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def docx_merge_documents(
    files: Annotated[
        list[WordFile], About("Ids of Word files in their order", [FILE, FILE_2], min_items=2, max_items=50)
    ],
    new_pages: Annotated[bool, About("Whether each document begins on a new page")] = True,
) -> MergedDocument:
    """Join Word documents into one that has the styles, margins, headers and footers of the first.

    Use it for chapters or annexes. Text, tables, lists, links and pictures are kept; comments, notes, charts and
    embedded objects of the later documents are left out, and counted. Returns the joined file.
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
    """Copy the body of a document to the end of another. Returns how many objects and notes were left out."""
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
            number.val = _numbering(target, source, number.val, numbers)
        body.insert_element_before(copy, "w:sectPr")
    return left_out


def _copy_styles(target: Any, source: Any) -> None:
    """Give a document the styles of another that it lacks."""
    known = {style.style_id for style in target.styles}
    for style in source.styles:
        if style.style_id not in known:
            copy = deepcopy(style.element)
            copy.attrib.pop(qn("w:default"), None)
            target.styles.element.append(copy)


def _find_related(element: Any, target: Any, source: Any) -> bool:
    """Make the links and pictures of a copied element those of the target; False if it was removed instead."""
    for attribute in [name for name in element.attrib if name.startswith(_RELATION)]:
        relation = source.part.rels.get(element.get(attribute))
        if relation is None:
            continue
        if relation.is_external:
            made = target.part.relate_to(relation.target_ref, relation.reltype, is_external=True)
        elif relation.reltype == RELATIONSHIP_TYPE.IMAGE:
            made, _ = target.part.get_or_add_image(BytesIO(relation.target_part.blob))
        else:
            _remove_holder(element)
            return False
        element.set(attribute, made)
    return True


def _remove_holder(element: Any) -> None:
    """Take an object out of its document, with the drawing around it."""
    holder = next((above for above in element.iterancestors(*map(qn, _HOLDERS))), element)
    if holder.getparent() is not None:
        holder.getparent().remove(holder)


def _numbering(target: Any, source: Any, number: int, known: dict[int, int]) -> int:
    """The number, in the target, of a list of the source, which is copied when it is met first."""
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
