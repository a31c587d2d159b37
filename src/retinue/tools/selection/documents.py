"""Collect the texts that the index of tools searches."""

from collections.abc import Iterable, Mapping, Sequence

from retinue.tools.authoring.libraries import SCHOOLBOOK
from retinue.tools.authoring.tool import CATEGORIES, Tool

_REQUESTS, _MANY = 1.0, 24
"""Weight of an example request, for a tool with at most that many. With more, each weighs less, so that the tool's
other words still count. Measured: docs/decisions/0015.
"""


def example_requests(tool: Tool, replaced: Iterable[Tool] = ()) -> list[str]:
    """Return the example requests for the tool, and for those of the `replaced` tools that it supersedes."""
    others = (request for one in replaced if one.superseded_by == tool.name for request in one.use_when)
    return [*tool.use_when, *(request for request, _ in tool.precedents), *others]


def document(tool: Tool, requests: Sequence[str]) -> dict[str, float]:
    """Return the texts of a tool with these example requests, each with its weight."""
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


def _fields(fields: Mapping[str, Mapping[str, object]]) -> str:
    """Return the names and descriptions of arguments or results."""
    return " ".join(f"{name} {schema.get('description', '')}".replace("_", " ") for name, schema in fields.items())
