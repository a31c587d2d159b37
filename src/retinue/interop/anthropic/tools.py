"""The tools that a request of the Messages API brings.

A tool with `defer_loading` is offered once a block of the conversation names it: a `tool_reference`, by which a tool of
the client that searches tools answers, or a `tool_addition`.
"""

from collections.abc import Iterator, Sequence

from retinue.core.errors import ValidationFailed
from retinue.interop.anthropic.schemas import Block, CountRequest, WireMessage, WireTool
from retinue.runs.run_options import ClientTool

_SEARCH = "tool_search_tool_"
"""The beginning of the types of tools by which Anthropic's servers search deferred tools."""


def read_tools(request: CountRequest) -> tuple[list[ClientTool], bool]:
    """Return the tools that may be called, and whether one must be. Raises `ValidationFailed`."""
    choice = request.tool_choice
    offered = [_client_tool(tool) for tool in _available_tools(request)]
    if choice is None or choice.type == "auto":
        return offered, False
    if choice.type == "none":
        return [], False
    required_name = choice.name if choice.type == "tool" else None
    chosen = [tool for tool in offered if required_name in (None, tool.name)]
    if not chosen:
        raise ValidationFailed("tool_choice: tools contains no such tool.")
    return chosen, True


def _available_tools(request: CountRequest) -> list[WireTool]:
    """Return the tools that the model may call: neither removed nor deferred, unless the conversation names them."""
    declared = request.tools or []
    searched = any((tool.type or "").startswith(_SEARCH) for tool in declared)
    known = {tool.name: tool for tool in declared if not (tool.type or "").startswith(_SEARCH)}
    names = {name for name, tool in known.items() if searched or not tool.defer_loading}
    for block in _blocks(request.messages):
        change = block.tool
        if block.type == "tool_reference":
            names.add(block.tool_name)
        elif block.type == "tool_addition" and change:
            if change.definition:
                known[change.definition.name] = change.definition
            names.add(change.definition.name if change.definition else change.name)
        elif block.type == "tool_removal" and change:
            names.discard(change.name)
    return [tool for name, tool in known.items() if name in names]


def _blocks(messages: Sequence[WireMessage]) -> Iterator[Block]:
    """Yield the blocks of the messages, and those within results of tools."""
    for message in messages:
        for block in message.content if isinstance(message.content, list) else ():
            yield block
            if block.type == "tool_result" and isinstance(block.content, list):
                yield from block.content


def _client_tool(tool: WireTool) -> ClientTool:
    if tool.name is None or tool.input_schema is None:
        raise ValidationFailed(
            f"tools: this server does not know tools of type {(tool.type or 'custom')[:40]!r}. Leave it out. If your "
            "program runs it, describe it with a name and an input_schema. Agents use their own tools: name one as the "
            "model, as agent: and its id."
        )
    return ClientTool(name=tool.name, description=tool.description or "", parameters=tool.input_schema)
