"""Comments of source text: counted, extracted, and searched for markers such as TODO."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pygments.token import Comment, String
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.code._sources import Code, Files, SourceFile
from retinue_tools.code.languages import MOST_SHOWN, lexer_named, lexer_of_file

_MOST = 1000

_MARKERS = ("TODO", "FIXME", "HACK", "XXX", "BUG", "NOTE", "OPTIMIZE")


class LineCount(TypedDict):
    """Lines of a language."""

    language: Annotated[str, About("Language, or unknown")]
    files: Annotated[int, About("Number of files")]
    code: Annotated[int, About("Lines with code")]
    comments: Annotated[int, About("Lines with only comments or docstrings")]
    blank: Annotated[int, About("Empty lines")]


class LineCounts(TypedDict):
    """Lines of a project."""

    languages: Annotated[list[LineCount], About("Languages, most lines of code first")]
    total: LineCount
    comment_percent: Annotated[float, About("Share of comments in all lines that are not blank")]


class CommentText(TypedDict):
    """A comment."""

    line: Annotated[int, About("First line, from 1")]
    text: Annotated[str, About("Beginning of the comment text")]


class CommentList(TypedDict):
    """Comments of a source."""

    comments: Annotated[list[CommentText], About("In source order, the first 1,000")]
    count: Annotated[int, About("Total number of comments")]


class Marker(TypedDict):
    """A marker in a comment."""

    path: Annotated[str, About("Path of the file")]
    line: Annotated[int, About("Line, from 1")]
    kind: Annotated[str, About("Marker word")]
    owner: Annotated[str | None, About("Person or ticket in brackets after it")]
    text: Annotated[str, About("Text after the marker")]


class Markers(TypedDict):
    """Markers of a project."""

    markers: Annotated[list[Marker], About("In file order, the first 1,000")]
    counts: Annotated[dict[str, int], About("Number of markers of each kind")]


@tool(
    tags="count lines code sloc cloc comments blank language statistics",
    use_when=(
        "How many lines of code are in these files?",
        "Count code, comment and blank lines by language",
        "How much of this project is comments?",
        "How many lines of code has this project?",
        "Count source lines apart from comments and blank lines",
    ),
    examples=(
        Example(
            {
                "files": [
                    {"path": "a.py", "text": '"""Doc.\n\nMore.\n"""\n\nx = 1  # one\n# two\n'},
                    {"path": "b.js", "text": "/* a\n b */\nlet x = '// no';\n"},
                ]
            },
            {
                "languages": [
                    {"language": "JavaScript", "files": 1, "code": 1, "comments": 2, "blank": 0},
                    {"language": "Python", "files": 1, "code": 1, "comments": 4, "blank": 2},
                ],
                "total": {"files": 2, "code": 2, "comments": 6, "blank": 2},
                "comment_percent": 75.0,
            },
            source="by hand",
        ),
        Refusal({"files": []}, "item"),
    ),
    reply=(
        "I counted {total.code|line} of code, {total.comments|line} of comments and "
        "{total.blank|blank line}. By language: {languages}"
    ),
    pace="normal",
)
def code_count_lines(files: Files) -> LineCounts:
    """Count lines of code, comments and blank lines of source files by language.

    Use it to size a project. A line with code and a comment counts as code; docstrings count as comments. Returns
    counts by language and in total.
    """
    counts: dict[str, LineCount] = {}
    for file in files:
        lexer = lexer_of_file(file["path"])
        name = lexer.name if lexer else "unknown"
        one = counts.setdefault(name, _zero(name))
        code, comments, blank = _count(file["text"], lexer)
        one["files"] += 1
        one["code"] += code
        one["comments"] += comments
        one["blank"] += blank
    total = _zero("all")
    for one in counts.values():
        total["files"] += one["files"]
        total["code"] += one["code"]
        total["comments"] += one["comments"]
        total["blank"] += one["blank"]
    text_lines = total["code"] + total["comments"]
    return {
        "languages": sorted(counts.values(), key=lambda one: (-one["code"], one["language"])),
        "total": total,
        "comment_percent": round(100 * total["comments"] / text_lines, 1) if text_lines else 0.0,
    }


@tool(
    tags="comments extract list source code documentation any language",
    use_when=(
        "Extract all comments from this C file",
        "Show me only the comments of this script with line numbers",
        "Which comments are in this SQL?",
    ),
    examples=(
        Example(
            {"code": 'int x; // one\n/* two\n   lines */\nchar *s = "// no";\n', "language": "c"},
            {"count": 2, "comments": [{"line": 1, "text": "// one"}, {"line": 2, "text": "/* two\n   lines */"}]},
            source="by hand: what stands in a string is no comment",
        ),
        Example(
            {"code": "x = 1 # a\n", "language": "python"}, {"comments": [{"line": 1, "text": "# a"}]}, source="by hand"
        ),
        Refusal({"code": "x", "language": "klingon"}, "is not a known language"),
    ),
    reply={
        "comments": "The code contains {count|comment}: {comments}",
        "": "There are no comments in the code.",
    },
)
def code_extract_comments(
    code: Code, language: Annotated[str, About("Language, such as python, c, sql or bash", "python", max_length=40)]
) -> CommentList:
    """Extract the comments of source code in one of some 500 languages.

    Use it to review or translate comments. Strings that look like comments are ignored. Returns each comment with its
    line.
    """
    comments = list(_comments(code, lexer_named(language)))
    return {"comments": comments[:_MOST], "count": len(comments)}


@tool(
    tags="todo fixme hack markers find comments technical debt list",
    use_when=(
        "List all TODO and FIXME markers in these files",
        "How much technical debt is noted in this code?",
        "Who has open TODOs here?",
    ),
    examples=(
        Example(
            {"files": [{"path": "a.py", "text": "x = 1\ny = 2  # TO" + "DO(ana): add z\ns = 'FIXME no'\n"}]},
            {
                "counts": {"TO" + "DO": 1},
                "markers": [{"path": "a.py", "line": 2, "kind": "TO" + "DO", "owner": "ana", "text": "add z"}],
            },
            source="by hand: a string is no comment",
        ),
        Example(
            {"files": [{"path": "notes", "text": "LATER: x\n"}], "words": ["LATER"]},
            {"markers": [{"kind": "LATER", "text": "x", "owner": None}]},
            source="by hand",
        ),
        Refusal({"files": [{"path": "a", "text": ""}], "words": ["A B"]}, "pattern"),
    ),
    reply={
        "markers": "The markers: {markers}",
        "": "There are no such markers in the files.",
    },
)
def code_find_markers(
    files: Files,
    words: Annotated[
        list[Annotated[str, About("A word", "LATER", pattern=r"^[A-Za-z]+$", max_length=30)]],
        About("Marker words; default: the usual seven", ["LATER"], min_items=1, max_items=20),
    ]
    | None = None,
) -> Markers:
    """Find the markers such as TO-DO, FIX-ME and HACK in comments of source files.

    Use it to list unfinished work. In files of known languages only comments are searched, in others every line.
    Returns each marker with file, line, owner and text, and the number of each kind.
    """
    pattern = re.compile(rf"\b({'|'.join(words or _MARKERS)})\b(?:\(([^)\n]{{1,80}})\))?:?[ \t]*([^\n]*)")
    found = [marker for file in files for marker in _markers(file, pattern)]
    kinds = [marker["kind"] for marker in found]
    return {"markers": found[:_MOST], "counts": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}}


def _zero(language: str) -> LineCount:
    return {"language": language, "files": 0, "code": 0, "comments": 0, "blank": 0}


def _count(text: str, lexer: Any) -> tuple[int, int, int]:
    lines = text.splitlines()
    blank = sum(not line.strip() for line in lines)
    if lexer is None:
        return len(lines) - blank, 0, blank
    with_code: set[int] = set()
    line = 0
    for kind, value in lexer.get_tokens(text):
        comment = kind in Comment or kind in String.Doc
        for offset, part in enumerate(value.split("\n")):
            if part.strip() and not (comment and kind not in Comment.Preproc and kind not in Comment.PreprocFile):
                with_code.add(line + offset)
        line += value.count("\n")
    return len(with_code), len(lines) - blank - len(with_code), blank


def _comments(code: str, lexer: Any) -> Iterator[CommentText]:
    """Return whole comments: some lexers split a comment into several tokens."""
    line, start, text = 1, 0, ""
    for kind, value in lexer.get_tokens(code):
        is_comment = kind in Comment and kind not in Comment.Preproc and kind not in Comment.PreprocFile
        if is_comment and kind not in Comment.Hashbang:
            start, text = start or line, text + value
        if text and (not is_comment or text.endswith("\n") or kind in Comment.Single):
            yield {"line": start, "text": text.strip()[:MOST_SHOWN]}
            start, text = 0, ""
        line += value.count("\n")
    if text:
        yield {"line": start, "text": text.strip()[:MOST_SHOWN]}


def _markers(file: SourceFile, pattern: re.Pattern[str]) -> Iterator[Marker]:
    lexer = lexer_of_file(file["path"])
    whole: CommentText = {"line": 1, "text": file["text"]}
    for comment in _comments(file["text"], lexer) if lexer else [whole]:
        for found in pattern.finditer(comment["text"]):
            yield {
                "path": file["path"],
                "line": comment["line"] + comment["text"].count("\n", 0, found.start()),
                "kind": found[1],
                "owner": found[2],
                "text": re.sub(r"\s*(\*/|-->)\s*$", "", found[3]).strip()[:MOST_SHOWN],
            }
