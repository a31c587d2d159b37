"""Chooses the tool for a request, if it needs one."""

from collections.abc import Sequence
from typing import Any

from retinue.models.assistant.schemas import one_field
from retinue.models.base import Candidate, Message, ToolOffer

TOKENS = 64
"""Most tokens of the answer that names a tool."""
REPLY = "reply"
"""The answer of a model if no tool fits."""
_FILE = "file_"
"""Prefix of file ids."""
_ROUTER = 'You route requests to tools. Answer with one JSON object. If no tool fits, answer {"tool":"reply"}.'
_UNROUTED = ("Hello!", "Who painted the Mona Lisa?", "Write a poem about rain")


def likely_tools(request: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the tools that a request may mean, most likely first; empty if it needs no tool."""
    fitting = [one for one in candidates if _has_its_file(one.tool, request)]
    return fitting if fitting and fitting[0].lead >= 0 else []


def choice_prompt(request: str, tools: Sequence[ToolOffer]) -> list[Message]:
    """Build the prompt to choose among the caller's tools: one line per tool, and example requests without a tool."""
    lines = [f"- {tool.name}: {tool.description.partition('. ')[0].rstrip('.')}." for tool in tools]
    examples = [f'User: {said}\n{{"tool":"{REPLY}"}}' for said in _UNROUTED]
    told = "\n".join([_ROUTER, "Tools:", *lines, "Examples:", *examples])
    return [Message("system", told), Message("user", request)]


def choice_schema(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    """Return the JSON Schema of an answer that names one of the tools, or `reply`."""
    return one_field("tool", {"enum": [*(tool.name for tool in tools), REPLY]})


def _has_its_file(tool: ToolOffer, request: str) -> bool:
    """False if the tool requires a file and the request names none: a small model would invent a file id."""
    properties = tool.input_schema.get("properties", {})
    needed = (properties.get(name, {}) for name in tool.input_schema.get("required", ()))
    return _FILE in request or not any(one.get("format") == "file-id" for one in needed)
