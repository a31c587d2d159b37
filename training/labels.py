"""Labels the numbers of a precedent with the arguments that have their values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import isclose
from typing import Any

from retinue.models.number_matcher import TURNS
from retinue.models.reading.numbers import Numeral

Label = tuple[str, int]
"""An argument, and the index in `TURNS` of the conversion from the number to its value."""


def labels(request: str, found: Sequence[Numeral], meant: Mapping[str, Any]) -> list[set[Label]]:
    """Return the labels of each number. A number with an unconverted match has no converted ones."""
    all_ = [
        set(chain.from_iterable(one)) for one in zip(*(_of(request, found, *one) for one in meant.items()), strict=True)
    ]
    return [{label for label in one if label[1] == 0} or one for one in all_] if all_ else [set() for _ in found]


def _of(request: str, found: Sequence[Numeral], name: str, value: Any) -> list[set[Label]]:
    """Return the labels of each number for one argument."""
    leaves = list(_leaves(value))
    own: list[set[Label]] = [set() for _ in found]
    for leaf in leaves:
        for place, turn in _turn(found, leaf) if isinstance(leaf, int | float) else ():
            own[place].add((name, turn))
    texts = [leaf for leaf in leaves if isinstance(leaf, str)]
    for place, one in enumerate(found):
        if not own[place] and any(_stands_in(request[one.begin : one.end].lstrip("+-\u2212"), text) for text in texts):
            own[place].add((name, 0))
    return own


def _turn(found: Sequence[Numeral], value: float) -> Iterator[tuple[int, int]]:
    """Yield the numbers that the first matching conversion turns into `value`, with the index of the conversion."""
    for turn, (factor, addend) in enumerate(TURNS):
        places = [place for place, one in enumerate(found) if isclose(one.value * factor + addend, value, rel_tol=1e-9)]
        if places and (turn == 0 or value):
            yield from ((place, turn) for place in places)
            return


def _stands_in(number: str, text: str) -> bool:
    spellings = "|".join(map(re.escape, {number, number.replace(",", "")}))
    return re.search(rf"(?<![\d.])(?:{spellings})(?!\d|\.\d)", text) is not None


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
