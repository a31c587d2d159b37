"""Create an account's tools from an MCP server's list of tools."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from retinue.core.errors import ValidationFailed
from retinue.tools.catalogue.imported_tool import McpCall, McpTool
from retinue.tools.imports.alternatives import FlattenedSchema
from retinue.tools.imports.mcp.headers import BadHeader, repeated_headers
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.naming import argument_name, still_there, tool_name
from retinue.tools.imports.references import References
from retinue.tools.imports.schema_trimming import Schema, SchemaTrimmer, as_object, required_names, text

_FIELDS: Mapping[str, Schema] = {
    "text": {
        "type": "string",
        "description": "Text of the server's response; empty if it only repeats `structured`.",
    },
    "structured": {"description": "Structured content of the response, or null."},
    "content": {
        "type": "array",
        "description": (
            "Other content of the response: images, audio and resources. Binary content is stored as "
            "files of your account."
        ),
        "items": {
            "type": "object",
            "properties": {
                "type": {"type": "string", "description": "image, audio, resource or resource_link."},
                "file": {"type": "string", "description": "ID of the file with the binary content."},
                "media_type": {"type": "string", "description": "Media type."},
                "uri": {"type": "string", "description": "URI of the resource."},
                "name": {"type": "string", "description": "Name of a linked resource."},
                "description": {"type": "string", "description": "Description of a linked resource."},
                "text": {"type": "string", "description": "Text of a resource."},
            },
        },
    },
}
"""The fields of every tool's result."""

TIMEOUT_S = 60.0
"""Time limit of a call in seconds."""

_ABOUT = 1500
_MOST_NAME = 200


@dataclass(frozen=True)
class ServerTools:
    """The common properties of the tools of one server. `names` are those of the tools in an earlier list, by the
    server's names.

    The server's hints count if the owner of the source trusts them. A server at an `address` is always another party;
    a program that the operator allows runs on this machine.
    """

    namespace: str
    category: str
    names: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = False
    address: bool = True


def tools_of(listed: Iterable[Json], server: ServerTools) -> list[McpTool]:
    """Return the tools of a server's list. Raises `ValidationFailed` if it has none.

    Tools without a name or with a repeated name are left out, because they could not be called.
    """
    by_name = _by_name(listed)
    earlier_names = still_there(server.names, by_name)
    taken, tools = set(earlier_names.values()), []
    for theirs, one in by_name.items():
        name = earlier_names.get(theirs) or tool_name(server.namespace, theirs, "tool", "", taken)
        if tool := _tool(one, name, server):
            tools.append(tool)
            taken.add(name)
    if not tools:
        raise ValidationFailed("The MCP server has no tools that can be imported.")
    return tools


def _by_name(listed: Iterable[Json]) -> dict[str, Json]:
    """Return the first tool of each name."""
    found: dict[str, Json] = {}
    for one in listed:
        theirs = one.get("name")
        if isinstance(theirs, str) and 0 < len(theirs) <= _MOST_NAME:
            found.setdefault(theirs, one)
    return found


def _tool(one: Json, name: str, server: ServerTools) -> McpTool | None:
    """Return the tool, or None if its headers are invalid (revision 2026-07-28, "x-mcp-header").

    The hints default to the strictest values (revision 2025-11-25, "ToolAnnotations"), and clients must not trust
    them.
    """
    declared = one.get("inputSchema")
    schema = declared if isinstance(declared, dict) else {}
    try:
        headers = repeated_headers(schema)
    except BadHeader:
        return None
    arguments, input_schema, alternatives, groups = _input(schema)
    annotations = as_object(one.get("annotations"))
    hints = annotations if server.trusted else {}
    read_only = hints.get("readOnlyHint") is True
    title = text(one.get("title") or annotations.get("title"), 200)
    return McpTool(
        name=name,
        description=_description(one, title, server.namespace, groups),
        category=server.category,
        tier="free",
        credits=1,
        input_schema=input_schema,
        result_schema=_result_schema(one.get("outputSchema")),
        tags=[server.namespace, "mcp"],
        use_when=[title or name.replace("_", " ")],
        examples=[],
        module="",
        read_only=read_only,
        destructive=not read_only and hints.get("destructiveHint") is not False,
        idempotent=read_only or hints.get("idempotentHint") is True,
        open_world=server.address or hints.get("openWorldHint") is not False,
        timeout_s=TIMEOUT_S,
        memory_mb=0,
        call=McpCall(str(one["name"]), arguments, headers),
        alternatives=alternatives,
    )


def _description(one: Json, title: str, namespace: str, groups: str) -> str:
    about = text(one.get("description"), _ABOUT)
    sentences = [part if part.endswith((".", "!", "?", "…")) else f"{part}." for part in (title, about) if part]
    sentences += [groups] if groups else []
    return " ".join([*sentences, f"Calls {text(one['name'], 100)} of the imported MCP server {namespace}."])


def _input(schema: Schema) -> tuple[dict[str, str], Schema, list[Schema], str]:
    """Return the renamed arguments with the server's names, the schema of all arguments, its alternatives, and a
    sentence about them.
    """
    shaper = SchemaTrimmer(References(schema))
    flattened = FlattenedSchema(shaper, schema)
    flat_schema = flattened.schema
    properties = shaper.properties(flat_schema, as_object(flat_schema.get("properties")), depth=1)
    must = set(required_names(flat_schema, properties))
    names: dict[str, str] = {}
    for theirs in properties:
        names[argument_name(theirs, "argument", names)] = theirs
    more = flat_schema.get("additionalProperties")
    free = not flattened.complete or (
        not properties and (more is True or isinstance(more, dict) or bool(flattened.alternatives))
    )
    input_schema = {
        "type": "object",
        "properties": {
            ours: {"description": f"The argument {text(theirs, 60)}.", **properties[theirs]}
            for ours, theirs in names.items()
        },
        "required": [ours for ours, theirs in names.items() if theirs in must],
        "additionalProperties": free,
    }
    renamed = {ours: theirs for ours, theirs in names.items() if ours != theirs}
    rules = flattened.rules({theirs: ours for ours, theirs in names.items()})
    return renamed, input_schema, rules, flattened.sentence(rules)


def _result_schema(declared: object) -> Schema:
    """Return the schema of a result, including the server's schema of its structured content."""
    shaped = SchemaTrimmer(References(declared)).shape(declared) if isinstance(declared, dict) else {}
    return {"type": "object", "properties": {**_FIELDS, "structured": {**_FIELDS["structured"], **shaped}}}
