"""XML with schemas and stylesheets, and conversion to and from JSON."""

from typing import Annotated, Literal
from xml.parsers.expat import ExpatError

import xmltodict
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Document, Value, Written, plain, read
from retinue_tools.data_formats._xml_trees import Xml, encode, parse, to_text

_XSD = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="order"><xs:complexType><xs:sequence>'
    '<xs:element name="quantity" type="xs:positiveInteger"/></xs:sequence></xs:complexType></xs:element></xs:schema>'
)
_RELAX_NG = (
    '<element name="addressBook" xmlns="http://relaxng.org/ns/structure/1.0"><zeroOrMore><element name="card">'
    '<element name="name"><text/></element></element></zeroOrMore></element>'
)
_XSLT = (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>'
    '<xsl:param name="mark" select="\'-\'"/><xsl:template match="/"><xsl:for-each select="//item">'
    '<xsl:sort select="@price" data-type="number"/><xsl:value-of select="concat($mark, .)"/></xsl:for-each>'
    "</xsl:template></xsl:stylesheet>"
)
_FOREIGN = ("include", "import", "redefine", "externalRef")


class SchemaFault(TypedDict):
    """A violated rule."""

    line: Annotated[int, About("Line in the document")]
    path: Annotated[str, About("XPath of the element; empty if unknown")]
    message: Annotated[str, About("Description of the error")]


class SchemaCheck(TypedDict):
    """Result of validating a document."""

    valid: Annotated[bool, About("Whether the document is valid")]
    faults: Annotated[list[SchemaFault], About("Errors, at most 100")]


@tool(
    tags="xml xsd schema relaxng validate conform errors",
    use_when=(
        "Validate this XML against the XSD",
        "Does this invoice match its schema?",
        "Check an XML file with a RELAX NG schema",
    ),
    examples=(
        Example(
            {"text": "<order>\n<quantity>0</quantity></order>", "schema_text": _XSD},
            {"valid": False},
            source="XML Schema part 2: a positiveInteger is at least 1",
        ),
        Example(
            {"text": "<order><quantity>2</quantity></order>", "schema_text": _XSD},
            {"valid": True, "faults": []},
            source="XML Schema part 2: a positiveInteger is at least 1",
        ),
        Example(
            {
                "text": "<addressBook><card><name>x</name></card></addressBook>",
                "schema_text": _RELAX_NG,
                "language": "relax_ng",
            },
            {"valid": True},
            source="the address book of the RELAX NG tutorial, shortened",
        ),
        Refusal({"text": "<a/>", "schema_text": "<a/>"}, "not a valid schema"),
        Refusal(
            {
                "text": "<a/>",
                "schema_text": _XSD.replace(
                    '<xs:element name="order"', '<xs:include schemaLocation="x.xsd"/><xs:element name="order"'
                ),
            },
            "one text",
        ),
    ),
    reply={
        "valid": "The document matches the schema.",
        "faults": "The document does not match the schema: {faults}",
        "": "The document does not match the schema.",
    },
)
def xml_validate_schema(
    text: Xml,
    schema_text: Annotated[str, About("Schema as XML text", _XSD, min_length=1, max_length=900_000)],
    language: Annotated[
        Literal["xsd", "relax_ng"], About("Language of the schema: XSD 1.0, or RELAX NG in XML")
    ] = "xsd",
) -> SchemaCheck:
    """Validate an XML document against an XSD 1.0 or RELAX NG schema and report every error (fault).

    Use it to check orders, invoices and settings. Returns whether it is valid and the errors with line and path. The
    schema must be one text: includes and imports of other files are not fetched.
    """
    rules, document = parse(schema_text, what="schema"), parse(text)
    foreign = [node for node in rules.iter("{*}*") if etree.QName(node).localname in _FOREIGN]
    if any(node.get("schemaLocation") or node.get("href") for node in foreign):
        raise ToolError("The schema includes other files, which are not fetched. Put it into one text.")
    try:
        schema = etree.XMLSchema(rules) if language == "xsd" else etree.RelaxNG(rules)
    except (etree.XMLSchemaParseError, etree.RelaxNGParseError) as error:
        raise ToolError(f"This is not a valid schema in that language: {plain(str(error))[:300]}") from error
    valid = bool(schema.validate(document))
    faults: list[SchemaFault] = [
        {"line": one.line, "path": one.path or "", "message": plain(one.message)[:500]} for one in schema.error_log
    ]
    return {"valid": valid, "faults": faults[:100]}


