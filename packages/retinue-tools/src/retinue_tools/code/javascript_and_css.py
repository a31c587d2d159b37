"""Beautify and minify JavaScript, CSS and HTML."""

import re
from typing import Annotated, Literal

import cssbeautifier
import jsbeautifier
import rjsmin
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Code


class Beautified(TypedDict):
    """Formatted code."""

    code: Annotated[str, About("Formatted code")]
    changed: Annotated[bool, About("Whether it differs from the input")]


@tool(
    tags="beautify format javascript js css prettify indent unminify pretty",
    use_when=(
        "Format this minified JavaScript so that I can read it",
        "Beautify this CSS",
        "Indent this JS with two spaces",
    ),
    examples=(
        Example(
            {"code": "function f(a){if(a){return 1}}", "language": "javascript", "indent": 2},
            {"code": "function f(a) {\n  if (a) {\n    return 1\n  }\n}\n", "changed": True},
            source="by hand",
        ),
        Example(
            {"code": "a{color:red;margin:0}", "language": "css"},
            {"code": "a {\n    color: red;\n    margin: 0\n}\n"},
            source="by hand",
        ),
        Refusal({"code": "x", "language": "cobol"}, "language"),
    ),
    reply={
        "changed": "The formatted code: {code}",
        "": "The code is formatted already: {code}",
    },
)
def code_beautify_web(
    code: Code,
    language: Annotated[Literal["javascript", "css"], About("Language; TypeScript and SCSS mostly work as well")],
    indent: Annotated[int, About("Spaces per indentation level", minimum=1, maximum=8)] = 4,
    wrap: Annotated[int, About("Maximum line length before wrapping, 0 for no limit", minimum=0, maximum=300)] = 0,
) -> Beautified:
    """Indent and space JavaScript or CSS for reading, minified code too.

    Use it to read the output of a bundler. Names and meaning are preserved. Returns the formatted code.
    """
    library = cssbeautifier if language == "css" else jsbeautifier
    settings = library.default_options()
    settings.indent_size = indent
    settings.wrap_line_length = wrap
    settings.end_with_newline = True
    text = library.beautify(code, settings)
    return {"code": text, "changed": text != code}


_KEPT = (
    r"(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|url\([^)]*\)|/\*!.*?\*/"
    r"|--[\w-]+\s*:[^;{}]*|\b(?:calc|min|max|clamp)\([^;{}]*\))"
)
"""Parts of a stylesheet that stay as they are: strings, URLs, licence comments, custom properties, arithmetic."""


class MinifiedCode(TypedDict):
    """Minified code."""

    code: Annotated[str, About("Minified code")]
    saved_percent: Annotated[float, About("Reduction in bytes, in percent")]


@tool(
    tags="minify javascript js css compress shrink whitespace comments smaller uglify",
    use_when=(
        "Minify this JavaScript",
        "Make script.js smaller for my web page",
        "Strip comments and whitespace from this JS: function add ( a, b ) { return a + b; }",
        "Minify this CSS",
        "Make this stylesheet smaller",
        "Remove comments and whitespace from CSS",
    ),
    examples=(
        Example(
            {"code": "// adds\nfunction add (a, b) {\n  return a + b;\n}\n", "language": "javascript"},
            {"code": "function add(a,b){return a+b;}", "saved_percent": 37.5},
            source="by hand: 30 of 48 characters are left",
        ),
        Example(
            {
                "code": "/*! v1 */\nvar re = /a  b/ ; var s = ' x  y ' ;\n",
                "language": "javascript",
                "keep_licences": True,
            },
            {"code": "/*! v1 */var re=/a  b/;var s=' x  y ';"},
            source="by hand: spaces in strings and expressions mean something",
        ),
        Example(
            {"code": "/* head */\na > b , c {\n  color : #ffffff;\n  margin: 0px 0.5em;\n}\n", "language": "css"},
            {"code": "a>b,c{color:#fff;margin:0 .5em}"},
            source="by hand, with the rules of CSS Syntax and Values",
        ),
        Example(
            {
                "code": '/*! keep */ a::before { content: "a  /* b */"; width: calc(1px + 2px) }',
                "language": "css",
            },
            {"code": '/*! keep */a::before{content:"a  /* b */";width:calc(1px + 2px)}'},
            source="CSS Values 4: the plus of calc needs its spaces",
        ),
        Example(
            {"code": "/*! v1 */ a { color: red }", "language": "css", "keep_licences": False},
            {"code": "a{color:red}"},
            source="by hand",
        ),
        Refusal({"code": "// nothing but this\n", "language": "javascript"}, "nothing but comments"),
        Refusal({"code": "a { color: red", "language": "css"}, "braces"),
    ),
    reply="The code is {saved_percent} % smaller: {code}",
    aliases=(
        Alias("css_minify_code", constants={"language": "css"}),
        Alias("javascript_minify_code", constants={"language": "javascript"}),
    ),
)
def code_minify_web(
    code: Code,
    language: Annotated[Literal["javascript", "css"], About("Language of the code")],
    keep_licences: Annotated[bool, About("Whether to keep comments that begin with /*!")] = True,
) -> MinifiedCode:
    """Shorten JavaScript or CSS by removing comments and whitespace; names and meaning are preserved.

    Use it before code is shipped without a bundler. Line breaks that may end a statement are kept, and so are strings
    and calc(). In CSS, last semicolons, zero units and long hexadecimal colours are shortened as well. Returns the code
    and the reduction.
    """
    if language == "css":
        small = _minify_css(code, keep_licences=keep_licences)
    else:
        small = rjsmin.jsmin(code, keep_bang_comments=keep_licences).strip()
    if not small and language == "javascript":
        raise ToolError("There is nothing but comments and whitespace. Send code.")
    before, after = len(code.encode("utf-8", "replace")), len(small.encode("utf-8", "replace"))
    return {"code": small, "saved_percent": round(100 * (1 - after / before), 1)}


def _minify_css(code: str, *, keep_licences: bool) -> str:
    pieces = re.split(_KEPT, code, flags=re.DOTALL)
    bare = "".join(re.sub(r"/\*.*?\*/", "", piece, flags=re.DOTALL) for piece in pieces[::2])
    if bare.count("{") != bare.count("}"):
        raise ToolError("The braces of the stylesheet do not match. Fix them first.")
    if not keep_licences:
        pieces[1::2] = ["" if piece.startswith("/*!") else piece for piece in pieces[1::2]]
    small = "".join(piece if index % 2 else _small_css(piece) for index, piece in enumerate(pieces)).strip()
    return re.sub(r"(/\*!.*?\*/)\s+", r"\1", small, flags=re.DOTALL)


def _small_css(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s*([{};,>~])\s*", r"\1", text)
    text = re.sub(r"\s*:\s+|\s+:(?=[^{}]*[;}])", ":", text)
    text = re.sub(r";}", "}", text)
    text = re.sub(r"#([0-9a-fA-F])\1([0-9a-fA-F])\2([0-9a-fA-F])\3\b(?=[^{}]*[;}])", r"#\1\2\3", text)
    text = re.sub(r"(?<=[\s:,(])0(?:px|em|rem|pt|cm|mm|in|pc)\b", "0", text)
    return re.sub(r"(?<=[\s:,(])0+(\.\d)", r"\1", text)
