"""What the search for tools says by itself of a request, so that a small model need not be asked.

It ranks tools better than a small model chooses among them (docs/decisions/0006).
"""

import re
from collections.abc import Sequence

from retinue.models.candidates import Candidate
from retinue.models.reading.bounds import NUMBER_WORDS
from retinue.models.reading.data import FILE, data_in
from retinue.models.reading.talk import is_talk

_LEAD, _LEAD_WITH_DATA = 3.5, 1.0
"""A request whose best tool leads no tool by less needs none. With data in it a tool is meant more often."""

_TABLE = 3
"""So many numbers can be a column of a table."""

_COUNTED = re.compile(
    rf"\b(?:an?|{NUMBER_WORDS}|hundred|thousand|million)\b",
    re.IGNORECASE,
)
"""Numbers in words: how many ounces are in a pound?"""

_DATA = re.compile(r"""\d|:\s*[^\s)(]|(?<!\w)['\u2018]|["\u201c\[{=<#@`]|\b[A-Z]{3,}\b|\w[._]\w|\b\w-\w\b|->|\u2192""")
"""Something to work on: a question about how a thing is in general has nothing of the kind."""


def plausible(question: str, tools: Sequence[Candidate]) -> list[Candidate]:
    """The tools that a request may mean, the likeliest first; none where it needs none.

    Tools that the caller named may all be meant.
    """
    if any(tool.fit is None for tool in tools):
        return list(tools)
    has_data = _DATA.search(question) is not None
    fitting = [
        tool for tool in tools if _can_be_filled_in(tool, question) and (has_data or _takes_words(tool, question))
    ]
    if not fitting or is_talk(question, has_data=has_data):
        return []
    return fitting if fitting[0].lead >= (_LEAD_WITH_DATA if has_data else _LEAD) else []


def _can_be_filled_in(tool: Candidate, question: str) -> bool:
    """Whether the question has a file or a table for a tool that works on one: a small model makes up what is not."""
    properties, required = tool.input_schema.get("properties", {}), tool.input_schema.get("required", ())
    files = [name for name, value in properties.items() if value.get("format") == "file-id"]
    if not files or FILE in question:
        return True
    tables = [value for value in properties.values() if value.get("items", {}).get("type") == "object"]
    data = data_in(question)
    return not set(files) & set(required) and (not tables or bool(data.literals) or data.numbers >= _TABLE)


def _takes_words(tool: Candidate, question: str) -> bool:
    """Whether a question with nothing but words in it can have all that a tool must be given."""
    schema = tool.input_schema
    needed = (schema.get("properties", {}).get(name, {}) for name in schema.get("required", ()))
    return all(
        one.get("type") == "boolean"
        or "enum" in one
        or (one.get("type") == "string" and "pattern" not in one)
        or (one.get("type") == "array" and one.get("items", {}).get("type") == "string")
        or (one.get("type") in ("number", "integer") and _COUNTED.search(question))
        for one in needed
    )
