"""Converts tools into the descriptions that models receive."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import orjson

from retinue.models.base import Candidate, SaidNumber, ToolOffer, estimate_tokens
from retinue.models.meaning import Meaning
from retinue.runs.tool_selection.conversation import SEARCH
from retinue.tools.base import Tool

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


def offer_of(tool: Tool) -> ToolOffer:
    """Describe a tool that the caller named."""
    return ToolOffer(tool.name, tool.description, tool.input_schema)


def unnamed_offer_of(tool: Tool) -> ToolOffer:
    """Describe a tool that the caller did not name, with arguments limited to non-destructive values."""
    return ToolOffer(tool.name, tool.description, _keeping(tool))


def sized_offer(tool: Tool) -> tuple[ToolOffer, int]:
    """Describe a tool that the caller did not name, and estimate its size in tokens."""
    offer = unnamed_offer_of(tool)
    return offer, estimate_tokens(f"{tool.name}{tool.description}{orjson.dumps(offer.input_schema).decode()}")


def named_candidate_of(tool: Tool) -> Candidate:
    """Describe a tool that the caller named, for the small-model assistant."""
    return Candidate(offer_of(tool), examples=_examples(tool))


def candidate_of(
    tool: Tool, lead: float, meaning: Meaning | None = None, aliases: Sequence[Tool] = (), *, allowed: bool = True
) -> Candidate:
    """Describe a tool for the small-model assistant, with the roles of the request's numbers and texts.

    The classifier may have learned them under one of the tool's old names (`aliases`).
    """
    if meaning is None:
        return Candidate(unnamed_offer_of(tool), lead, _examples(tool), allowed)
    learned = max((tool, *aliases), key=lambda one: -inf if (score := meaning.of(one.name)) is None else score)
    numbers = [_with_new_names(number, learned.renames) for number in meaning.numbers(learned.name)]
    texts = [
        said._replace(argument=learned.renames.get(said.argument, said.argument))
        for said in meaning.texts(learned.name)
    ]
    return Candidate(unnamed_offer_of(tool), lead, _examples(tool), allowed, numbers, texts)


def _with_new_names(number: SaidNumber, renames: Mapping[str, str]) -> SaidNumber:
    roles = [role._replace(argument=renames.get(role.argument, role.argument)) for role in number.roles]
    return number._replace(roles=roles)


def _examples(tool: Tool) -> list[tuple[str, str]]:
    return [(request, arguments) for request, arguments in tool.precedents]


def _keeping(tool: Tool) -> Mapping[str, Any]:
    """Return the tool's input schema, limited to non-destructive values."""
    if not tool.destroys_when:
        return tool.input_schema
    properties = dict(tool.input_schema["properties"])
    for name, values in tool.destroys_when.items():
        schema = properties.pop(name)
        choices = schema.get("enum", (True, False) if schema.get("type") == "boolean" else ())
        kept = [value for value in choices if value not in values]
        if values and kept:
            properties[name] = {"const": kept[0]}
    return {**tool.input_schema, "properties": properties}
