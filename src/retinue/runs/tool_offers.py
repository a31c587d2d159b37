"""Tools as models are shown them."""

from collections.abc import Mapping

import orjson

from retinue.models.base import ToolOffer, estimate_tokens
from retinue.models.candidates import Candidate
from retinue.models.directions import Meaning
from retinue.runs.conversation import SEARCH
from retinue.tools.base import Tool

_EXAMPLE_CHARACTERS = 400
"""Longer examples would fill the window of a small model."""

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
    """A tool for a model that calls tools by itself."""
    return ToolOffer(tool.name, tool.description, tool.input_schema)


def sized_offer(tool: Tool) -> tuple[ToolOffer, int]:
    """A tool as a model is shown it, and about how many tokens that takes."""
    return offer_of(tool), estimate_tokens(f"{tool.name}{tool.description}{orjson.dumps(tool.input_schema).decode()}")


def candidate_of(tool: Tool, fit: float | None = None, lead: float = 0.0, meaning: Meaning | None = None) -> Candidate:
    """A tool as a small model is shown it, with the shortest example of what it takes."""
    taken: list[Mapping[str, object]] = [example["args"] for example in tool.examples if "refusal" not in example]
    shortest = min(taken, key=lambda args: len(str(args)), default=None)
    shown = shortest if shortest and len(str(shortest)) <= _EXAMPLE_CHARACTERS else None
    known = [(request, arguments) for request, arguments in tool.precedents]
    said = (meaning.numbers(tool.name), meaning.texts(tool.name)) if meaning else ((), ())
    return Candidate(tool.name, tool.description, tool.input_schema, tool.use_when, shown, fit, lead, known, *said)
