"""Detect the language of source text, and highlight its syntax."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pygments import highlight
from pygments.formatters import HtmlFormatter, SvgFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.styles import get_style_by_name
from pygments.util import ClassNotFound
from typing_extensions import TypedDict

from retinue.sdk import About, Example, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.code._sources import Code

MOST_SHOWN, _LONGEST_LINE = 500, 500
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


class Guess(TypedDict):
    """A possible language of a text."""

    language: Annotated[str, About("Name of the language")]
    score: Annotated[float, About("Confidence, 0 to 1")]


class Detected(TypedDict):
    """The language of some code."""

    language: Annotated[str, About("Most likely language")]
    by: Annotated[str, About("Basis of the decision: filename, shebang or content")]
    candidates: Annotated[list[Guess], About("Most likely languages, best first")]


class Highlighted(TypedDict):
    """Highlighted code."""

    file: OutputFile
    language: Annotated[str, About("Language used for highlighting")]


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
        Refusal({"code": "12 34"}, "not recognised"),
    ),
    reply="This is most likely {language}.",
)
def code_detect_language(
    code: Code, filename: Annotated[str, About("File name, if known", max_length=300)] = ""
) -> Detected:
    """Recognise the programming language of source text.

    Use it before highlighting or analysing code of unknown kind. A file name decides first, then a shebang, then
    patterns in the text. Returns the language and the most likely alternatives.
    """
    if filename and (by_name := _by_filename(filename)):
        return {"language": by_name, "by": "filename", "candidates": [{"language": by_name, "score": 1.0}]}
    if program := re.match(r"#!.*?\b(python|node|ruby|perl|php|(?:ba|z|da)?sh|lua|Rscript)", code):
        aliases = {"node": "javascript", "sh": "bash", "zsh": "bash", "dash": "bash", "Rscript": "r"}
        language = aliases.get(program[1], program[1])
        return {"language": language, "by": "shebang", "candidates": [{"language": language, "score": 1.0}]}
    # Search for patterns line by line, because the time grows with the square of a line's length.
    candidates = _guesses("\n".join(line[:_LONGEST_LINE] for line in code[:50_000].splitlines()))
    if not candidates:
        raise ToolError("The language of the text is not recognised. Give the name of the file.")
    return {"language": candidates[0]["language"], "by": "content", "candidates": candidates[:5]}


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
    reply="The highlighted {language} code: {file}",
)
def code_highlight_source(
    code: Code,
    language: Annotated[str, About("Language, such as python, rust or sql", "python", max_length=40)],
    format: Annotated[Literal["html", "svg"], About("HTML page with its own styles, or an SVG picture")] = "html",
    style: Annotated[
        str, About("Pygments style, such as default, monokai, friendly or github-dark", max_length=40)
    ] = "default",
    line_numbers: Annotated[bool, About("Whether to number the lines")] = False,
) -> Highlighted:
    """Colour and highlight source code, and write it as an HTML page or an SVG picture.

    Use it for documentation, slides or mail. Returns the file.
    """
    lexer = lexer_named(language)
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


def lexer_named(language: str) -> Any:
    try:
        return get_lexer_by_name(language.strip().lower(), stripnl=False)
    except ClassNotFound as error:
        raise ToolError(f"{language} is not a known language. Write it as python, c++ or bash.") from error


def lexer_of_file(path: str) -> Any:
    try:
        return get_lexer_for_filename(PurePosixPath(path).name, stripnl=False)
    except ClassNotFound:
        return None


def _by_filename(filename: str) -> str | None:
    lexer = lexer_of_file(filename)
    return str(lexer.aliases[0]) if lexer and lexer.aliases else None


def _guesses(code: str) -> list[Guess]:
    """Return languages by the share of their patterns that occur in the text."""
    scores = {}
    for language, signs in _SIGNS.items():
        matches = sum(bool(re.search(sign, code, re.MULTILINE)) for sign in signs)
        scores[language] = matches / len(signs) * (1 + matches / 10)
    best = sorted(scores, key=lambda language: -scores[language])
    return [
        {"language": language, "score": round(min(1, scores[language]), 2)} for language in best if scores[language]
    ]
