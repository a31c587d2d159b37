"""Numbers of a request that can only be one argument: they stand beside its name, or are in a unit of its kind.

A small model mistakes months for years and one number for another. What is found here it is not asked for.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema_rs import is_valid

from retinue.core.stems import folded, stem
from retinue.models.argument_schema import is_alternative
from retinue.models.reading.bounds import NUMBER_WORDS, read, with_exponents
from retinue.models.reading.units import Unit, unit_of, unit_of_name

Schema = Mapping[str, Any]

_NUMBER = re.compile(
    r"(?:(?<![a-z])(?P<label>[a-z]{1,40}))?(?P<sign>\s?[=:]\s?|\s(?:is|of|at|are)\s|\s?)(?<![\w.,/-])"
    r"(?P<number>[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d{1,3}(?!\w))?)(?![\d.]*\d)(?![-/:]\d)"
    r"(?P<unit>[\s-]?(?:%|°[cf]?|[a-zω\u00b5\u03bc]+(?:/[a-z]+(?:\^?[23²³])?|\^?[23²³])?))?"
)
_IN_WORDS = re.compile(
    rf"\b(?:zero|{NUMBER_WORDS}|twice|double|triple|rest)\b",
    re.IGNORECASE,
)
"""Numbers in words, and what says that something does not move."""

_DENIED = re.compile(r"\b(?:no|without(?: any| an?)?) ((?:[a-z]{2,20}[ -]){0,2}[a-z]{2,20})\b")
_LONGEST_NUMBER = 15
"""Characters of a number; a longer one is a code."""

_SIGNIFICANT = 12
"""Digits to which converted numbers are rounded, so that a sixtieth of 60 is 1."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what stands around it: the stem of the word before, whether = or : is between, and the unit."""

    number: float
    label: str
    is_assigned: bool
    unit: Unit | None
    after: str


def stated_numbers(schema: Schema, request: str) -> dict[str, float]:
    """The numeric arguments of which a request leaves no doubt, by name."""
    return {name: value for name, (_, value) in _stated(schema, _read(request)).items()}


def denied(schema: Schema, request: str) -> dict[str, int]:
    """The numeric arguments of which a request says that there is nothing: `no salvage value`, `without a fee`."""
    said = [{stem(word) for word in match[1].split()} for match in _DENIED.finditer(folded(read(request)))]
    named = ((name, value, {stem(word) for word in unit_of_name(name)[1]}) for name, value in _numeric(schema).items())
    return {
        name: 0
        for name, value, words in named
        if words and any(words <= one for one in said) and is_valid({**value, "$defs": {}}, 0)
    }


def in_unit_of(name: str, schema: Schema, number: float, request: str) -> float | None:
    """A number of a request in the unit of an argument, where the request has it in one of the same kind."""
    fitting = (one for one in _read(request) if one.number == number and _is_measured(name, one))
    return next((_value(name, schema, one) for one in fitting), None)


def numbers_left(schema: Schema, request: str) -> dict[str, list[float]]:
    """For each numeric argument that may be left out, the numbers of the request that it may be and no other one is.

    Empty where one that must be given is in doubt, or where the request has numbers in words.
    """
    quantities = _read(request)
    found = _stated(schema, quantities)
    used, required = {quantity for quantity, _ in found.values()}, schema.get("required", ())
    numeric = {name: value for name, value in _numeric(schema).items() if name not in found}
    if _IN_WORDS.search(read(request)) or any(name in required for name in numeric):
        return {}
    left = [one for one in quantities if one not in used]
    return {name: _possible(name, value, left) for name, value in numeric.items() if is_alternative(value)}


def _stated(schema: Schema, quantities: Sequence[Quantity]) -> dict[str, tuple[Quantity, float]]:
    arguments, required = _numeric(schema), schema.get("required", ())
    choices = {name: value for name, value in schema.get("properties", {}).items() if _is_numeric_choice(value)}
    found = _matched({**arguments, **choices}, quantities, _is_named)
    rest = [one for one in quantities if one not in {quantity for quantity, _ in found.values()}]
    needed = {
        name: value
        for name, value in arguments.items()
        if name not in found and (name in required or is_alternative(value))
    }
    found |= _matched(needed, rest, _is_measured)
    return found | _the_last(schema, arguments, quantities, found)