@tool(
    tags="xml xslt transform stylesheet convert",
    use_when=(
        "Transform this XML with an XSLT stylesheet",
        "Apply my XSL to this feed",
        "Render this XML order as text with my stylesheet",
    ),
    examples=(
        Example(
            {"text": '<o><item price="30">c</item><item price="4">a</item></o>', "stylesheet": _XSLT},
            {"text": "-a-c"},
            source="XSLT 1.0, section 10: sorted as numbers, 4 comes before 30",
        ),
        Example(
            {"text": "<o><item>c</item></o>", "stylesheet": _XSLT, "parameters": {"mark": "it's "}},
            {"text": "it's c"},
            source="XSLT 1.0, section 11.4, passing parameters",
        ),
        Refusal({"text": "<a/>", "stylesheet": "<b/>"}, "not an XSLT"),
    ),
    reply={
        "text": "The transformed document: {text}",
        "": "The transformation gives nothing.",
    },
)
def xml_transform_xslt(
    text: Xml,
    stylesheet: Annotated[str, About("XSLT 1.0 stylesheet", _XSLT, min_length=1, max_length=500_000)],
    parameters: Annotated[dict[str, str] | None, About("Parameters of the stylesheet as text", {"mark": "* "})] = None,
) -> Written:
    """Transform an XML document with an XSLT 1.0 stylesheet, with parameters.

    Use it to turn XML into other XML, HTML or text. Returns the output. Stylesheets cannot access files or the network.
    """
    try:
        transform = etree.XSLT(parse(stylesheet, what="stylesheet"), access_control=etree.XSLTAccessControl.DENY_ALL)
        quoted = {name: etree.XSLT.strparam(value) for name, value in (parameters or {}).items()}
        return {"text": plain(bytes(transform(parse(text), **quoted)).decode("utf-8", "replace"))}
    except etree.XSLTParseError as error:
        raise ToolError(f"This is not an XSLT 1.0 stylesheet: {plain(str(error))[:300]}") from error
    except (etree.XSLTError, etree.XPathError, ValueError, TypeError) as error:
        raise ToolError(f"The stylesheet failed: {plain(str(error))[:300]}") from error


@tool(
    tags="xml json convert parse attributes",
    use_when=(
        "Convert this XML to JSON",
        "Turn an RSS feed into JSON",
        "Read this SOAP answer as JSON",
        "Read an XML export as records for a table",
    ),
    examples=(
        Example(
            {"text": '<a prop="x"><b>1</b><b>2</b></a>'},
            {"value": {"a": {"@prop": "x", "b": ["1", "2"]}}},
            source="the conventions of the library xmltodict in its documentation",
        ),
        Example(
            {"text": "<r><i>1</i><t a='1'>x</t></r>", "lists": ["i"]},
            {"value": {"r": {"i": ["1"], "t": {"@a": "1", "#text": "x"}}}},
            source="the conventions of the library xmltodict in its documentation",
        ),
        Refusal({"text": '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'}, "entities"),
    ),
    reply="The document: {value}",
)
def xml_convert_to_json(
    text: Xml,
    lists: Annotated[
        list[str] | None,
        About("Elements that always become a list, even if there is only one", ["item"], max_items=200),
    ] = None,
) -> Value:
    """Convert XML to a JSON value: attributes as @name, text beside them as #text, repeated elements as lists.

    Use it to process feeds and responses of services. Returns the value. All values are text, because XML has no types.
    """
    parse(text)
    try:
        return {"value": plain(xmltodict.parse(encode(text), encoding="utf-8", force_list=tuple(lists or ())))}
    except (ExpatError, ValueError) as error:
        raise ToolError(
            f"The document cannot be converted: {str(error)[:200]}. Replace entities with their text."
        ) from error


@tool(
    tags="json xml convert write serialize attributes",
    use_when=(
        "Convert this JSON to XML",
        "Write this object as XML with attributes",
        "Build the XML body for this SOAP call from a JSON object",
    ),
    examples=(
        Example(
            {"document": {"a": {"@prop": "x", "b": ["1", 2, None], "c": {"#text": "t<", "@n": 5}}}},
            {"text": '<a prop="x">\n  <b>1</b>\n  <b>2</b>\n  <b/>\n  <c n="5">t&lt;</c>\n</a>'},
            source="the conventions of the library xmltodict in its documentation",
        ),
        Example(
            {"document": {"x": 1, "y": True}, "root": "r", "pretty": False},
            {"text": "<r><x>1</x><y>true</y></r>"},
            "by hand",
        ),
        Refusal({"document": {"a": {"b c": 1}}}, "XML"),
        Refusal({"document": {"a": 1, "b": 2}}, "Specify a root"),
    ),
    reply="The document as XML: {text}",
)
def json_convert_to_xml(
    document: Document,
    root: Annotated[str | None, About("Name of a root element to add", "order", max_length=100)] = None,
    pretty: Annotated[bool, About("Whether to indent")] = True,
) -> Written:
    """Convert a JSON document to XML: @name becomes an attribute, #text the text, a list repeated elements.

    Use it for services that require XML. If the document has one member, it becomes the root element; otherwise specify
    a root. The items of a bare list are called item. Returns the XML text.
    """
    value = read(document)
    if isinstance(value, list):
        value = {"item": value}
    if root:
        value = {root: value}
    if len(value) != 1 or isinstance(next(iter(value.values())), list):
        raise ToolError("XML has exactly one root element. Specify a root.")
    try:
        text = xmltodict.unparse(plain(value), full_document=False)
    except (ValueError, TypeError, AttributeError) as error:
        raise ToolError(f"The document cannot be converted to XML: {str(error)[:200]}") from error
    element = parse(text, blank_text=False, what="result")
    if pretty:
        etree.indent(element)
    return {"text": to_text(element)}
