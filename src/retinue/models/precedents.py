"""What requests of the past teach about a tool: how its arguments are filled in, and which readings to trust.

The reading of a request (`retinue.models.grounded`) is the same for all tools, and for some it is wrong. A tool's
precedents tell: they are read as well, and where the result is not what they mean, the reading is not believed.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from retinue.core.stems import stems
from retinue.models.base import ToolOffer
from retinue.models.grounded import named_choices
from retinue.models.reading.data import numbers_in

Arguments = Mapping[str, Any]
Reading = tuple[Arguments, Arguments]
"""The arguments that are beyond doubt, and the schemas of those that a request may tell."""

_BELIEVED = 0.7
"""The share of precedents in which a reading must be right."""
_MOST = 0.5
_STUDIED = 24
"""Precedents that teach; a few tools have hundreds."""
_FEWEST = 2
"""So many precedents must speak against a reading of what is beyond doubt."""
_SHOWN_CHARACTERS = 900
"""Longer precedents would fill the window of a small model."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Of a tool's arguments: which are `given` in any precedent and which in `most`, which are read wrongly, and of
    which the values that are found leave out the right one; the choices that are right where they are `named`, and the
    texts and numbers that are always `copied` from the request.
    """

    given: frozenset[str]
    most: frozenset[str]
    misread: frozenset[str]
    unbounded: frozenset[str]
    named: frozenset[str]
    copied: frozenset[str]


@dataclass(frozen=True)
class _Pupil:
    """A tool, known by its name and its precedents."""

    name: str
    precedents: tuple[tuple[str, str], ...]
    tool: ToolOffer = field(compare=False)
    read: Callable[[str, ToolOffer], Reading] = field(compare=False)


def lessons(tool: ToolOffer, read: Callable[[str, ToolOffer], Reading]) -> Lessons:
    """What a tool's precedents teach about how requests for it are read."""
    return _lessons(_Pupil(tool.name, tuple(tool.precedents), tool, read))


@lru_cache(256)
def _lessons(pupil: _Pupil) -> Lessons:
    settled, bounded, named, copied = (defaultdict(list) for _ in range(4))
    given: Counter[str] = Counter()
    properties = pupil.tool.input_schema.get("properties", {})
    for request, text in pupil.precedents[:_STUDIED]:
        meant = orjson.loads(text)
        given.update(meant.keys())
        for name, value in meant.items():
            copied[name].append(_stands_in(value, request) and "enum" not in properties[name])
        known, left = pupil.read(request, pupil.tool)
        for name, value in known.items():
            settled[name].append(meant.get(name) == value)
        for name, schema in left.items():
            if "enum" in schema and "enum" not in properties[name] and name in meant:
                bounded[name].append(meant[name] in schema["enum"])
        for name, choice in named_choices(properties, request).items():
            named[name].append(meant.get(name, properties[name].get("default")) == choice)
    return Lessons(
        frozenset(given),
        frozenset(name for name, count in given.items() if count >= _MOST * len(pupil.precedents[:_STUDIED])),
        frozenset(name for name, right in settled.items() if len(right) >= _FEWEST and not _is_believed(right)),
        frozenset(name for name, right in bounded.items() if not all(right)),
        frozenset(name for name, right in named.items() if _is_believed(right)),
        frozenset(name for name, right in copied.items() if all(right)),
    )


def _stands_in(value: Any, request: str) -> bool:
    """Whether a text or number, or each text of a list, stands in a request as it is."""
    if isinstance(value, int | float):
        return not isinstance(value, bool) and value in numbers_in(request)
    texts = value if isinstance(value, list) else [value]
    return all(isinstance(text, str) and text in request for text in texts)


def _is_believed(right: Sequence[bool]) -> bool:
    return sum(right) >= _BELIEVED * len(right)


def nearest(question: str, precedents: Iterable[tuple[str, str]], number: int) -> list[tuple[str, str]]:
    """The precedents that are most like a question, the nearest one last."""
    asked = stems(question)
    short = (one for one in precedents if len(one[0]) + len(one[1]) <= _SHOWN_CHARACTERS)
    return sorted(short, key=lambda one: _likeness(asked, stems(one[0])))[-number:]


def _likeness(first: set[str], second: set[str]) -> float:
    """What share of their words two texts have in common (Jaccard)."""
    return len(first & second) / (len(first | second) or 1)


def shown(precedents: Iterable[tuple[str, str]], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Precedents with those of their arguments that are asked for, in that order; without those that have none."""
    for request, text in precedents:
        meant = orjson.loads(text)
        if wanted := {name: meant[name] for name in names if name in meant}:
            yield request, orjson.dumps(wanted).decode()
