"""Safe XML parsing: no entities, no network, no huge trees."""

from typing import Annotated, Any

from lxml import etree

from retinue.sdk import About, ToolError
from retinue_tools.data_formats._values import plain

Xml = Annotated[str, About("XML text", '<order id="7"><item>Tea</item></order>', min_length=1, max_length=900_000)]
Namespaces = Annotated[
    dict[str, str] | None,
    About("Namespaces by the prefixes used in the query", {"atom": "http://www.w3.org/2005/Atom"}),
]


def parse(text: str, blank_text: bool = True, what: str = "text") -> Any:
    """Return the root element of a document. Raises `ToolError` with line and column, in which `what` names the
    document.
    """
    try:
        return etree.fromstring(encode(text), parser(blank_text))
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise ToolError(
            f"The {what} is not well-formed XML: {plain(error.msg)[:300]} (line {line}, column {column})."
        ) from error


def malformed_at(error: Exception) -> str:
    """Return a sentence with the place where XML is malformed; an empty text if the parser does not know it."""
    line, column = getattr(error, "position", None) or (0, 0)
    return f" It is malformed in line {line}, column {column}." if line else ""


def parser(blank_text: bool = True) -> Any:
    """Return a parser that neither expands nor fetches anything; without `blank_text` it drops whitespace between
    elements.
    """
    return etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=False, remove_blank_text=not blank_text
    )


def encode(text: str) -> bytes:
    """Encode the document for the parser, which assumes UTF-8 regardless of the declaration."""
    return text.removeprefix("\ufeff").lstrip().encode(errors="replace")


def to_text(node: Any, **layout: Any) -> str:
    """Return an element as text, without its tail."""
    text: str = etree.tostring(node, encoding="unicode", with_tail=False, **layout)
    return text
