"""What the search for tools says by itself of a request, so that a small model need not be asked.

Its scores tell requests that need a tool from those that need none: over a hundred of the former half score 30 or more
and one in twenty less than 12.5; of thirty of the latter half score less than 11.5, and three in four less than 14.5.
"""

import re
from collections.abc import Sequence

from retinue.models.base import ToolOffer
from retinue.models.reading.bounds import NUMBER_WORDS
from retinue.models.reading.data import FILE, data_in
from retinue.models.reading.talk import is_talk

_HOPELESS, _HOPELESS_WITH_DATA = 11.5, 8.0
"""A request whose best tool scores less needs none."""

_SURE, _AHEAD = 18.0, 1.2
"""A tool that scores as much, and so many times what the next one does, is the right one for a request with data."""

_COUNTED = re.compile(
    rf"\b(?:an?|{NUMBER_WORDS}|hundred|thousand|million)\b",
    re.IGNORECASE,
)
"""Numbers in words: how many ounces are in a pound?"""

_SHARE = 0.4
"""Tools that score less than this share of the best are not worth reading."""

_DATA = re.compile(r"""\d|:\s*[^\s)(]|(?<!\w)['\u2018]|["\u201c\[{=<#@`]|\b[A-Z]{3,}\b|\w[._]\w|\b\w-\w\b|->|\u2192""")
"""Something to work on: a question about how a thing is in general has nothing of the kind."""


def plausible(question: str, tools: Sequence[ToolOffer]) -> list[ToolOffer]:
    """The tools to choose from: one of its own accord where there is no doubt, none where the request needs none.

    Tools that the caller named are all to choose from.
    """
    if any(tool.fit is None for tool in tools):
        return list(tools)
    has_data = _DATA.search(question) is not None
    fitting = (
        tool for tool in tools if _can_be_filled_in(tool, question) and (has_data or _takes_words(tool, question))
    )
    ranked = sorted(fitting, key=_fit, reverse=True)
    best, second = ([_fit(tool) for tool in ranked] + [0.0, 0.0])[:2]
    if is_talk(question, has_data=has_data):
        return []
    if best < (_HOPELESS_WITH_DATA if has_data else _HOPELESS):
        return []
    if has_data and best >= _SURE and best >= _AHEAD * second and _is_at_hand(ranked[0], question):
        return ranked[:1]
    return [tool for tool in ranked if _fit(tool) >= _SHARE * best or not tool.fit]


def _can_be_filled_in(tool: ToolOffer, question: str) -> bool:
    """Whether the question has a file or a table for a tool that works on one: a small model makes up what is not."""
    properties, required = tool.input_schema.get("properties", {}), tool.input_schema.get("required", ())
    files = [name for name, value in properties.items() if value.get("format") == "file-id"]
    if not files or FILE in question:
        return True
    tables = [value for value in properties.values() if value.get("items", {}).get("type") == "object"]
    return not set(files) & set(required) and (not tables or bool(data_in(question).literals))


def _takes_words(tool: ToolOffer, question: str) -> bool:
    """Whether a question with nothing but words in it can have all that a tool must be given."""
    schema = tool.input_schema
    needed = (schema.get("properties", {}).get(name, {}) for name in schema.get("required", ()))
    return all(
        one.get("type") == "boolean"
        or "enum" in one
        or (one.get("type") == "string" and "pattern" not in one)
        or (one.get("type") in ("number", "integer") and _COUNTED.search(question))
        for one in needed
    )


def _is_at_hand(tool: ToolOffer, question: str) -> bool:
    """Whether lists of records or of lists that a tool needs stand in the question: else what it has may be no such."""
    properties = tool.input_schema.get("properties", {})
    needed = (properties.get(name, {}).get("items", {}).get("type") for name in tool.input_schema.get("required", ()))
    return not {"object", "array"} & set(needed) or bool(data_in(question).literals)


def _fit(tool: ToolOffer) -> float:
    return tool.fit or 0.0
