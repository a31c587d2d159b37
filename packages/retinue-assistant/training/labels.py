"""Labels the numbers of a precedent with the arguments that have their values."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import isclose
from typing import Any

from retinue_assistant.numbers import contains_number
from retinue_assistant.text_parsing.numbers import Numeral


def labels(request: str, found: Sequence[Numeral], arguments: Mapping[str, Any]) -> list[set[str]]:
    """Return for each number the arguments that have its value."""
    numbers = {name: _numbers_of(request, found, value) for name, value in arguments.items()}
    return [{name for name, places in numbers.items() if place in places} for place, _ in enumerate(found)]


def _numbers_of(request: str, found: Sequence[Numeral], value: Any) -> set[int]:
    """Return the indexes of the numbers that a value consists of: none, if a part of it is not among them."""
    leaves = list(_leaves(value))
    numbers = [leaf for leaf in leaves if isinstance(leaf, int | float)]
    texts = [leaf for leaf in leaves if isinstance(leaf, str)]
    same = [{place for place, one in enumerate(found) if isclose(one.value, leaf, rel_tol=1e-9)} for leaf in numbers]
    spellings = [request[one.begin : one.end].lstrip("+-\u2212") for one in found]
    quoted = {place for place, one in enumerate(spellings) if any(contains_number(one, text) for text in texts)}
    return quoted.union(*same) if all(same) else quoted


def _leaves(value: Any) -> Iterator[Any]:
    match value:
        case bool() | None:
            return
        case dict():
            yield from chain.from_iterable(map(_leaves, value.values()))
        case list():
            yield from chain.from_iterable(map(_leaves, value))
        case _:
            yield value
