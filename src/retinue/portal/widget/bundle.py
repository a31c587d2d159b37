"""Joins the sources of the widget into one classic script, which any page can load."""

import re
from functools import cache
from importlib.resources import files

import orjson

from retinue.core.http.static_content import StaticContent
from retinue.language.translation import script_messages
from retinue.portal import static_files

_MODULE_LINE = re.compile(r"^import .*;\n|^export (?=const |function )", re.MULTILINE)
_COMMENT_LINE = re.compile(r"^ *(?://|/\*\* ).*\n", re.MULTILINE)
_MESSAGE = re.compile(r'\b_\(("(?:[^"\\]|\\.)*")')
_NO_HIGHLIGHTS = "const highlight = (text) => text;\n"


@cache
def script() -> bytes:
    """Return the script: the styles, the portal's renderer of Markdown, and the widget itself, without comments.

    Comments here fill whole lines, and none continues on the next.
    """
    here = files("retinue.portal.widget")
    markdown = _MODULE_LINE.sub("", static_files.contents()["markdown.js"].decode())
    styles = " ".join(here.joinpath("widget.css").read_text("utf-8").split())
    source = "".join([_NO_HIGHLIGHTS, markdown, here.joinpath("widget.js").read_text("utf-8")])
    code = f"const CSS = {orjson.dumps(styles).decode()};\n{_COMMENT_LINE.sub('', source)}"
    return f'(() => {{\n"use strict";\n{code}}})();\n'.encode()


@cache
def messages_in(language: str) -> bytes:
    """Return the script's messages in a language as JSON, by the English message. For English, there are none."""
    used = {orjson.loads(message) for message in _MESSAGE.findall(script().decode())}
    return orjson.dumps({message: words for message, words in script_messages(language).items() if message in used})


@cache
def content() -> StaticContent:
    """Return the script as it is served."""
    return StaticContent.of(script(), "text/javascript; charset=utf-8")
