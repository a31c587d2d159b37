"""Tools of the account for MCP clients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from retinue.core.errors import InsufficientScope, NotFound, RetinueError, ValidationFailed
from retinue.interop.mcp.messages import INVALID_PARAMS, ProtocolError
from retinue.tools.authoring.tool import Tool
from retinue.tools.imports.mcp.direct_answers import Answers
from retinue.tools.imports.mcp.questions import InputRequired
from retinue.tools.service import Tools

SEARCH, EXECUTE = "tools_search", "tools_execute"
LISTED = 100
"""Tools on a page of the list."""

_FOUND, _MOST_FOUND = 8, 30

_SEARCH_TOOL = {
    "name": SEARCH,
    "title": "Search tools",
    "description": "Find tools by what they do. Describe one task in plain words, such as 'convert a PDF to text'. "
    f"Returns names, descriptions and input schemas; call a tool with {EXECUTE}.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What the tool should do.", "maxLength": 500},
            "limit": {"type": "integer", "minimum": 1, "maximum": _MOST_FOUND, "default": _FOUND},
        },
        "required": ["query"],
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}
_EXECUTE_TOOL = {
    "name": EXECUTE,
    "title": "Execute a tool",
    "description": f"Execute a tool that {SEARCH} returned. Its arguments must fit its input schema.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": f"Name of the tool, as returned by {SEARCH}."},
            "arguments": {"type": "object", "description": "Arguments of the tool."},
        },
        "required": ["name"],
    },
    "annotations": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True},
}
BUILT_IN: Mapping[str, Mapping[str, object]] = {SEARCH: _SEARCH_TOOL, EXECUTE: _EXECUTE_TOOL}
"""The tools through which a client reaches all others."""

SCOPES = {SEARCH: "tools:read"}
"""The scopes of tools that need another one than `tools:execute`."""

Result = dict[str, object]


@dataclass(frozen=True)
class OfferedTools:
    """The tools of one caller as an MCP client sees them."""

    tools: Tools

    async def describe(self, names: Sequence[str]) -> list[Mapping[str, object]]:
        """Return the entries of tools in a list. Raises `ProtocolError` for an unknown name."""
        known = await self.tools.all()
        try:
            return [BUILT_IN[name] if name in BUILT_IN else _entry(known.get(name)) for name in names]
        except NotFound as error:
            raise ProtocolError(INVALID_PARAMS, error.message) from error

    async def page(self, number: int) -> tuple[list[Mapping[str, object]], bool]:
        """Return a page of all tools, and whether there are more."""
        start = (number - 1) * LISTED
        total, found = (await self.tools.all()).search(None, None, None, start, LISTED)
        return [_entry(tool) for tool, _ in found], start + len(found) < total

    async def call(self, name: str, arguments: Mapping[str, object], answers: Answers) -> Result:
        """Return the result of a call. `answers` has those to questions of the tool's server.

        Raises `ProtocolError` for a tool that does not exist, and `InputRequired` for a question without an answer.
        """
        try:
            if name == SEARCH:
                return await self._search(arguments)
            if name == EXECUTE:
                name, arguments = _named_call(arguments)
            await self._admit(name)
            answer = await self.tools.execute(name, arguments, answers=answers)
        except InputRequired:
            raise
        except RetinueError as error:
            return error_result(error)
        return structured_result(answer["result"])

    async def _admit(self, name: str) -> None:
        try:
            await self.tools.admit(name)
        except NotFound as error:
            raise ProtocolError(INVALID_PARAMS, error.message) from error

    async def _search(self, arguments: Mapping[str, object]) -> Result:
        query, limit = arguments.get("query"), arguments.get("limit", _FOUND)
        if not isinstance(query, str) or not isinstance(limit, int):
            raise ValidationFailed("arguments: query must be a string, and limit an integer.")
        known = await self.tools.all()
        _, found = known.search(query[:500], None, None, 0, max(1, min(limit, _MOST_FOUND)))
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool, _ in found
        ]
        return structured_result({"tools": tools})


def structured_result(value: Mapping[str, object], text: str | None = None) -> Result:
    """Return a result with its text, by default the value as JSON, for clients that read only text."""
    shown = orjson.dumps(value).decode() if text is None else text
    return {"content": [{"type": "text", "text": shown}], "structuredContent": value, "isError": False}


def error_result(error: RetinueError) -> Result:
    """Return the result of a tool that failed. Raises the error if another scope would help."""
    if isinstance(error, InsufficientScope) and error.scope:
        raise error
    message = error.message or "Something went wrong on our side."
    return {"content": [{"type": "text", "text": message}], "isError": True}


def _named_call(arguments: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    if unknown := sorted(arguments.keys() - {"name", "arguments"}):
        raise ValidationFailed(
            f"arguments: {', '.join(unknown)[:100]} is unknown. {EXECUTE} takes name, and arguments for the tool."
        )
    name, inner = arguments.get("name"), arguments.get("arguments", {})
    if not isinstance(name, str) or not isinstance(inner, Mapping):
        raise ValidationFailed("arguments: name must be a string, and arguments an object.")
    if name in BUILT_IN:
        raise ValidationFailed(f"arguments: {name} cannot be executed by {EXECUTE}.")
    return name, inner


def _entry(tool: Tool) -> Mapping[str, object]:
    """Return a tool as it stands in a list."""
    output = {"outputSchema": tool.result_schema} if tool.result_schema.get("type") == "object" else {}
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {"type": "object", **tool.input_schema},
        **output,
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": tool.open_world,
        },
    }
