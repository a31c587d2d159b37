"""The texts by which a tool is found."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retinue.tools.base import CATEGORIES, Tool
from retinue.tools.roster import SCHOOLBOOK

_REQUESTS, _MANY = 1.0, 24
"""What an example request weighs, for a tool with so many of them at most: with more, each weighs less, or the tool's
other words would drown. Measured: docs/decisions/0015.
"""


def example_requests(tool: Tool, replaced: Iterable[Tool] = ()) -> list[str]:
    """What people say when they need the tool, or one of those that it stands in for among the `replaced`."""
    others = (request for one in replaced if one.superseded_by == tool.name for request in one.use_when)
    return [*tool.use_when, *(request for request, _ in tool.precedents), *others]


def document(tool: Tool, requests: Sequence[str]) -> dict[str, float]:
    """The texts of a tool with these example requests, each with its weight."""
    arguments, results = tool.input_schema.get("properties", {}), tool.result_schema.get("properties", {})
    weighted = (
        (tool.name.replace("_", " "), 4.0),
        (" ".join(tag for tag in tool.tags if tag != SCHOOLBOOK), 3.0),
        ("\n".join(requests), _REQUESTS * min(1.0, _MANY / (len(requests) or 1))),
        (tool.description, 1.0),
        (CATEGORIES.get(tool.category, tool.category), 0.5),
        (" ".join(str(choice) for schema in arguments.values() for choice in schema.get("enum", ())), 0.5),
        (_fields(arguments), 0.3),
        (_fields(results), 0.3),
    )
    return {text: weight for text, weight in weighted if text}


def _fields(fields: Mapping[str, Mapping[str, Any]]) -> str:
    """The names and descriptions of arguments or results."""
    return " ".join(f"{name} {schema.get('description', '')}".replace("_", " ") for name, schema in fields.items())
