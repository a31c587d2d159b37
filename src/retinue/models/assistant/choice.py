"""Which tool a request means, if any."""

from collections.abc import Sequence
from typing import Any

from retinue.models.assistant.schemas import one_field
from retinue.models.base import Candidate, Message, ToolOffer

TOKENS = 64
"""Tokens of the name of a tool."""

REPLY = "reply"
"""What a model chooses where no tool fits."""

_FILE = "file_"
"""How the ids of files begin."""

_ROUTER = 'You route requests to tools. Answer with one JSON object. If no tool fits, answer {"tool":"reply"}.'
_UNROUTED = ("Hello!", "Who painted the Mona Lisa?", "Write a poem about rain")


def likely_tools(request: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The tools that a request may mean, the likeliest first; none where it needs none."""
    fitting = [one for one in candidates if _has_its_file(one.tool, request)]
    return fitting if fitting and fitting[0].lead >= 0 else []


def choice_prompt(request: str, tools: Sequence[ToolOffer]) -> list[Message]:
    """Has a model choose among tools that the caller named: a line for each, and requests that need none."""
    lines = [f"- {tool.name}: {tool.description.partition('. ')[0].rstrip('.')}." for tool in tools]
    examples = [f'User: {said}\n{{"tool":"{REPLY}"}}' for said in _UNROUTED]
    told = "\n".join([_ROUTER, "Tools:", *lines, "Examples:", *examples])
    return [Message("system", told), Message("user", request)]


def choice_schema(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    """An object that names one of the tools, or none."""
    return one_field("tool", {"enum": [*(tool.name for tool in tools), REPLY]})


def _has_its_file(tool: ToolOffer, request: str) -> bool:
    """Whether a request has a file for a tool that needs one: a small model makes up what is not there."""
    properties = tool.input_schema.get("properties", {})
    needed = (properties.get(name, {}) for name in tool.input_schema.get("required", ()))
    return _FILE in request or not any(one.get("format") == "file-id" for one in needed)
