"""XML documents: validation, formatting, canonical form, queries."""

import math
from typing import Annotated, Any, Literal, NotRequired

from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Written, plain
from retinue_tools.data_formats._xml_trees import Namespaces, Xml, encode, parse, parser, to_text

_MOST = 5_000
_REGEX = {"re": "http://exslt.org/regular-expressions"}
_FEED = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id></entry><entry><id>2</id></entry></feed>'


class XmlFault(TypedDict):
    """A location of a syntax error."""

    line: Annotated[int, About("Line, from 1")]
    column: Annotated[int, About("Column, from 1")]
    message: Annotated[str, About("Description of the error")]


class XmlCheck(TypedDict):
    """Result of checking a document."""

    well_formed: Annotated[bool, About("Whether the document is well formed")]
    faults: Annotated[list[XmlFault], About("Errors, at most 50")]
    root: NotRequired[Annotated[str, About("Name of the root element")]]
    namespaces: NotRequired[Annotated[list[str], About("Namespaces of elements and attributes")]]
    elements: NotRequired[Annotated[int, About("Number of elements")]]


class XmlMatch(TypedDict):
    """A match of an expression."""

    kind: Annotated[Literal["element", "text", "number", "boolean"], About("Kind of match; attributes are text")]
    value: Annotated[Any, About("Text without markup, or the number or boolean")]
    path: NotRequired[Annotated[str, About("XPath of the element")]]
    xml: NotRequired[Annotated[str, About("The element as XML")]]


class XmlMatches(TypedDict):
    """Matches of an expression."""

    matches: Annotated[list[XmlMatch], About("Matches in document order")]
    count: Annotated[int, About("Total number of matches, including those beyond the limit")]


@tool(
    tags="xml validate well-formed syntax check error line lint",
    use_when=("Is this XML well formed?", "Where is the error in my XML?", "Which tag in this XML is not closed?"),
    examples=(
        Example(
            {"text": "<a>\n<b></a>"},
            {
                "well_formed": False,
                "faults": [
                    {"line": 2, "column": 8, "message": "Opening and ending tag mismatch: b line 2 and a"},
                ],
            },
            source="XML 1.0, section 3: the name in an end-tag matches its start-tag",
        ),
        Example(
            {"text": '<?xml version="1.0" encoding="ISO-8859-1"?><a xmlns="urn:x"><b/></a>'},
            {"well_formed": True, "root": "a", "namespaces": ["urn:x"], "elements": 2, "faults": []},
            source="by hand",
        ),
        Refusal({"text": ""}, "at least 1 character"),
    ),
    reply={
        "well_formed": "Yes, the XML is well formed.",
        "faults": "No, the XML is not well formed: {faults}",
        "": "No, the XML is not well formed.",
    },
)
def xml_validate_syntax(text: Xml) -> XmlCheck:
    """Check whether XML is well formed and list the errors (faults) with line and column.

    Use it if a document fails to parse. Returns the errors, or the root element, namespaces and number of elements.
    """
    reader = parser()
    try:
        root = etree.fromstring(encode(text), reader)
    except etree.XMLSyntaxError as error:
        faults: list[XmlFault] = [
            {"line": one.line, "column": one.column, "message": plain(one.message)[:300]} for one in reader.error_log
        ]
        line, column = error.position
        last: XmlFault = {"line": line, "column": column, "message": plain(error.msg)[:300]}
        return {"well_formed": False, "faults": faults[:50] or [last]}
    names = [name for node in root.iter(etree.Element) for name in (node.tag, *node.attrib)]
    spaces = {etree.QName(name).namespace for name in names} - {None}
    return {
        "well_formed": True,
        "faults": [],
        "root": etree.QName(root).localname,
        "namespaces": sorted(spaces),
        "elements": sum(1 for _ in root.iter(etree.Element)),
    }


@tool(
    tags="xml format pretty print indent minify beautify",
    use_when=("Pretty-print this XML", "Indent this SOAP message", "Minify this XML file"),
    examples=(
        Example(
            {"text": "<a><b x='1'>t</b><c/></a>"}, {"text": '<a>\n  <b x="1">t</b>\n  <c/>\n</a>'}, source="by hand"
        ),
        Example({"text": "<a>\n  <b>t</b>\n</a>", "indent": "none"}, {"text": "<a><b>t</b></a>"}, source="by hand"),
        Refusal({"text": "<a>"}, "not well-formed"),
    ),
    reply="The formatted XML: {text}",
)
def xml_format_text(
    text: Xml,
    indent: Annotated[
        Literal["2", "4", "tab", "none"], About("Indentation; none removes whitespace between tags")
    ] = "2",
) -> Written:
    """Pretty-print or minify XML with a choice of indentation.

    Use it to make XML readable or compact. Returns the text; the XML declaration is omitted, because the result is
    Unicode. Whitespace between elements is treated as layout.
    """
    root = parse(text, blank_text=False)
    if indent != "none":
        etree.indent(root, space="\t" if indent == "tab" else " " * int(indent))
    return {"text": to_text(root.getroottree())}


