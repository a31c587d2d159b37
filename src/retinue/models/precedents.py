"""What requests of the past teach about a tool: how its arguments are filled in, and which readings to trust.

The reading of a request (`retinue.models.interpreted`) is the same for all tools, and for some it is wrong. The likest
precedents tell: they are read as well, and where the result is not what they mean, the reading is not believed.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from retinue.core.phrases import features
from retinue.models.candidates import Candidate
from retinue.models.grounded import named_choices
from retinue.models.interpreted import read
from retinue.models.reading.data import numbers_in

STUDIED = 12
"""How many of the likest precedents teach."""
FOLLOWED = 2
"""How many of them show which arguments a request gives, and how. More take longer, and help no further."""
_BELIEVED = 0.7
"""The share of precedents in which a reading must be right."""
_SHOWN_CHARACTERS = 900
"""Longer precedents would fill the window of a small model."""

Precedent = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Lessons:
    """Of a tool's arguments: which are `given` in any of the likest precedents; which are `misread`, and which choices
    are not meant where they are named; of which the values that are found leave out the right one; and the texts and
    numbers that are always `copied` from the request.
    """

    given: frozenset[str]
    misread: frozenset[str]
    misnamed: frozenset[str]
    unbounded: frozenset[str]
    copied: frozenset[str]


@dataclass(frozen=True)
class _Case:
    """A precedent of a tool, which its name stands for."""

    name: str
    request: str
    arguments: str
    tool: Candidate = field(compare=False)


class _Signs(NamedTuple):
    """Whether what is read in a precedent is what it means, by the name of the argument: what is settled, which choices
    are named, what is bounded by values, and what is copied.
    """

    settled: dict[str, bool]
    named: dict[str, bool]
    bounded: dict[str, bool]
    copied: dict[str, bool]


def lessons(question: str, tool: Candidate) -> Lessons:
    """What the precedents that are likest to a question teach about how it is read."""
    near = nearest(question, tool.precedents, STUDIED)
    given = (orjson.loads(arguments) for _, arguments in near)
    signs = [_signs(_Case(tool.name, *precedent, tool)) for precedent in near]
    settled, named, bounded, copied = (_together(kind) for kind in zip(*signs, strict=True))
    return Lessons(
        given=frozenset(chain.from_iterable(given)),
        misread=frozenset(name for name, right in settled.items() if not _is_believed(right)),
        misnamed=frozenset(name for name, right in named.items() if not _is_believed(right)),
        unbounded=frozenset(name for name, right in bounded.items() if not all(right)),
        copied=frozenset(name for name, right in copied.items() if all(right)),
    )


@lru_cache(2048)
def _signs(case: _Case) -> _Signs:
    """Look at a precedent."""
    meant, properties = orjson.loads(case.arguments), case.tool.input_schema.get("properties", {})
    known, left = read(case.request, case.tool)
    choices = named_choices(properties, case.request)
    return _Signs(
        settled={name: meant.get(name) == value for name, value in known.items()},
        named={name: meant.get(name, properties[name].get("default")) == choice for name, choice in choices.items()},
        bounded={
            name: meant[name] in schema["enum"]
            for name, schema in left.items()
            if "enum" in schema and "enum" not in properties[name] and name in meant
        },
        copied={
            name: _stands_in(value, case.request) and "enum" not in properties[name] for name, value in meant.items()
        },
    )


def _together(found: Iterable[Mapping[str, bool]]) -> dict[str, list[bool]]:
    """What was found of each argument, one after the other."""
    joined = defaultdict(list)
    for name, right in chain.from_iterable(one.items() for one in found):
        joined[name].append(right)
    return joined


def _stands_in(value: Any, request: str) -> bool:
    """Whether a text or number, or each text of a list, stands in a request as it is."""
    if isinstance(value, int | float):
        return not isinstance(value, bool) and value in numbers_in(request)
    texts = value if isinstance(value, list) else [value]
    return all(isinstance(text, str) and text in request for text in texts)


def _is_believed(right: Sequence[bool]) -> bool:
    return sum(right) >= _BELIEVED * len(right)


def followed(question: str, tool: Candidate, known: Mapping[str, Any]) -> list[Precedent]:
    """The precedents to follow, the nearest one last: short ones, and those that make the same choices, if there are
    enough of them.
    """
    properties = tool.input_schema.get("properties", {})
    choices = {name: value for name, value in known.items() if "enum" in properties.get(name, {})}
    short = [one for one in tool.precedents if len(one[0]) + len(one[1]) <= _SHOWN_CHARACTERS]
    alike = [one for one in short if _agrees(orjson.loads(one[1]), choices, properties)]
    return nearest(question, alike if len(alike) >= FOLLOWED else short, FOLLOWED)


def _agrees(meant: Mapping[str, Any], choices: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    return all(meant.get(name, properties[name].get("default")) == value for name, value in choices.items())


def nearest(question: str, precedents: Iterable[Precedent], number: int) -> list[Precedent]:
    """The precedents that are most like a question, the nearest one last."""
    return [precedent for precedent, _ in likenesses(question, precedents)[-number:]]


def likenesses(question: str, precedents: Iterable[Precedent]) -> list[tuple[Precedent, float]]:
    """How like a question the precedents are, the nearest one last: what share of their features they have in common
    (Jaccard), where rare ones weigh more.
    """
    return _likenesses(question, tuple(precedents))


@lru_cache(16)
def _likenesses(question: str, precedents: tuple[Precedent, ...]) -> list[tuple[Precedent, float]]:
    """One call is understood in several steps, each of which asks for the same."""
    memory, asked = _memory(precedents), features(question)
    found = ((precedent, memory.likeness(asked, own)) for precedent, own in memory.features.items())
    return sorted(found, key=itemgetter(1))


@dataclass(frozen=True, slots=True)
class _Memory:
    """The features of a tool's precedents, and how rare each feature is among them."""

    features: Mapping[Precedent, set[str]]
    rarity: Mapping[str, float]

    def likeness(self, first: set[str], second: set[str]) -> float:
        return self._weight(first & second) / (self._weight(first | second) or 1.0)

    def _weight(self, some: Iterable[str]) -> float:
        most = math.log(len(self.features) + 1)
        return sum(self.rarity.get(one, most) for one in some)


@lru_cache(64)
def _memory(precedents: tuple[Precedent, ...]) -> _Memory:
    found = {one: features(one[0]) for one in precedents}
    counts = Counter(chain.from_iterable(found.values()))
    return _Memory(found, {one: math.log((len(found) + 1) / count) for one, count in counts.items()})


def shown(precedents: Iterable[Precedent], names: Sequence[str]) -> Iterator[Precedent]:
    """Precedents with those of their arguments that are asked for, in that order; without those that have none."""
    for request, text in precedents:
        meant = orjson.loads(text)
        if wanted := {name: meant[name] for name in names if name in meant}:
            yield request, orjson.dumps(wanted).decode()
