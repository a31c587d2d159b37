"""Smaller JavaScript."""

from typing import Annotated

import rjsmin
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Code


class MinifiedScript(TypedDict):
    """A smaller script."""

    code: Annotated[str, About("The JavaScript")]
    saved_percent: Annotated[float, About("How much smaller it is in bytes")]


@tool(
    tags="minify javascript js compress shrink whitespace comments smaller uglify",
    use_when=(
        "Minify this JavaScript",
        "Make script.js smaller for my web page",
        "Strip comments and whitespace from this JS: function add ( a, b ) { return a + b; }",
    ),
    examples=(
        Example(
            {"code": "// adds\nfunction add (a, b) {\n  return a + b;\n}\n"},
            {"code": "function add(a,b){return a+b;}", "saved_percent": 37.5},
            source="by hand: 30 of 48 characters are left",
        ),
        Example(
            {"code": "/*! v1 */\nvar re = /a  b/ ; var s = ' x  y ' ;\n", "keep_licences": True},
            {"code": "/*! v1 */var re=/a  b/;var s=' x  y ';"},
            source="by hand: spaces in strings and expressions mean something",
        ),
        Refusal({"code": "// nothing but this\n"}, "nothing but comments"),
    ),
)
def javascript_minify_code(
    code: Code,
    keep_licences: Annotated[bool, About("Whether comments that begin with /*! stay")] = True,
) -> MinifiedScript:
    """Shorten JavaScript by taking out comments and whitespace; names and meaning stay.

    Use it before a script is shipped without a bundler. Line breaks that may end a statement are kept. Returns the
    code and what was saved.
    """
    small = rjsmin.jsmin(code, keep_bang_comments=keep_licences).strip()
    if not small:
        raise ToolError("There is nothing but comments and whitespace. Send code.")
    before, after = len(code.encode("utf-8", "replace")), len(small.encode("utf-8", "replace"))
    return {"code": small, "saved_percent": round(100 * (1 - after / before), 1)}
