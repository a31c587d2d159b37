"""Numbers of a request that are given to arguments as the model's first blocks understand them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isclose
from typing import Any

import orjson
from jsonschema_rs import is_valid

from retinue.core.wishes import without_wishes
from retinue.models.base import Role, SaidNumber, ToolOffer
from retinue.models.precedents import nearest
from retinue.models.reading.numerals import MOST, numerals

_NEEDED, _NEEDED_OF_OPTIONAL, _NEEDED_IN_LIST = 0.5, 0.8, 0.8
"""How likely a number must be an argument that must be given, one that need not, and a part of one."""
_FEWEST = 2
_STUDIED, _TOLD_SO = 5, 0.8
"""So many of the likest precedents tell whether a list is told one number after the other, and what share must."""
_WISHED = frozenset({"decimals", "decimal", "digits", "places", "significant"})
"""Arguments that a wish of how the answer be written is."""

Schemas = Mapping[str, Any]


def assigned(question: str, tool: ToolOffer, left: Collection[str]) -> dict[str, Any]:
    """For those arguments of `left` that are one number, or several, the numbers of the request that they are, where
    that is sure.
    """
    said = {one.value for one in numerals(without_wishes(question))}
    schemas = {name: schema for name, schema in tool.input_schema.get("properties", {}).items() if name in left}
    numbers = [one for one in tool.numbers if one.roles]
    asked = [one for one in numbers if one.value in said or not _WISHED.isdisjoint(_likeliest(one).argument.split("_"))]
    return {**_lists(question, tool, schemas, asked), **_single(tool, schemas, asked)}


def _single(tool: ToolOffer, schemas: Schemas, numbers: Sequence[SaidNumber]) -> dict[str, float]:
    """Arguments that are one number: the likeliest first, and no number twice."""
    found: dict[str, float] = {}
    taken: set[int] = set()
    for place, role in sorted(_roles(tool, schemas, numbers), key=lambda one: -one[1].likelihood):
        if place not in taken and role.argument not in found:
            found[role.argument] = role.value
            taken.add(place)
    return found


def _roles(tool: ToolOffer, schemas: Schemas, numbers: Sequence[SaidNumber]) -> Iterator[tuple[int, Role]]:
    """What numbers may be with enough likelihood, each with its place."""
    required = tool.input_schema.get("required", ())
    for place, number in enumerate(numbers):
        for role in number.roles:
            schema, needed = schemas.get(role.argument), _NEEDED if role.argument in required else _NEEDED_OF_OPTIONAL
            if schema and role.likelihood >= needed and _is_numeric(schema) and _takes(schema, role.value, tool):
                yield place, role


def _lists(question: str, tool: ToolOffer, schemas: Schemas, numbers: Sequence[SaidNumber]) -> dict[str, list[float]]:
    """Arguments that are several numbers, where those of precedents are told one after the other."""
    if len(tool.numbers) >= MOST:
        return {}
    found: dict[str, list[Role]] = {}
    for role in map(_likeliest, numbers):
        if (schema := schemas.get(role.argument)) and _is_numeric(schema.get("items", {})):
            found.setdefault(role.argument, []).append(role)
    return {
        name: values
        for name, roles in found.items()
        if len(values := [role.value for role in roles]) >= _FEWEST
        and min(role.likelihood for role in roles) >= _NEEDED_IN_LIST
        and _takes(schemas[name], values, tool)
        and _are_told_in_order(question, tool, name)
    }


def _are_told_in_order(question: str, tool: ToolOffer, name: str) -> bool:
    near = nearest(question, tool.precedents, _STUDIED)
    known = [(request, value) for request, text in near if (value := orjson.loads(text).get(name)) is not None]
    return sum(_is_told(*one) for one in known) >= _TOLD_SO * max(1, len(known))


def _is_told(request: str, values: Sequence[Any]) -> bool:
    """Whether a request tells values one after the other, but for signs and percent."""
    said = iter(numerals(request))
    return all(any(_is_meant(one.value, value) for one in said) for value in values)


def _is_meant(said: float, value: Any) -> bool:
    return isinstance(value, int | float) and any(isclose(abs(value), abs(said) / size) for size in (1, 100))


def _likeliest(number: SaidNumber) -> Role:
    return max(number.roles, key=lambda role: role.likelihood)


def _takes(schema: Mapping[str, Any], value: Any, tool: ToolOffer) -> bool:
    return is_valid({**schema, "$defs": tool.input_schema.get("$defs", {})}, value)


def _is_numeric(schema: Mapping[str, Any]) -> bool:
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return not kinds.isdisjoint({"number", "integer"}) and "enum" not in schema
