"""Fills arguments with numbers and texts of the request that the trained heads match with high probability.

These arguments need no model call, which takes most of the time of a reply (docs/decisions/0016).
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import orjson
from jsonschema_rs import is_valid

from retinue.models.base import Candidate
from retinue_assistant.argument_hints import NumberSpan, SlotScore, TextSpan, hints_of
from retinue_assistant.text_parsing.list_items import split_items
from retinue_assistant.text_parsing.numbers import MOST

_REQUIRED, _OPTIONAL, _LISTED = 0.5, 0.8, 0.8
"""Minimum probability for using a number as a required argument, an optional argument, or an item of a list."""
_TEXT = 0.85
"""Minimum probability for using a text span as an argument."""
_LINE = "\\n"
"""The escape for a line break in one-line requests."""

Schemas = Mapping[str, Any]


def slots(candidate: Candidate, names: Collection[str]) -> dict[str, Any]:
    """Return values for the arguments among `names` that numbers, lists of numbers or texts of the request fill."""
    properties = candidate.tool.input_schema.get("properties", {})
    schemas = {name: properties[name] for name in names if name in properties and "enum" not in properties[name]}
    numbers, texts = hints_of(candidate)
    return {
        **_numbers(candidate, numbers, schemas),
        **_lists(candidate, numbers, schemas),
        **_texts(candidate, texts, schemas),
    }


def _numbers(candidate: Candidate, numbers: Sequence[NumberSpan], schemas: Schemas) -> dict[str, float]:
    """Fill arguments that take one number, most probable first. Each number is used once."""
    found: dict[str, float] = {}
    used: set[int] = set()
    for place, role in sorted(_roles(candidate, numbers, schemas), key=lambda one: -one[1].likelihood):
        if place not in used and role.argument not in found:
            found[role.argument] = numbers[place].value
            used.add(place)
    return found


def _roles(candidate: Candidate, numbers: Sequence[NumberSpan], schemas: Schemas) -> Iterator[tuple[int, SlotScore]]:
    """Yield the index of each number with each role above the minimum probability that the schema accepts."""
    required = candidate.tool.input_schema.get("required", ())
    for place, number in enumerate(numbers):
        for role in number.roles:
            schema = schemas.get(role.argument, {})
            needed = _REQUIRED if role.argument in required else _OPTIONAL
            if role.likelihood >= needed and _is_numeric(schema) and _takes(schema, number.value, candidate):
                yield place, role


def _lists(candidate: Candidate, numbers: Sequence[NumberSpan], schemas: Schemas) -> dict[str, list[float]]:
    """Fill arguments that take lists of numbers: each number goes to its most probable argument, if all are sure."""
    if len(numbers) >= MOST:
        return {}
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for value, roles in numbers:
        best = max(roles, key=lambda role: role.likelihood, default=None)
        if best and _is_numeric(schemas.get(best.argument, {}).get("items", {})):
            found[best.argument].append((value, best.likelihood))
    return {
        name: values
        for name, own in found.items()
        if len(own) > 1
        and min(likelihood for _, likelihood in own) >= _LISTED
        and _takes(schemas[name], values := [value for value, _ in own], candidate)
    }


def _texts(candidate: Candidate, texts: Sequence[TextSpan], schemas: Schemas) -> dict[str, Any]:
    """Fill arguments that take a text or a list of texts, most probable first. Spans do not overlap."""
    selected: list[TextSpan] = []
    for one in sorted(texts, key=lambda one: -one.likelihood):
        is_free = not any(one.argument == other.argument or _overlap(one, other) for other in selected)
        schema = schemas.get(one.argument, {})
        if one.likelihood >= _TEXT and (is_text(schema) or are_texts(schema)) and is_free:
            selected.append(one)
    found = {one.argument: _value(one, schemas[one.argument], candidate.examples) for one in selected}
    return {name: value for name, value in found.items() if _takes(schemas[name], value, candidate)}


def _value(span: TextSpan, schema: Schemas, examples: Sequence[tuple[str, str]]) -> Any:
    """Convert a text span to the value of its argument."""
    if are_texts(schema):
        return split_items(span.text, at_blanks=not have_blanks(span.argument, examples))
    return span.text.replace(_LINE, "\n")


def is_text(schema: Schemas) -> bool:
    """Return whether an argument takes free text."""
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return "string" in kinds and "enum" not in schema and schema.get("format") != "file-id"


def are_texts(schema: Schemas) -> bool:
    """Return whether an argument takes a list of free texts."""
    return schema.get("type") == "array" and is_text(schema.get("items", {}))


def have_blanks(name: str, examples: Sequence[tuple[str, str]]) -> bool:
    """Return whether an example has a list item with a space in this argument."""
    values = (orjson.loads(arguments).get(name) for _, arguments in examples)
    return any(isinstance(item, str) and " " in item for value in values if isinstance(value, list) for item in value)


def _overlap(one: TextSpan, other: TextSpan) -> bool:
    return one.begin < other.begin + len(other.text) and other.begin < one.begin + len(one.text)


def _takes(schema: Schemas, value: Any, candidate: Candidate) -> bool:
    return is_valid({**schema, "$defs": candidate.tool.input_schema.get("$defs", {})}, value)


def _is_numeric(schema: Schemas) -> bool:
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return not kinds.isdisjoint({"number", "integer"})
