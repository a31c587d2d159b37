"""Convert documents and lists of tools to tools. Only worker processes import this module.

The worker's working folder holds the files that the server lends: `DOCUMENT`, and `EARLIER` with the current
definitions of the source's tools, one per line. Each line of the output file has the name of a tool, a tab, and its
definition as JSON.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson

from retinue.core.errors import ValidationFailed
from retinue.tools.authoring import output_file_api
from retinue.tools.authoring.declare import ToolError
from retinue.tools.catalogue.imported_tool import AnyImported, decode
from retinue.tools.imports import documents, openapi
from retinue.tools.imports.a2a import card
from retinue.tools.imports.document_checks import as_openapi_3
from retinue.tools.imports.mcp import tools as mcp
from retinue.tools.imports.source_limits import DOCUMENT, EARLIER

_TOOLS_FILE = "tools"


def openapi_import(
    encoding: str, address: str | None, secret: list[str], source: Mapping[str, str], room: Mapping[str, int]
) -> dict[str, object]:
    """Write the tools of an OpenAPI document fetched from `address`; return the address of its API."""
    try:
        document = as_openapi_3(documents.read(documents.unpack(Path(DOCUMENT).read_bytes(), encoding)))
        options = openapi.DocumentSource(source["name"], source["category"], (secret[0], secret[1]), _earlier_names())
        return {**_write(openapi.tools_of(document, options), room), "base_url": openapi.base_url(document, address)}
    except ValidationFailed as error:
        raise ToolError(error.message) from error


def mcp_import(
    *, trusted: bool, address: bool, source: Mapping[str, str], room: Mapping[str, int]
) -> dict[str, object]:
    """Write the tools of an MCP server; each line of the document is a page of its list."""
    try:
        listed = [tool for page in Path(DOCUMENT).read_bytes().splitlines() for tool in orjson.loads(page)]
        server = mcp.ServerTools(source["name"], source["category"], _earlier_names(), trusted, address)
        return _write(mcp.tools_of(listed, server), room)
    except ValidationFailed as error:
        raise ToolError(error.message) from error


def a2a_import(encoding: str, source: Mapping[str, str], room: Mapping[str, int]) -> dict[str, object]:
    """Write the tool of an agent that a card describes; return the address for its messages."""
    try:
        described = documents.read(documents.unpack(Path(DOCUMENT).read_bytes(), encoding))
        agent = card.AgentSource(source["name"], source["category"], _earlier_names())
        tool, address = card.tool_of(described, agent)
        return {**_write([tool], room), "base_url": address}
    except ValidationFailed as error:
        raise ToolError(error.message) from error


def _earlier_names() -> dict[str, str]:
    """Return the names of the earlier tools, by their origin in the source."""
    earlier = map(decode, Path(EARLIER).read_bytes().splitlines())
    return {tool.call.origin: tool.name for tool in earlier}


def _write(tools: Iterable[AnyImported], room: Mapping[str, int]) -> dict[str, object]:
    """Write tools within the account's remaining number and bytes. Raises `ValidationFailed` beyond that."""
    count = size = 0
    with output_file_api.output_path(_TOOLS_FILE).open("wb") as file:
        for tool in tools:
            definition = orjson.dumps(tool)
            count, size = count + 1, size + len(definition)
            if count > room["tools"] or size > room["bytes"]:
                raise ValidationFailed(
                    f"Your plan allows {room['tools']:,} more imported tools of {room['bytes'] / 2**20:.1f} MiB "
                    "in total, and this import exceeds that. Import fewer tools, or delete a source first."
                )
            file.write(tool.name.encode() + b"\t" + definition + b"\n")
    return {"tools": _TOOLS_FILE, "size": size}
