"""What language source text is in, what of it is comment, and how it looks in colour."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pygments import highlight
from pygments.formatters import HtmlFormatter, SvgFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.styles import get_style_by_name
from pygments.token import Comment, String
from pygments.util import ClassNotFound
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MadeFile, Refusal, ToolError, save, tool
from retinue_tools.code._sources import Code, Files, SourceFile

_MOST = 1000
_SHOWN, _LONGEST_LINE = 500, 500
_SIGNS: Mapping[str, tuple[str, ...]] = {
    "python": (r"^\s*def \w+\(.*\).*:$", r"^\s*(from [\w.]+ )?import "
        r"[\w., ]+$", r"^\s*elif .*:$", r"\bself\.", r"^\s*class \w+.*:$"),
    "javascript": (r"\bconst \w+ = ", r"=>\s*[{(]?", r"\bfunction\b.*\{", r"console\.log\(", r"\blet \w+",
                   r"require\(['\"]"),
    "typescript": (r"\binterface \w+ \{", r":\s*(string|number|boolean|"
        r"void)\b", r"^import .* from ['\"]", r"\btype \w+ =", r"=>\s*[{(]?"),
    "java": (r"\bpublic (static |final )*(class|void|int|"
        r"String)\b", r"System\.out\.", r"^import java", r"@Override", r"\bnew \w+\("),
    "csharp": (r"^using [\w.]+;", r"\bnamespace [\w.]+", r"Console\.Write", r"\{ get; (set|init); \}",
               r"\bpublic (class|void|"
        r"async)\b"),
    "go": (r"^package \w+$", r"\bfunc (\(\w+ \*?\w+\) )?\w+\(", r":= ", r"^import (\(|\")", r"\bfmt\.\w+\("),
    "rust": (r"\bfn \w+.*(->|\{)", r"\blet mut ", r"\bimpl\b.*\{", r"println!\(", r"^use [\w:]+", r"&(mut )?self"),
    "c": (r"^#include <\w+\.h>", r"\bint main\(", r"\bprintf\(", r"\b(struct|typedef) \w+", r"\w+\s*\*\w+\s*="),
    "cpp": (r"^#include <\w+>", r"\bstd::\w+", r"\bcout <<", r"\btemplate\s*<", r"\bclass \w+.*\{", r"\bnamespace \w+"),
    "ruby": (r"^\s*def \w+[^:]*$", r"^\s*end$", r"\bputs ", r"\bdo \|\w+\|", r"^require ['\"]", r"\.each\b"),
    "php": (r"<\?php", r"\$\w+\s*=", r"->\w+\(", r"\becho ", r"\bfunction \w+\("),
    "bash": (r"^#!.*\b(ba|z)?sh$", r"\bfi$", r"\bthen$", r"\$\{?\w+\}?", r"^\s*(echo|export|cd|sudo|apt|"
        r"grep) ", r"\bdone$"),
    "sql": (r"(?i)\bselect\b.*\bfrom\b", r"(?i)\b(create|alter|drop) "
        r"table\b", r"(?i)\binsert into\b", r"(?i)\bwhere\b", r"(?i)\bjoin\b"),
    "html": (r"(?i)<!doctype html", r"<(div|span|p|a|body|head|html)\b", r"</\w+>"),
    "css": (r"^\s*[.#]?[\w-]+(:\w+)?\s*\{", r"^\s*[\w-]+:\s*[^;{]+;", r"@media\b", r"\d(px|rem|em)\b"),
    "json": (r'^\s*[\[{]', r'^\s*"[^"]+":\s*', r"[\]}]\s*$"),
    "yaml": (r"^[\w-]+:( .*)?$", r"^\s+- \w+", r"^---$"),
    "toml": (r"^\[[\w.\"-]+\]$", r'^[\w-]+ = ("|\[|\d|true|false)'),
    "dockerfile": (r"^FROM \S+", r"^(RUN|COPY|CMD|ENTRYPOINT|WORKDIR|ENV|EXPOSE) "),
    "kotlin": (r"\bfun \w+\(", r"\bval \w+", r"\bvar \w+\s*[:=]", r"\bdata class\b", r"println\("),
    "swift": (r"\bfunc \w+\(.*\)( -> "
        r"\w+)? \{", r"\blet \w+(: \w+)? =", r"\bvar \w+: ", r"\bguard let\b", r"^import (UIKit|SwiftUI|"
        r"Foundation)"),
}  # fmt: skip
_MARKERS = ("TODO", "FIXME", "HACK", "XXX", "BUG", "NOTE", "OPTIMIZE")


class Guess(TypedDict):
    """A language that text may be in."""

    language: Annotated[str, About("Name of the language")]
    score: Annotated[float, About("How much speaks for it, of 1")]


class Detected(TypedDict):
    """The language of some code."""

    language: Annotated[str, About("The likeliest language")]
    by: Annotated[str, About("What told it: filename, shebang or content")]
    candidates: Annotated[list[Guess], About("The likeliest languages, the best first")]


class LineCount(TypedDict):
    """Lines of a language."""

    language: Annotated[str, About("Language, or unknown")]
    files: Annotated[int, About("Files")]
    code: Annotated[int, About("Lines with code")]
    comments: Annotated[int, About("Lines with comments or docstrings alone")]
    blank: Annotated[int, About("Empty lines")]


class LineCounts(TypedDict):
    """Lines of a project."""

    languages: Annotated[list[LineCount], About("By lines of code, the most first")]
    total: LineCount
    comment_percent: Annotated[float, About("Comments of all lines that are not blank")]


class CommentText(TypedDict):
    """A comment."""

    line: Annotated[int, About("First line, from 1")]
    text: Annotated[str, About("The comment as it stands, its beginning")]


class CommentList(TypedDict):
    """Comments of a source."""

    comments: Annotated[list[CommentText], About("In the order of the code, the first 1,000")]
    count: Annotated[int, About("How many there are")]


class Marker(TypedDict):
    """A marker that somebody left."""

    path: Annotated[str, About("File")]
    line: Annotated[int, About("Line, from 1")]
    kind: Annotated[str, About("The marker's word")]
    owner: Annotated[str | None, About("Who or which ticket stands in brackets after it")]
    text: Annotated[str, About("What is to be done")]


class Markers(TypedDict):
    """Markers of a project."""

    markers: Annotated[list[Marker], About("In the order of the files, the first 1,000")]
    counts: Annotated[dict[str, int], About("How many of each kind")]


class Highlighted(TypedDict):
    """Code in colour."""

    file: MadeFile
    language: Annotated[str, About("Language whose colours it has")]


@tool(
    tags="language detect programming guess identify source code file type",
    use_when=(
        "Which programming language is this?",
        "Is this snippet Kotlin or Swift?",
        "What language is a file called build.gradle?",
    ),
    examples=(
        Example(
            {"code": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tx := 1\n\tfmt.Println(x)\n}\n'},
            {"language": "go", "by": "content"},
            source="by hand",
        ),
        Example(
            {"code": 'fn main() {\n    let mut x = 1;\n    println!("{}", x);\n}\n'},
            {"language": "rust"},
            source="by hand",
        ),
        Example({"code": "x = 1", "filename": "setup.py"}, {"language": "python", "by": "filename"}, source="by hand"),
        Example({"code": "#!/usr/bin/env node\nx"}, {"language": "javascript", "by": "shebang"}, source="by hand"),
        Refusal({"code": "12 34"}, "no language"),
    ),
)
def code_detect_language(
    code: Code, filename: Annotated[str, About("Name of the file, if it is known", max_length=300)] = ""
) -> Detected:
    """Recognise the programming language of source text.

    Use it before highlighting or analysing code of unknown kind. A file name decides first, then a shebang, then signs
    in the text. Returns the language and the likeliest others.
    """
    if filename and (named := _by_filename(filename)):
        return {"language": named, "by": "filename", "candidates": [{"language": named, "score": 1.0}]}
    if program := re.match(r"#!.*?\b(python|node|ruby|perl|php|(?:ba|z|da)?sh|lua|Rscript)", code):
        aliases = {"node": "javascript", "sh": "bash", "zsh": "bash", "dash": "bash", "Rscript": "r"}
        language = aliases.get(program[1], program[1])
        return {"language": language, "by": "shebang", "candidates": [{"language": language, "score": 1.0}]}
    # The signs are looked for line by line, in time that grows with the square of a line's length.
    candidates = _guesses("\n".join(line[:_LONGEST_LINE] for line in code[:50_000].splitlines()))
    if not candidates:
        raise ToolError("The text shows signs of no language that is known. Give the name of the file.")
    return {"language": candidates[0]["language"], "by": "content", "candidates": candidates[:5]}


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
    pace="normal",
)
def code_count_lines(files: Files) -> LineCounts:
    """Count lines of code, comments and blank lines of source files by language.

    Use it to size a project. A line with code and a comment counts as code; docstrings count as comments. Returns
    counts by language and in all.
    """
    counts: dict[str, LineCount] = {}
    for file in files:
        lexer = _lexer_for(file["path"])
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
    written = total["code"] + total["comments"]
    return {
        "languages": sorted(counts.values(), key=lambda one: (-one["code"], one["language"])),
        "total": total,
        "comment_percent": round(100 * total["comments"] / written, 1) if written else 0.0,
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
        Refusal({"code": "x", "language": "klingon"}, "is not a language"),
    ),
)
def code_extract_comments(
    code: Code, language: Annotated[str, About("Language, such as python, c, sql or bash", "python", max_length=40)]
) -> CommentList:
    """Extract the comments of source code in one of some 500 languages.

    Use it to review or translate comments. Strings that look like comments are not taken. Returns each comment with its
    line.
    """
    comments = list(_comments(code, _lexer(language)))
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
)
def code_find_markers(
    files: Files,
    words: Annotated[
        list[Annotated[str, About("A word", "LATER", pattern=r"^[A-Za-z]+$", max_length=30)]],
        About("Words that mark; the usual seven without it", ["LATER"], min_items=1, max_items=20),
    ]
    | None = None,
) -> Markers:
    """Find the markers such as TO-DO, FIX-ME and HACK in comments of source files.

    Use it to list open ends. In files of known languages only comments are searched, in others every line. Returns each
    marker with file, line, owner and text, and how many there are of each kind.
    """
    pattern = re.compile(rf"\b({'|'.join(words or _MARKERS)})\b(?:\(([^)\n]{{1,80}})\))?:?[ \t]*([^\n]*)")
    found = [marker for file in files for marker in _markers(file, pattern)]
    kinds = [marker["kind"] for marker in found]
    return {"markers": found[:_MOST], "counts": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}}


@tool(
    tags="highlight syntax colour code html svg image pygments snippet pretty screenshot",
    use_when=(
        "Highlight this Python code as HTML",
        "Make an SVG picture of this code snippet",
        "Render code with the monokai theme",
    ),
    tier="starter",
    credits=2,
    examples=(
        Example(
            {"code": "x = 1\n", "language": "python"}, {"file": "code.html", "language": "Python"}, source="by hand"
        ),
        Example(
            {"code": "SELECT 1;", "language": "sql", "format": "svg", "style": "monokai"},
            {"file": "code.svg", "language": "SQL"},
            source="by hand",
        ),
        Refusal({"code": "x", "language": "python", "style": "no-such-style"}, "is not a style"),
    ),
)
def code_highlight_source(
    code: Code,
    language: Annotated[str, About("Language, such as python, rust or sql", "python", max_length=40)],
    format: Annotated[Literal["html", "svg"], About("A page with styles of its own, or a picture")] = "html",  # noqa: A002
    style: Annotated[
        str, About("Pygments style, such as default, monokai, friendly or github-dark", max_length=40)
    ] = "default",
    line_numbers: Annotated[bool, About("Whether lines are numbered")] = False,
) -> Highlighted:
    """Colour source code and write it as an HTML page or an SVG picture.

    Use it for documentation, slides or mail. Returns the file.
    """
    lexer = _lexer(language)
    try:
        get_style_by_name(style)
    except ClassNotFound as error:
        raise ToolError(
            f"{style} is not a style. Use default, monokai, friendly, solarized-dark or github-dark."
        ) from error
    if format == "svg":
        formatter = SvgFormatter(style=style, linenos=line_numbers)
    else:
        formatter = HtmlFormatter(style=style, full=True, linenos="inline" if line_numbers else False)
    text = highlight(code, lexer, formatter)
    return {"file": save(f"code.{format}", text.encode()), "language": lexer.name}


def _lexer(language: str) -> Any:
    try:
        return get_lexer_by_name(language.strip().lower(), stripnl=False)
    except ClassNotFound as error:
        raise ToolError(f"{language} is not a language that is known. Write it as python, c++ or bash.") from error


def _lexer_for(path: str) -> Any:
    try:
        return get_lexer_for_filename(PurePosixPath(path).name, stripnl=False)
    except ClassNotFound:
        return None


def _by_filename(filename: str) -> str | None:
    lexer = _lexer_for(filename)
    return str(lexer.aliases[0]) if lexer and lexer.aliases else None


def _guesses(code: str) -> list[Guess]:
    """Languages by the share of their signs that the text shows."""
    scores = {}
    for language, signs in _SIGNS.items():
        shown = sum(bool(re.search(sign, code, re.MULTILINE)) for sign in signs)
        scores[language] = shown / len(signs) * (1 + shown / 10)
    best = sorted(scores, key=lambda language: -scores[language])
    return [
        {"language": language, "score": round(min(1, scores[language]), 2)} for language in best if scores[language]
    ]


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
    """Comments whole: some lexers give one in several tokens."""
    line, start, text = 1, 0, ""
    for kind, value in lexer.get_tokens(code):
        is_comment = kind in Comment and kind not in Comment.Preproc and kind not in Comment.PreprocFile
        if is_comment and kind not in Comment.Hashbang:
            start, text = start or line, text + value
        if text and (not is_comment or text.endswith("\n") or kind in Comment.Single):
            yield {"line": start, "text": text.strip()[:_SHOWN]}
            start, text = 0, ""
        line += value.count("\n")
    if text:
        yield {"line": start, "text": text.strip()[:_SHOWN]}


def _markers(file: SourceFile, pattern: re.Pattern[str]) -> Iterator[Marker]:
    lexer = _lexer_for(file["path"])
    whole: CommentText = {"line": 1, "text": file["text"]}
    for comment in _comments(file["text"], lexer) if lexer else [whole]:
        for found in pattern.finditer(comment["text"]):
            yield {
                "path": file["path"],
                "line": comment["line"] + comment["text"].count("\n", 0, found.start()),
                "kind": found[1],
                "owner": found[2],
                "text": re.sub(r"\s*(\*/|-->)\s*$", "", found[3]).strip()[:_SHOWN],
            }
