"""Imported tools, and what a call of one sends: an HTTP request, or a message to an MCP server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import orjson

from retinue.tools.base import Tool

Place = Literal["path", "query", "header", "body"]
Encoding = Literal["json", "form", "multipart", "text"]

TIMEOUT_S = 20.0
"""How long the API behind an imported tool may take to answer."""

DOCUMENT_BYTES = 20 << 20
"""How large an OpenAPI document, or the list of an MCP server, may be."""

MOST_TOOLS = 2000
"""Tools of one source."""

DOCUMENT, EARLIER = "document", "earlier"
"""Files that are lent to a worker: what is to be read, and the definitions of a source's tools so far."""


@dataclass(frozen=True, slots=True)
class Argument:
    """Where an argument goes in the request. An empty `name` in the body means that it is the whole body.

    `style` and `explode` are OpenAPI's: how lists and objects are written in the path, the query and headers. One in
    the style `json` is written as JSON.
    """

    place: Place
    name: str
    style: str = "simple"
    explode: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """The request of a tool: `path` follows the source's base address, and names parameters in braces."""

    method: str
    path: str
    arguments: Mapping[str, Argument]
    encoding: Encoding | None = None
    media_type: str = ""
    body_required: bool = False

    @property
    def origin(self) -> str:
        """What it is in the document, also in a later one."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTool(Tool):
    """A tool that an account imported: a call of it is a request to somebody else's API."""

    call: Call


@dataclass(frozen=True, slots=True)
class McpCall:
    """What `tools/call` sends: `tool` is the name that the server has for it, `arguments` are those that it has other
    names for. `headers` are HTTP headers that repeat an argument, each with the path of the property it repeats.
    """

    tool: str
    arguments: Mapping[str, str]
    headers: Mapping[str, Sequence[str]]

    @property
    def origin(self) -> str:
        """What it is at the server, also in a later list."""
        return self.tool


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool(Tool):
    """A tool of an MCP server that an account imported."""

    call: McpCall


AnyImported: TypeAlias = ImportedTool | McpTool


def decode(line: bytes) -> AnyImported:
    """A tool from the JSON that it is kept as."""
    fields: dict[str, Any] = orjson.loads(line)
    call = fields.pop("call")
    if "tool" in call:
        return McpTool(**fields, call=McpCall(**call))
    arguments = {name: Argument(**argument) for name, argument in call.pop("arguments").items()}
    return ImportedTool(**fields, call=Call(**call, arguments=arguments))
