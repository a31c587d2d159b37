"""Numbers of a request that are given to arguments as the model's first blocks understand them."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from math import isclose
from statistics import mean
from typing import Any

import orjson
from jsonschema_rs import is_valid

from retinue.core.wishes import without_wishes
from retinue.models.candidates import Candidate, NumberRole, SaidNumber
from retinue.models.precedents import nearest
from retinue.models.reading.data import data_in, is_south_or_west
from retinue.models.reading.numerals import MOST, numerals
from retinue.models.reading.quantities import in_unit_of

_NEEDED, _NEEDED_OF_OPTIONAL, _NEEDED_IN_LIST = 0.5, 0.8, 0.8
"""How likely a number must be an argument that must be given, one that need not, and a part of one."""
_SEVERAL = 2
_STUDIED, _TOLD_SO = 5, 0.6
"""So many of the likest precedents tell whether a list is told one number after the other, and what share must."""
WISHED = frozenset({"decimals", "decimal", "digits", "places", "significant"})
"""Arguments that a wish of how the answer be written is."""

Schemas = Mapping[str, Any]


def assigned(question: str, tool: Candidate, left: Collection[str]) -> dict[str, Any]:
    """For those arguments of `left` that are one number, or several, the numbers of the request that they are, where
    that is sure: of several, where precedents tell them one after the other.
    """
    schemas = {name: schema for name, schema in tool.input_schema.get("properties", {}).items() if name in left}
    told = {
        name: values
        for name, values in likely_lists(question, tool, left).items()
        if _are_told_in_order(question, tool, name)
    }
    return {**told, **_single(question, tool, schemas, _asked(question, tool))}


def likely_lists(question: str, tool: Candidate, left: Collection[str]) -> dict[str, list[float]]:
    """For those arguments of `left` that are several numbers, what they likely are: all that must be given, or none."""
    properties, required = tool.input_schema.get("properties", {}), tool.input_schema.get("required", ())
    several = [name for name in properties if name in left and _is_numeric(properties[name].get("items", {}))]
    if len(tool.numbers) >= MOST or not several:
        return {}
    found: dict[str, list[float]] = {}
    for group in _groups(question, _asked(question, tool)):
        shares = {name: mean(_likelihood(one, name) for one in group) for name in several}
        likeliest = max(several, key=shares.__getitem__)
        if shares[likeliest] >= (_NEEDED if len(group) > 1 else _NEEDED_IN_LIST):
            found.setdefault(likeliest, []).extend(_as(one, likeliest) for one in group)
    if any(name not in found for name in several if name in required):
        return {}
    return {
        name: values
        for name, values in found.items()
        if len(values) >= _fewest(name, tuple(tool.precedents)) and _takes(properties[name], values, tool)
    }


@lru_cache(1024)
def _fewest(name: str, precedents: tuple[tuple[str, str], ...]) -> int:
    """How short a list may be: one alone is a list only where precedents have such."""
    known = (orjson.loads(arguments).get(name) for _, arguments in precedents)
    return 1 if any(isinstance(value, list) and len(value) == 1 for value in known) else _SEVERAL


def _asked(question: str, tool: Candidate) -> list[SaidNumber]:
    """The numbers of a request but for those of a wish, where no argument tells that."""
    said = Counter(one.value for one in numerals(without_wishes(question)))
    wished = Counter(one.value for one in tool.numbers) - said
    kept: list[SaidNumber] = []
    for number in reversed(tool.numbers):  # a wish mostly stands at the end
        if not number.roles:
            continue
        if wished[number.value] and WISHED.isdisjoint(_likeliest(number).argument.split("_")):
            wished[number.value] -= 1
        else:
            kept.append(number)
    return kept[::-1]


def _single(question: str, tool: Candidate, schemas: Schemas, numbers: Sequence[SaidNumber]) -> dict[str, float]:
    """Arguments that are one number: the likeliest first, and no number twice."""
    found: dict[str, float] = {}
    taken: set[int] = set()
    for place, role in sorted(_roles(question, tool, schemas, numbers), key=lambda one: -one[1].likelihood):
        if place not in taken and role.argument not in found:
            found[role.argument] = role.value
            taken.add(place)
    return found


def _roles(
    question: str, tool: Candidate, schemas: Schemas, numbers: Sequence[SaidNumber]
) -> Iterator[tuple[int, NumberRole]]:
    """What numbers may be with enough likelihood, each with its place; in the unit of the argument."""
    required = tool.input_schema.get("required", ())
    for place, number in enumerate(numbers):
        for role in number.roles:
            needed = _NEEDED if role.argument in required else _NEEDED_OF_OPTIONAL
            schema = schemas.get(role.argument, {})
            if role.likelihood < needed or not _is_numeric(schema):
                continue
            measured = in_unit_of(role.argument, schema, number.value, question)
            if measured is None and _is_coordinate(role.argument) and is_south_or_west(number.value, question):
                measured = -abs(number.value)
            meant = role if measured is None else role._replace(value=measured)
            if _takes(schema, meant.value, tool):
                yield place, meant


def _is_coordinate(argument: str) -> bool:
    return argument.endswith(("latitude", "longitude"))


def _groups(question: str, numbers: Sequence[SaidNumber]) -> Iterator[Sequence[SaidNumber]]:
    """Numbers that the request has as a list together, and the others alone."""
    lists = sorted(data_in(question).lists, key=len, reverse=True)
    place = 0
    while place < len(numbers):
        values = tuple(one.value for one in numbers[place:])
        size = next((len(one) for one in lists if values[: len(one)] == one), 1)
        yield numbers[place : place + size]
        place += size


def _likelihood(number: SaidNumber, name: str) -> float:
    return sum(role.likelihood for role in number.roles if role.argument == name)


def _as(number: SaidNumber, name: str) -> float:
    """The value that a number has as an argument; as it is said, where nothing is known of that."""
    return next((role.value for role in number.roles if role.argument == name), number.value)


def _are_told_in_order(question: str, tool: Candidate, name: str) -> bool:
    near = nearest(question, tool.precedents, _STUDIED)
    known = [(request, value) for request, text in near if (value := orjson.loads(text).get(name)) is not None]
    return sum(_is_told(*one) for one in known) >= _TOLD_SO * max(1, len(known))


def _is_told(request: str, values: Sequence[Any]) -> bool:
    """Whether a request tells values one after the other, but for signs and percent."""
    said = iter(numerals(request))
    return all(any(_is_meant(one.value, value) for one in said) for value in values)


def _is_meant(said: float, value: Any) -> bool:
    return isinstance(value, int | float) and any(isclose(abs(value), abs(said) / size) for size in (1, 100))


def _likeliest(number: SaidNumber) -> NumberRole:
    return max(number.roles, key=lambda role: role.likelihood)


def _takes(schema: Mapping[str, Any], value: Any, tool: Candidate) -> bool:
    return is_valid({**schema, "$defs": tool.input_schema.get("$defs", {})}, value)


def _is_numeric(schema: Mapping[str, Any]) -> bool:
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return not kinds.isdisjoint({"number", "integer"}) and "enum" not in schema
