"""Whether a reply says what a tool returned: small models leave values out, or get them wrong."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice
from typing import Any

import orjson

from retinue.models.reading.bounds import unmarked

_NUMBER = re.compile(r"-?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,3})?", re.IGNORECASE)

_FEW = 3
"""Of so many values a reply has to state each. Of more it may choose."""

_MANY, _CHARACTERS = 12, 1500
"""More than that is never added: what matters of it is the model's to say."""

_LOOKED_AT = 50
"""Results with more values are not looked at: the search for each in all that was said would hold up others."""

Value = str | int | float


def unstated(reply: str, question: str, results: Sequence[str]) -> str:
    """What of the results of tools has to be added to a reply, as `name: value; name: value`, or nothing.

    `results` are JSON, as tools return it. Values that stand in the question already say nothing new.
    """
    values = [*islice(chain.from_iterable(map(_values, results)), _LOOKED_AT + 1)]
    if len(values) > _LOOKED_AT:
        return ""
    told = [(name, value) for name, value in values if not stands_in(value, question)]
    missing = [(name, value) for name, value in told if not stands_in(value, reply)]
    enough = len(told) > _FEW and len(missing) < len(told)
    if enough or len(told) > _MANY or sum(len(str(value)) for _, value in missing) > _CHARACTERS:
        return ""
    return "; ".join(f"{name}: {value}" if name else str(value) for name, value in missing)


def _values(result: str) -> Iterator[tuple[str, Value]]:
    """The numbers and texts of a result with their names; an error is no result."""
    try:
        found = orjson.loads(result)
    except orjson.JSONDecodeError:
        return
    if isinstance(found, dict) and found.keys() != {"error"}:
        yield from _leaves("", found)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Value]]:
    match value:
        case bool() | None | "":
            return
        case dict():
            for key, inner in value.items():
                yield from _leaves(str(key).replace("_", " "), inner)
        case list():
            for inner in value:
                yield from _leaves(name, inner)
        case _:
            yield name, value


def stands_in(value: Value, text: str) -> bool:
    """Whether a text says a value: a text whatever its case and spaces, a number as exactly as it is told."""
    said = unmarked(text)
    if isinstance(value, str):
        return " ".join(value.split()).casefold() in " ".join(said.split()).casefold()
    exact = Decimal(repr(value))
    return any(_rounds_to(exact, Decimal(number)) for number in _NUMBER.findall(said))


def _rounds_to(exact: Decimal, told: Decimal) -> bool:
    """Whether a number is told right to the last of its digits, and to the whole at least."""
    error = abs(exact - told)
    return error == 0 or (abs(told) >= 1 and error <= Decimal(5).scaleb(int(told.as_tuple().exponent) - 1))
