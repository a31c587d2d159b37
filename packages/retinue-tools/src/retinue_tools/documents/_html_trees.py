"""Parsing of untrusted HTML and XML, and extraction of their text."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from lxml import etree, html

from retinue.sdk import About, ToolError

HIDDEN = frozenset(
    ("script", "style", "template", "noscript", "head", "title", "svg", "math", "iframe", "object", "select")
)
"""Elements whose content is ignored."""

BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li",
    "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
))  # fmt: skip
"""Elements that begin on a new line (HTML, section 15.3)."""

Html = Annotated[
    str,
    About(
        "HTML: a page or a fragment", "<h1>Tides</h1><p>High at <b>noon</b>.</p>", min_length=1, max_length=1_000_000
    ),
]


def word_count(text: str) -> int:
    """Count the words of a text: runs between white space that contain a letter or digit."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


def tree_of(text: str) -> Any:
    """Return the `body` element of HTML, wrapped around a fragment. Raises `ToolError` if there is none."""
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding="utf-8")
    try:
        root = html.document_fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise ToolError("The text contains no HTML that can be parsed. Give a page or a fragment.") from error
    body = root.find("body")
    return root if body is None else body


def parsed_xml(content: bytes, name: str) -> Any:
    """Return the root element of XML, without entities, network or huge trees."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ToolError(f"The part {name} of the document is not XML.") from error
    if root is None:
        raise ToolError(f"The part {name} of the document is empty.")
    return root


def plain_text(element: Any) -> str:
    """Return the visible text of an element on one line."""
    return " ".join("".join(_words(element)).split())


def _words(element: Any) -> Iterator[str]:
    if element.tag == "br":
        yield "\n"
    elif element.tag not in HIDDEN:
        block = element.tag in BLOCKS or element.tag in ("td", "th")
        yield " " if block else ""
        yield element.text or ""
        for child in element:
            yield from _words(child)
            yield child.tail or ""
        yield " " if block else ""


def text_lines(element: Any) -> str:
    """Return the text of an element as displayed: blocks on separate lines, lists with markers, cells separated by
    tabs.
    """
    text = "".join(_laid_out(element))
    lines = (re.sub(r"[ \f\v]+", " ", line).strip(" ") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).replace("\r", "").strip()


def _laid_out(element: Any) -> Iterator[str]:
    tag = element.tag
    if tag in HIDDEN:
        return
    if tag == "br":
        yield "\n"
        return
    if tag == "pre":
        yield f"\n\n{element.text_content()}\n\n"
        return
    edge = {"li": "\n", "tr": "\n", "dt": "\n", "dd": "\n", "div": "\n"}.get(tag, "\n\n" if tag in BLOCKS else "")
    yield edge + _mark(element)
    yield _collapse_blanks(element.text)
    for child in element:
        yield from _laid_out(child)
        yield _collapse_blanks(child.tail)
    yield "\t" if tag in ("td", "th") and element.getnext() is not None else edge if tag != "li" else ""


def _mark(element: Any) -> str:
    """Return the marker of a list item, or the replacement of an image."""
    if element.tag == "img":
        return str(element.get("alt") or "")
    if element.tag != "li":
        return ""
    parent = element.getparent()
    if parent is None or parent.tag != "ol":
        return "- "
    before = sum(1 for sibling in element.itersiblings("li", preceding=True))
    start = str(parent.get("start") or "1")
    return f"{(int(start) if start.isdecimal() and len(start) < 9 else 1) + before}. "


def _collapse_blanks(text: str | None) -> str:
    return re.sub(r"\s+", " ", text) if text else ""
