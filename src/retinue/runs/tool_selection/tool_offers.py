"""Converts tools into the descriptions that models receive."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import orjson

from retinue.models.base import Candidate, ToolOffer, estimate_tokens
from retinue.models.request_classification import RequestClassification
from retinue.runs.tool_selection.conversation import SEARCH
from retinue.tools.authoring.tool import Tool

FIND_MORE = ToolOffer(
    SEARCH,
    "Search all tools by what is to be done, in English. What it finds can be called from the next step on. "
    "Use it when the other tools do not fit.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "For example: convert currencies"}},
        "required": ["query"],
        "additionalProperties": False,
    },
)

_OMITTED = {
    *("additionalProperties", "examples", "pattern"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"),
}
"""Keywords of a schema that are left out for tools that the caller did not name. The server checks calls anyway."""
_SENTENCE_END = re.compile(r"(?<=[a-z)\d]\.)\s")


def offer_of(tool: Tool) -> ToolOffer:
    """Describe a tool that the caller named."""
    return ToolOffer(tool.name, tool.description, tool.input_schema)


def unnamed_offer_of(tool: Tool) -> ToolOffer:
    """Describe a tool that the caller did not name, with arguments limited to non-destructive values."""
    return ToolOffer(tool.name, tool.description, _schema_without_destruction(tool))


def sized_offer(tool: Tool, *, brief: bool = False) -> tuple[ToolOffer, int]:
    """Describe a tool that the caller did not name, without what the model can do without, and estimate its size in
    tokens. If `brief`, only the first sentence of the description and the descriptions of required arguments remain.
    """
    schema = _compact(_schema_without_destruction(tool))
    description = tool.description
    if brief:
        description = _SENTENCE_END.split(description, 1)[0]
        required = schema.get("required", ())
        arguments = schema["properties"].items()
        schema["properties"] = {name: one if name in required else _without_description(one) for name, one in arguments}
    offer = ToolOffer(tool.name, description, schema)
    return offer, estimate_tokens(f"{offer.name}{offer.description}{orjson.dumps(schema).decode()}")


def named_candidate_of(
    tool: Tool, lead: float | None = None, meaning: RequestClassification | None = None, aliases: Sequence[Tool] = ()
) -> Candidate:
    """Describe a tool that the caller named, for the small-model assistant. Without a `lead`, it was not classified."""
    if lead is None or meaning is None:
        return Candidate(offer_of(tool), examples=_examples(tool))
    return replace(candidate_of(tool, lead, meaning, aliases), tool=offer_of(tool))


def candidate_of(
    tool: Tool,
    lead: float,
    meaning: RequestClassification | None = None,
    aliases: Sequence[Tool] = (),
    *,
    allowed: bool = True,
) -> Candidate:
    """Describe a tool for the small-model assistant, with hints for its arguments.

    The classifier may have learned them under one of the tool's old names (`aliases`).
    """
    if meaning is None:
        return Candidate(unnamed_offer_of(tool), lead, _examples(tool), allowed, questions=tool.use_when)
    learned = max((tool, *aliases), key=lambda one: -inf if (score := meaning.of(one.name)) is None else score)
    hints = meaning.hints(learned.name, learned.renames)
    return Candidate(unnamed_offer_of(tool), lead, _examples(tool), allowed, hints, tool.use_when)


def _examples(tool: Tool) -> list[tuple[str, str]]:
    return [(request, arguments) for request, arguments in tool.precedents]


def _compact(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without the keywords that a model can do without, on all levels."""
    compact = {name: value for name, value in schema.items() if name not in _OMITTED}
    if isinstance(schema.get("additionalProperties"), Mapping):
        compact["additionalProperties"] = _compact(schema["additionalProperties"])
    if "properties" in schema:
        compact["properties"] = {name: _compact(one) for name, one in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        compact["items"] = _compact(schema["items"])
    for name in ("anyOf", "oneOf"):
        if name in schema:
            compact[name] = [_compact(one) for one in schema[name]]
    return compact


def _without_description(schema: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in schema.items() if name != "description"}


def _schema_without_destruction(tool: Tool) -> Mapping[str, object]:
    """Return the tool's input schema, limited to non-destructive values."""
    if not tool.destroys_when:
        return tool.input_schema
    properties = dict(tool.input_schema["properties"])
    for name, values in tool.destroys_when.items():
        schema = properties.pop(name)
        choices = schema.get("enum", (True, False) if schema.get("type") == "boolean" else ())
        safe_values = [value for value in choices if value not in values]
        if values and safe_values:
            properties[name] = {"const": safe_values[0]}
    return {**tool.input_schema, "properties": properties}
