"""Define imported tools and their calls: an HTTP request, or a message to an MCP server or to an agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import orjson

from retinue.tools.authoring.tool import Tool

Place = Literal["path", "query", "header", "body"]
Encoding = Literal["json", "form", "multipart", "text"]


@dataclass(frozen=True, slots=True)
class ArgumentLocation:
    """Where an argument goes in the request. An empty `name` in the body means that it is the whole body.

    `style` and `explode` are OpenAPI's: they say how to serialize lists and objects in the path, the query, headers
    and form fields. The style `json` serializes an argument as JSON. A form field with the style `simple` repeats
    lists.
    """

    place: Place
    name: str
    style: str = "simple"
    explode: bool = False


@dataclass(frozen=True, slots=True)
class HttpCall:
    """The request of a tool. `path` is relative to the source's base address and has parameter names in braces."""

    method: str
    path: str
    arguments: Mapping[str, ArgumentLocation]
    encoding: Encoding | None = None
    media_type: str = ""
    body_required: bool = False

    @property
    def origin(self) -> str:
        """Identifies the operation in this and later versions of the document."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTool(Tool):
    """A tool that an account imported; a call sends a request to a third-party API."""

    call: HttpCall


@dataclass(frozen=True, slots=True)
class McpCall:
    """The parameters of `tools/call`. `tool` is the server's name for it; `arguments` maps renamed arguments to the
    server's names. `headers` are HTTP headers that repeat an argument, each with the path of the property it repeats.
    """

    tool: str
    arguments: Mapping[str, str]
    headers: Mapping[str, Sequence[str]]

    @property
    def origin(self) -> str:
        """Identifies the tool in this and later lists of the server."""
        return self.tool


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool(Tool):
    """A tool of an MCP server that an account imported."""

    call: McpCall


@dataclass(frozen=True, slots=True)
class A2aCall:
    """A message to an agent, in a version of A2A. `tenant` is what its card wants repeated in each request."""

    action: str
    version: str
    tenant: str | None

    @property
    def origin(self) -> str:
        """Identifies the tool in this and later versions of the card."""
        return self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class A2aTool(Tool):
    """An agent that an account imported; a call sends it a message."""

    call: A2aCall


AnyImported: TypeAlias = ImportedTool | McpTool | A2aTool


def decode(line: bytes) -> AnyImported:
    """Return a tool from its stored JSON."""
    fields: dict[str, Any] = orjson.loads(line)
    call = fields.pop("call")
    if "tool" in call:
        return McpTool(**fields, call=McpCall(**call))
    if "action" in call:
        return A2aTool(**fields, call=A2aCall(**call))
    arguments = {name: ArgumentLocation(**argument) for name, argument in call.pop("arguments").items()}
    return ImportedTool(**fields, call=HttpCall(**call, arguments=arguments))
