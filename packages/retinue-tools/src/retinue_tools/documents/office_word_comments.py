"""Comments and tracked changes of Word documents."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired

from docx.oxml.ns import qn
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_files import WordFile, save_document, word
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_samples import NOT_OFFICE, docx, para
from retinue_tools.documents._samples import FILE
from retinue_tools.documents.office_word_properties import REVIEWED, iso_time

_MOST_CHANGES = 2000
_MOVE_MARKS = ("w:moveFromRangeStart", "w:moveFromRangeEnd", "w:moveToRangeStart", "w:moveToRangeEnd")
_COMMENT_MARKS = ("w:commentRangeStart", "w:commentRangeEnd", "w:commentReference")
_KINDS = {"ins": "inserted", "del": "deleted", "moveFrom": "moved_from", "moveTo": "moved_to"}


class Comment(TypedDict):
    """A comment."""

    author: Annotated[str, About("Author of the comment")]
    date: Annotated[str | None, About("Date, ISO 8601")]
    text: Annotated[str, About("Text of the comment")]
    on: Annotated[str, About("Commented text")]


class TrackedChange(TypedDict):
    """A tracked change."""

    kind: Annotated[str, About("inserted, deleted, moved_from or moved_to")]
    author: Annotated[str, About("Author of the change")]
    date: Annotated[str | None, About("Date, ISO 8601")]
    text: Annotated[str, About("Inserted or deleted text")]
    paragraph: Annotated[str, About("Paragraph after the change")]


class Review(TypedDict):
    """Comments and tracked changes."""

    comments: Annotated[list[Comment], About("Comments in order")]
    changes: Annotated[list[TrackedChange], About("Tracked changes in order, at most 2000")]
    authors: Annotated[list[str], About("Authors of comments or changes")]


class Resolved(TypedDict):
    """A document without tracked changes."""

    file: OutputFile
    insertions: Annotated[int, About("Number of resolved insertions")]
    deletions: Annotated[int, About("Number of resolved deletions")]
    comments_removed: Annotated[int, About("Number of removed comments")]


class Commented(TypedDict):
    """A document with new comments."""

    file: OutputFile
    added: Annotated[int, About("Number of added comments")]


class NewComment(TypedDict):
    """A comment to add."""

    on: Annotated[str, About("Words of the paragraph to comment on", "net profit", min_length=1, max_length=500)]
    text: Annotated[str, About("Text of the comment", "Please check.", min_length=1, max_length=5000)]
    author: NotRequired[Annotated[str, About("Author of the comment", "Reviewer", max_length=100)]]


@tool(
    tags="docx word comments review tracked changes revisions markup",
    use_when=(
        "List the comments in this Word document",
        "What tracked changes are in contract.docx, and by whom?",
        "What did the reviewers say about my draft?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "comments": [],
                "changes": [
                    {
                        "kind": "deleted", "author": "Reviewer", "date": "2026-03-01T09:30:00Z", "text": "tea",
                        "paragraph": "We sell coffee.",
                    },
                    {
                        "kind": "inserted", "author": "Reviewer", "date": "2026-03-01T09:30:00Z", "text": "coffee",
                        "paragraph": "We sell coffee.",
                    },
                ],
                "authors": ["Reviewer"],
            },
            source="the changes that the document was written with (ECMA-376, part 1, section 17.13.5)",
            files={FILE: REVIEWED},
        ),
        Refusal({"file": FILE}, "is not a valid Word document (.docx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "comments, changes": "The document contains tracked changes as well as these comments: {comments}",
        "comments": "The comments: {comments}",
        "changes": "There are no comments, but these tracked changes: {changes}",
        "": "The document has neither comments nor tracked changes.",
    },
    tier="starter",
    pace="normal",
)  # fmt: skip
def docx_list_comments(file: WordFile) -> Review:
    """List the comments and the tracked changes of a Word document, with authors, dates and positions.

    Use it to process a review. docx_resolve_changes accepts or rejects the changes.
    """
    with word(file) as document:
        comments = [_comment(comment, document) for comment in document.comments]
        changes = [change for paragraph in document.element.body.iter(qn("w:p")) for change in _changes(paragraph)]
    authors = {comment["author"] for comment in comments} | {change["author"] for change in changes}
    return {"comments": comments, "changes": changes[:_MOST_CHANGES], "authors": sorted(authors)}


@tool(
    tags="docx word comment add annotate review note",
    use_when=(
        "Add a comment to the paragraph about liability",
        "Leave review notes in this Word document",
        "Comment on 'net profit' in report.docx",
    ),
    examples=(
        Example(
            {"file": FILE, "comments": [{"on": "we sell", "text": "Since when?", "author": "Editor"}]},
            {"file": "commented.docx", "added": 1},
            source="by hand",
            files={FILE: docx(para("Plan"), para("We sell tea."))},
            then=(
                ExampleCall(
                    "docx_list_comments",
                    {"file": "{made}"},
                    {"authors": ["Editor"], "changes": []},
                ),
            ),
        ),
        Refusal(
            {"file": FILE, "comments": [{"on": "coffee", "text": "Why?"}]},
            "No paragraph contains",
            files={FILE: docx(para("We sell tea."))},
        ),
    ),
    reply="I added {added|comment} to the document: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    idempotent=False,
)
def docx_add_comments(
    file: WordFile,
    comments: Annotated[
        list[NewComment],
        About("Comments", [{"on": "net profit", "text": "Please check."}], min_items=1, max_items=200),
    ],
) -> Commented:
    """Add comments to a Word document, each to the first paragraph that contains the quoted words.

    Use it to return a review as real Word comments. Case is ignored. Returns the new file.
    """
    with word(file) as document:
        for comment in comments:
            quoted = comment["on"].casefold()
            places = [found for found in document.paragraphs if quoted in str(found.text).casefold() and found.runs]
            if not places:
                raise ToolError(f"No paragraph contains: {comment['on'][:100]}. Quote words exactly as they occur.")
            author = xml_text(comment.get("author", "Reviewer"))
            document.add_comment(places[0].runs, xml_text(comment["text"]), author, author[:1].upper())
        return {"file": save_document(document, "commented.docx"), "added": len(comments)}


@tool(
    tags="docx word tracked changes accept reject resolve final clean comments remove",
    use_when=(
        "Accept all tracked changes in this Word document",
        "Reject every change the other side made in contract.docx",
        "Make a clean final version without comments",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"file": "resolved.docx", "insertions": 1, "deletions": 1, "comments_removed": 0},
            source="the two changes that the document was written with",
            files={FILE: REVIEWED},
            then=(ExampleCall("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "We sell coffee.\n"}),),
        ),
        Example(
            {"file": FILE, "action": "reject", "remove_comments": True},
            {"insertions": 1, "deletions": 1},
            source="by hand: what was deleted is there again",
            files={FILE: REVIEWED},
            then=(ExampleCall("docx_convert_to_markdown", {"file": "{made}"}, {"markdown": "We sell tea.\n"}),),
        ),
        Refusal({"file": FILE}, "is not a valid Word document (.docx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "args.action": "I {args.action}ed {insertions|insertion} and {deletions|deletion}: {file}",
        "": "I accepted {insertions|insertion} and {deletions|deletion}: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
)
def docx_resolve_changes(
    file: WordFile,
    action: Annotated[Literal["accept", "reject"], About("Accept or reject all tracked changes")] = "accept",
    remove_comments: Annotated[bool, About("Whether to remove the comments too")] = False,
) -> Resolved:
    """Accept or reject all tracked changes of a Word document, and optionally remove its comments.

    Use it for a clean version after a review. Moves count as a deletion and an insertion; changes of format are kept.
    Returns the new file and the numbers of resolved changes.
    """
    with word(file) as document:
        body = document.element.body
        insertions = list(body.iter(qn("w:ins"), qn("w:moveTo")))
        deletions = list(body.iter(qn("w:del"), qn("w:moveFrom")))
        kept, dropped = (insertions, deletions) if action == "accept" else (deletions, insertions)
        for element in dropped:
            _drop(element)
        for element in kept:
            _unwrap(element)
        for text in body.iter(qn("w:delText")):
            text.tag = qn("w:t")
        for mark in list(body.iter(*map(qn, _MOVE_MARKS))):
            mark.getparent().remove(mark)
        removed = _remove_comments(document) if remove_comments else 0
        return {
            "file": save_document(document, "resolved.docx"),
            "insertions": len(insertions),
            "deletions": len(deletions),
            "comments_removed": removed,
        }


def _comment(comment: Any, document: Any) -> Comment:
    return {
        "author": str(comment.author),
        "date": iso_time(comment.timestamp),
        "text": str(comment.text),
        "on": _commented_text(document.element.body, str(comment.comment_id)),
    }


def _commented_text(body: Any, number: str) -> str:
    """Return the text between the marks of a comment."""
    within, text = False, ""
    for element in body.iter(qn("w:commentRangeStart"), qn("w:commentRangeEnd"), qn("w:t"), qn("w:p")):
        if element.tag == qn("w:t"):
            text += (element.text or "") if within else ""
        elif element.tag == qn("w:p"):
            text += "\n" if within and text else ""
        elif element.get(qn("w:id")) == number:
            within = element.tag == qn("w:commentRangeStart")
    return text


def _changes(paragraph: Any) -> Iterator[TrackedChange]:
    after = "".join(text.text or "" for text in paragraph.iter(qn("w:t")))
    for element in paragraph.iter(*(qn(f"w:{name}") for name in _KINDS)):
        text = "".join(part.text or "" for part in element.iter(qn("w:t"), qn("w:delText")))
        if text:
            yield {
                "kind": _KINDS[element.tag.rpartition("}")[2]],
                "author": element.get(qn("w:author")) or "",
                "date": element.get(qn("w:date")),
                "text": text,
                "paragraph": after,
            }


def _drop(element: Any) -> None:
    """Remove a change with its content: text, the end of a paragraph or a row of a table."""
    parent = element.getparent()
    if parent.tag == qn("w:trPr"):
        row = parent.getparent()
        row.getparent().remove(row)
    elif parent.tag == qn("w:rPr") and parent.getparent().tag == qn("w:pPr"):
        parent.remove(element)
        _join_next(next(parent.iterancestors(qn("w:p"))))
    else:
        parent.remove(element)


def _join_next(paragraph: Any) -> None:
    """Prepend the content of a paragraph to the next one, and remove it."""
    following = paragraph.getnext()
    if following is None or following.tag != qn("w:p"):
        return
    place = 1 if following.pPr is not None else 0
    content = [child for child in paragraph if child.tag != qn("w:pPr")]
    for offset, child in enumerate(content):
        following.insert(place + offset, child)
    paragraph.getparent().remove(paragraph)


def _unwrap(element: Any) -> None:
    """Replace a change with its content."""
    parent = element.getparent()
    place = parent.index(element)
    for offset, child in enumerate(list(element)):
        parent.insert(place + offset, child)
    parent.remove(element)


def _remove_comments(document: Any) -> int:
    """Remove all comments with their marks. Returns their number."""
    count = len(document.comments)
    for mark in list(document.element.body.iter(*map(qn, _COMMENT_MARKS))):
        mark.getparent().remove(mark)
    for comment in list(document.comments):
        comment._comment_elm.getparent().remove(comment._comment_elm)
    return count
