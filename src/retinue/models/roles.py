"""Which number of a request is which argument of a tool, by what the model's first blocks make of it.

What they make of a number and of the words around it is brought down to a few axes, and so are arguments: the two were
learned together, from precedents, so that a number lies near the argument that it is given as. `training/` makes the
file of them.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import exp, sqrt
from operator import mul
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import orjson

from retinue.models.base import NumberRole, SaidNumber
from retinue.models.encoder import Encoded
from retinue.models.reading.numerals import numerals
from retinue.models.windows import BESIDE, PARTS, window

FILE = Path(__file__).with_name("roles.bin")

TURNS: Final = (
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.01, 0.0),
    (-0.01, 1.0),
    (1000.0, 0.0),
    (0.001, 0.0),
    (12.0, 0.0),
    (1 / 12, 0.0),
    (60.0, 0.0),
    (7.0, 0.0),
    (1.0, -1.0),
    (1.0, 1.0),
)
"""How a number that is said becomes the one that is meant: what it is multiplied by, and what is added then. At least 8
are more than 7, 5 % are 0.05 or leave 0.95, and 3 years are 36 months.
"""

_SIGNIFICANT = 12
"""Digits to which a number that was turned is rounded, so that 5 % are 0.05."""
_LEAST = 0.02
"""A likelihood below tells nothing."""

Vector = Sequence[float]


class Steps(NamedTuple):
    """A vector in steps of `scale` from -127 to 127."""

    steps: "array[int]"
    scale: float

    def times(self, other: Vector) -> float:
        """The product with another vector."""
        product: float = sum(map(mul, self.steps, other))
        return self.scale * product


class Argument(NamedTuple):
    """Where an argument lies, how often numbers are given as it, and how often by which turn: all as logarithms."""

    name: str
    place: Steps
    bias: float
    turns: Vector


class Axes(NamedTuple):
    """How a window of tokens is brought down: its parts are centred by `means` and `spreads`; `shifts` are added."""

    means: Vector
    spreads: Vector
    axes: Sequence[Steps]
    shifts: Vector

    def centred(self, states: Sequence[Vector]) -> list[list[float]]:
        """States of tokens, so that no axis of theirs is longer than another."""
        return [
            [(value - mean) / spread for value, mean, spread in zip(state, self.means, self.spreads, strict=True)]
            for state in states
        ]

    def of(self, states: Sequence[Vector], first: int, last: int) -> list[float]:
        """Where the number with these tokens lies."""
        begin, end = max(0, first - BESIDE), last + 1 + BESIDE
        told = window(self.centred(states[begin:end]), first - begin, last - begin)
        return [axis.times(told) + shift for axis, shift in zip(self.axes, self.shifts, strict=True)]


class Roles:
    """What was learned: `axes` of numbers, the directions of `turns`, the arguments of `tools`, and where numbers lie
    that are `none`.
    """

    def __init__(
        self, axes: Axes, turns: Sequence[Steps], tools: Mapping[str, Sequence[Argument]], none: Argument
    ) -> None:
        self._axes, self._turns, self._tools, self._none = axes, turns, tools, none

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file: a line of JSON, then the steps of all vectors."""
        with path.open("rb") as file:
            head = orjson.loads(file.readline())
            size, axes = PARTS * len(head["means"]), len(head["shifts"])

            def steps(scale: float, size: int = axes) -> Steps:
                return Steps(array("b", file.read(size)), scale)

            def argument(name: str, scale: float, *rest: Any) -> Argument:
                return Argument(name, steps(scale), *rest)

            return cls(
                Axes(head["means"], head["spreads"], [steps(scale, size) for scale in head["axes"]], head["shifts"]),
                [steps(scale) for scale in head["turns"]],
                {tool: [argument(*told) for told in arguments] for tool, arguments in head["tools"].items()},
                argument(*head["none"]),
            )

    def written(self) -> bytes:
        """The content of the file."""
        head = {
            "means": list(self._axes.means),
            "spreads": list(self._axes.spreads),
            "shifts": list(self._axes.shifts),
            "axes": [one.scale for one in self._axes.axes],
            "turns": [one.scale for one in self._turns],
            "tools": {tool: [*map(_signature, arguments)] for tool, arguments in self._tools.items()},
            "none": _signature(self._none),
        }
        places = [one.place for arguments in self._tools.values() for one in arguments]
        steps = (one.steps.tobytes() for one in (*self._axes.axes, *self._turns, *places, self._none.place))
        return orjson.dumps(head) + b"\n" + b"".join(steps)

    def arguments(self) -> dict[str, list[str]]:
        """The names of the arguments of all tools that something is known about."""
        return {tool: [argument.name for argument in arguments] for tool, arguments in self._tools.items()}

    def numbers(self, encoded: Encoded) -> "Numbers":
        """The numbers of a text, and where they lie."""
        found = ((one.value, encoded.tokens(one.begin, one.end)) for one in numerals(encoded.text))
        return Numbers(self, [(value, self._axes.of(encoded.states, *tokens)) for value, tokens in found if tokens])

    def roles(self, tool: str, value: float, place: Vector) -> Iterator[NumberRole]:
        """What a number may be for a tool, if anything is known of that."""
        if not (arguments := self._tools.get(tool)):
            return
        near = nearness(len(place))
        shares = likelihoods([near * one.place.times(place) + one.bias for one in (*arguments, self._none)])
        turned = [one.times(place) for one in self._turns]
        for argument, share in zip(arguments, shares, strict=False):
            turns = likelihoods([one + usual for one, usual in zip(turned, argument.turns, strict=True)])
            best = max(range(len(turns)), key=turns.__getitem__)
            if share * turns[best] >= _LEAST:
                yield NumberRole(argument.name, share * turns[best], _rotate(value, *TURNS[best]))


class Numbers:
    """The numbers of a request, and where they lie."""

    def __init__(self, known: Roles, places: Sequence[tuple[float, Vector]]) -> None:
        self._known, self._places = known, places

    def of(self, tool: str) -> list[SaidNumber]:
        """What each of them may be for a tool."""
        return [SaidNumber(value, list(self._known.roles(tool, value, place))) for value, place in self._places]


def nearness(axes: int) -> float:
    """What a product of two places counts, that have so many axes."""
    return 2 / sqrt(axes)


def likelihoods(scores: Sequence[float]) -> list[float]:
    """The share of each (softmax)."""
    most = max(scores)
    raised = [exp(score - most) for score in scores]
    whole = sum(raised)
    return [one / whole for one in raised]


def _rotate(value: float, factor: float, addend: float) -> float:
    if (factor, addend) == TURNS[0]:
        return value
    turned = float(f"{value * factor + addend:.{_SIGNIFICANT}g}")
    return int(turned) if turned.is_integer() else turned


def _signature(argument: Argument) -> tuple[str, float, float, Vector]:
    return argument.name, argument.place.scale, argument.bias, argument.turns