def _numeric(schema: Schema) -> dict[str, Schema]:
    return {name: value for name, value in schema.get("properties", {}).items() if _is_numeric(value)}


def _possible(name: str, schema: Schema, quantities: Sequence[Quantity]) -> list[float]:
    unit, _ = unit_of_name(name)
    fitting = (one for one in quantities if not (unit and one.unit and unit.kind != one.unit.kind))
    return [value for one in fitting if (value := _value(name, schema, one)) is not None]


def _matched(
    arguments: Mapping[str, Schema], quantities: Sequence[Quantity], fits: Any
) -> dict[str, tuple[Quantity, float]]:
    """Each argument that one quantity alone fits, and that alone fits the quantity."""
    pairs = [
        (name, quantity, value)
        for name, schema in arguments.items()
        for quantity in quantities
        if fits(name, quantity) and (value := _value(name, schema, quantity)) is not None
    ]
    names, owners = Counter(name for name, _, _ in pairs), Counter(quantity for _, quantity, _ in pairs)
    return {name: (quantity, value) for name, quantity, value in pairs if names[name] == owners[quantity] == 1}


def _the_last(
    schema: Schema,
    arguments: Mapping[str, Schema],
    quantities: Sequence[Quantity],
    found: Mapping[str, tuple[Quantity, float]],
) -> dict[str, tuple[Quantity, float]]:
    """The one argument that must still be a number, where one number without a unit is left."""
    used = {quantity for quantity, _ in found.values()}
    numbers = [one for one in quantities if one not in used and not one.unit]
    wanted = [name for name in schema.get("required", ()) if name in arguments and name not in found]
    if len(numbers) != 1 or len(wanted) != 1:
        return {}
    value = _value(wanted[0], arguments[wanted[0]], numbers[0])
    return {} if value is None else {wanted[0]: (numbers[0], value)}


def _is_named(name: str, quantity: Quantity) -> bool:
    """Whether the argument's name stands before the number, or what it counts after it."""
    unit, words = unit_of_name(name)
    if len(name) == 1:
        return quantity.is_assigned and quantity.label == name
    stems = {stem(word) for word in words if len(word) > 1}
    return (quantity.label in stems and not (unit and quantity.unit and unit.kind != quantity.unit.kind)) or (
        unit is None and quantity.after != "" and stem(name) == quantity.after
    )


def _is_measured(name: str, quantity: Quantity) -> bool:
    """Whether the number's unit is one of the kind that the argument is in."""
    unit, _ = unit_of_name(name)
    return unit is not None and quantity.unit is not None and unit.kind == quantity.unit.kind


def _value(name: str, schema: Schema, quantity: Quantity) -> float | None:
    """The number in the unit of the argument, if the argument may be that."""
    unit, _ = unit_of_name(name)
    value = quantity.number
    if unit and quantity.unit and unit.kind == quantity.unit.kind and quantity.unit.differs_from(unit):
        value = float(f"{quantity.unit.measured_in(value, unit):.{_SIGNIFICANT}g}")
    whole = int(value) if value == int(value) else value
    return whole if is_valid({**schema, "$defs": {}}, whole) else None


def _read(request: str) -> tuple[Quantity, ...]:
    return _quantities(with_exponents(read(request)))


@lru_cache(64)
def _quantities(request: str) -> tuple[Quantity, ...]:
    return tuple(_found(folded(request)))


def _found(request: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(request):
        if len(match["number"]) > _LONGEST_NUMBER:
            continue
        written = (match["unit"] or "").strip(" -")
        yield Quantity(
            number=float(match["number"].replace(",", "")),
            label=stem(match["label"]) if match["label"] and len(match["label"]) > 1 else match["label"] or "",
            is_assigned=match["sign"].strip() in {"=", ":"},
            unit=unit_of(written) if written else None,
            after=stem(written) if len(written) > 1 else "",
        )


def _is_numeric_choice(schema: Schema) -> bool:
    return "enum" in schema and all(isinstance(one, int) for one in schema["enum"])


def _is_numeric(schema: Schema) -> bool:
    return schema.get("type") in ("number", "integer") and "enum" not in schema
