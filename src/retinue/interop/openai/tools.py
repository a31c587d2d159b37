"""The tools that a request of OpenAI's protocols brings, and the calls of them.

A model gets each tool as a function: one of a namespace under a name of both parts, and one that takes free text with
the text as its only argument.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

import orjson

from retinue.core.errors import ValidationFailed
from retinue.interop.openai.schemas import CustomTool, Item, NamedTool, ResponseTool, ToolChoice, WireTool
from retinue.models.base import ToolCall
from retinue.runs.run_options import ClientTool

_NO_PARAMETERS: dict[str, object] = {"type": "object", "properties": {}}
_MOST_CHARACTERS = 64
"""Maximum length of the name of a function, as providers take it."""

_OMITTED = ("web_search", "tool_search", "programmatic_tool_calling")
"""Beginnings of the types of tools that clients send with every request. Models do without them."""

_INSTEAD = {
    "file_search": "Or give an agent a collection as knowledge",
    "mcp": "Or import the server as a tool source, and give its tools to an agent",
    "code_interpreter": "Or give an agent a tool that runs code",
    "image_generation": "Or give an agent a tool that makes images",
}
_AS_MODEL = "and use that agent as the model: agent: and its id."
_BY_FUNCTION = "If your program runs it, describe it as a tool of type function."
_MOST_TOOLS = 512


def read_tools(tools: Sequence[ResponseTool], choice: ToolChoice) -> tuple[list[ClientTool], bool]:
    """Return the tools of a response that may be called, and whether one must be. Raises `ValidationFailed`."""
    return _choose([one for tool in tools for one in _read_tool(tool)], choice)


def read_wire_tools(tools: Sequence[WireTool], choice: ToolChoice) -> tuple[list[ClientTool], bool]:
    """Return the tools of a completion that may be called, and whether one must be. Raises `ValidationFailed`."""
    return _choose([_read_wire_tool(tool) for tool in tools], choice)


def namespace_notes(tools: Sequence[ResponseTool]) -> Iterator[str]:
    """Yield what the client says of its namespaces, for the system prompt."""
    for tool in tools:
        if tool.type == "namespace" and tool.description:
            yield f"The tools whose names begin with {tool.name}__: {tool.description}"


def joined_name(namespace: str | None, name: str) -> str:
    """Return the name of a function for models. A name that is too long is cut and gets a digest of the whole."""
    joined = f"{namespace}__{name}" if namespace else name
    if not namespace or len(joined) <= _MOST_CHARACTERS:
        return joined
    return f"{joined[: _MOST_CHARACTERS - 9]}_{sha256(joined.encode()).hexdigest()[:8]}"


def free_text(arguments: str) -> str:
    """Return the text for a tool that takes free text."""
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments
    text = value.get("input") if isinstance(value, dict) else None
    return text if isinstance(text, str) else arguments


def with_text(text: str) -> str:
    """Return the arguments of a call of a tool that takes free text."""
    return orjson.dumps({"input": text}).decode()


def call_item(item_id: str, call: ToolCall, tools: Iterable[ClientTool]) -> dict[str, str]:
    """Return a call as an item of the Responses API. `tools` are those of its request."""
    tool = _tool_of(call, tools)
    names = {"name": tool.client_name or call.name, **({"namespace": tool.namespace} if tool.namespace else {})}
    known = {"call_id": call.id, **names, "status": "completed"}
    if tool.free_text:
        return {"type": "custom_tool_call", "id": f"ctc_{item_id}", **known, "input": free_text(call.arguments)}
    return {"type": "function_call", "id": f"fc_{item_id}", **known, "arguments": call.arguments}


def wire_call(call: ToolCall, tools: Iterable[ClientTool]) -> dict[str, object]:
    """Return a call as Chat Completions has it. `tools` are those of its request."""
    if _tool_of(call, tools).free_text:
        custom = {"name": call.name, "input": free_text(call.arguments)}
        return {"id": call.id, "type": "custom", "custom": custom}
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def read_call(item: Item) -> tuple[str, str]:
    """Return the name and the arguments of the call that an item stands for."""
    arguments = with_text(item.input or "") if item.type == "custom_tool_call" else item.arguments
    return joined_name(item.namespace, item.name or ""), arguments


def _tool_of(call: ToolCall, tools: Iterable[ClientTool]) -> ClientTool:
    return next((tool for tool in tools if tool.name == call.name), ClientTool(name=call.name))


def _read_tool(tool: ResponseTool, namespace: str | None = None) -> Iterator[ClientTool]:
    if tool.type == "namespace" and namespace is None:
        for inner in tool.tools or ():
            yield from _read_tool(inner, tool.name)
    elif tool.type in ("function", "custom") and tool.name:
        name = joined_name(namespace, tool.name)
        if tool.type == "function":
            function = _function(name, tool.description, tool.parameters)
        else:
            function = _taking_text(name, tool.description, tool.format)
        yield function.model_copy(update={"namespace": namespace, "client_name": tool.name if namespace else None})
    elif not tool.type.startswith(_OMITTED):
        raise _not_run_here(tool.type)


def _read_wire_tool(tool: WireTool) -> ClientTool:
    if function := tool.function:
        return _function(function.name, function.description, function.parameters)
    if custom := tool.custom:
        return _taking_text(custom.name, custom.description, _inner_format(custom))
    raise _not_run_here(tool.type)


def _not_run_here(kind: str) -> ValidationFailed:
    if kind in ("function", "custom"):
        return ValidationFailed(f"tools: a tool of type {kind} needs a name.")
    instead = f"{_INSTEAD[kind]}, {_AS_MODEL}" if kind in _INSTEAD else _BY_FUNCTION
    return ValidationFailed(f"tools: this server runs no tools of type {kind[:40]!r}. Leave it out. {instead}")


def _inner_format(custom: CustomTool) -> Mapping[str, object] | None:
    outer = custom.format or {}
    inner = outer.get("grammar")
    return {"type": "grammar", **inner} if isinstance(inner, dict) else outer


def _function(name: str, description: str | None, parameters: dict[str, object] | None) -> ClientTool:
    return ClientTool(name=name, description=description or "", parameters=parameters or _NO_PARAMETERS)


def _taking_text(name: str, description: str | None, form: Mapping[str, object] | None) -> ClientTool:
    about = description or ""
    if form and form.get("type") == "grammar":
        about += f"\n\nThe input must match this {form.get('syntax', '')} grammar:\n{form.get('definition', '')}"
    text = {"type": "string", "description": "The whole input, as plain text."}
    parameters = {"type": "object", "properties": {"input": text}, "required": ["input"], "additionalProperties": False}
    return ClientTool(name=name, description=about, parameters=parameters, free_text=True)


def _choose(tools: list[ClientTool], choice: ToolChoice) -> tuple[list[ClientTool], bool]:
    if len(tools) > _MOST_TOOLS:
        raise ValidationFailed(f"tools: a request can bring at most {_MOST_TOOLS} tools.")
    if choice in (None, "auto"):
        return tools, False
    if choice == "none":
        return [], False
    must_call = True
    if isinstance(choice, NamedTool):
        names, must_call = choice.names()
        tools = [tool for tool in tools if (tool.client_name or tool.name) in names]
    if not tools:
        raise ValidationFailed("tool_choice: tools contains no such tool.")
    return tools, must_call