@tool(
    tags="xml canonicalize c14n canonical signature compare normalize",
    use_when=(
        "Canonicalise this XML for a signature",
        "Are these two XML documents the same but for layout?",
        "Normalise attribute order and empty tags of this XML",
    ),
    examples=(
        Example(
            {"text": '<doc>\n   <e2   ></e2>\n   <e3   name = "elem3"   id="elem3"   />\n</doc>'},
            {"text": '<doc>\n   <e2></e2>\n   <e3 id="elem3" name="elem3"></e3>\n</doc>'},
            source="Canonical XML 1.0, section 3.3, Start and End Tags, shortened",
        ),
        Example(
            {"text": '<a xmlns:u="urn:unused"><b/></a>', "method": "exclusive"},
            {"text": "<a><b></b></a>"},
            source="Exclusive XML Canonicalization, section 2: only prefixes in use are written",
        ),
        Example(
            {"text": "<a><!-- x --><b/></a>", "comments": True}, {"text": "<a><!-- x --><b></b></a>"}, source="by hand"
        ),
        Refusal({"text": "<a b=1/>"}, "not well-formed"),
    ),
    reply="The canonical XML: {text}",
)
def xml_canonicalize_text(
    text: Xml,
    method: Annotated[
        Literal["inclusive", "exclusive"], About("Canonical XML 1.0 or Exclusive XML C14N")
    ] = "inclusive",
    comments: Annotated[bool, About("Whether to keep comments")] = False,
) -> Written:
    """Canonicalise XML (C14N 1.0 or exclusive) to the one form that signatures and comparisons use.

    Use it before hashing or comparing documents. Returns the canonical text: attributes sorted, empty elements
    expanded, declaration and document type removed.
    """
    tree = parse(text).getroottree()
    try:
        canonical = etree.tostring(tree, method="c14n", exclusive=method == "exclusive", with_comments=comments)
    except (etree.LxmlError, ValueError) as error:
        raise ToolError(f"The document has no canonical form: {str(error)[:200]}") from error
    return {"text": canonical.decode()}


@tool(
    tags="xml xpath query select extract elements attributes namespace",
    use_when=(
        "Get all //item/@price of this XML",
        "Evaluate the XPath count(//entry) on this feed",
        "Extract the text of every title element",
    ),
    examples=(
        Example(
            {"text": _FEED, "xpath": "//atom:id", "namespaces": {"atom": "http://www.w3.org/2005/Atom"}, "limit": 1},
            {"count": 2, "matches": [{"kind": "element", "value": "1"}]},
            source="by hand",
        ),
        Example(
            {"text": '<r><i p="1"/><i p="x"/></r>', "xpath": "count(//i) div 0"},
            {"matches": [{"kind": "number", "value": "inf"}]},
            source="XPath 1.0, section 3.5: division by zero is infinite",
        ),
        Example(
            {"text": '<r><i p="1"/><i p="x"/></r>', "xpath": "//i/@p[re:test(., '[a-z]')]"},
            {"matches": [{"kind": "text", "value": "x"}]},
            source="EXSLT regular expressions",
        ),
        Refusal({"text": "<a/>", "xpath": "//["}, "XPath cannot be evaluated"),
        Refusal({"text": "<a/>", "xpath": "//n:b"}, "prefix"),
    ),
    reply={
        "matches.1": "There are {count|match|matches}: {matches}",
        "matches.0.value": "The result is {matches.0.value}.",
        "matches": "The match: {matches}",
        "": "Nothing matches.",
    },
)
def xml_query_xpath(
    text: Xml,
    xpath: Annotated[
        str,
        About(
            "XPath 1.0 expression; regular expressions have the prefix re:",
            "//item/@price",
            min_length=1,
            max_length=2000,
        ),
    ],
    namespaces: Namespaces = None,
    limit: Annotated[int, About("Maximum number of matches", 100, minimum=1, maximum=_MOST)] = 500,
) -> XmlMatches:
    """Query XML with an XPath 1.0 expression, with namespaces and regular expressions.

    Use it to extract elements, attributes, texts or counts. Returns each match with its text and, for elements, their
    path and XML. For a default namespace, declare a prefix.
    """
    tree = parse(text).getroottree()
    prefixes = {prefix: uri for prefix, uri in (namespaces or {}).items() if prefix}
    try:
        found = tree.xpath(xpath, namespaces={**_REGEX, **prefixes}, smart_strings=False)
    except (etree.XPathError, ValueError, TypeError) as error:
        raise ToolError(f"This XPath cannot be evaluated: {str(error)[:200]}. Declare each prefix.") from error
    every = found if isinstance(found, list) else [found]
    return {"matches": [_match(one, tree) for one in every[:limit]], "count": len(every)}


def _match(found: Any, tree: Any) -> XmlMatch:
    if isinstance(found, bool):
        return {"kind": "boolean", "value": found}
    if isinstance(found, float):
        whole = math.isfinite(found) and found.is_integer() and abs(found) < 2**53
        return {"kind": "number", "value": int(found) if whole else plain(found)}
    if isinstance(found, str | tuple):
        return {"kind": "text", "value": plain(found if isinstance(found, str) else "=".join(map(str, found)))}
    value = "".join(found.itertext()) if isinstance(found.tag, str) else found.text or ""
    return {"kind": "element", "value": value, "path": tree.getpath(found), "xml": to_text(found)}
