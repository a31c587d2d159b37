"""Which number of a request is which argument of a tool, by what the model's first blocks make of it.

The states of a number and of the tokens around it are projected onto a few axes, and so are arguments. Both projections
were learned together from precedents, so that a number lies near the argument that it is given as. `training/` makes
the file.
"""

from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np

from retinue.models.base import NumberRole, SaidNumber
from retinue.models.encoder import Encoded
from retinue.models.heads import Arguments, Floats, argument_rows, nearness, read_arrays, softmax, to_bytes
from retinue.models.reading.numbers import numerals

FILE = Path(__file__).with_name("roles.npz")

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
"""How a number in a request becomes the value of an argument: a factor and an addend. At least 8 are more than 7, 5 %
are 0.05 or leave 0.95, and 3 years are 36 months.
"""

PARTS = 5
_BESIDE = 3
"""How many tokens before and behind a number are features."""
_SIGNIFICANT = 12
"""Digits to which a turned number is rounded, so that 5 % are 0.05."""
_LEAST = 0.02
"""The least likelihood of a role that is offered."""


class Learned(NamedTuple):
    """The arrays. Windows are centred by `means` and `spreads`, and projected onto `axes` with `shifts` added.

    Each argument has a row in `places`, in `biases` (how often numbers are given as it) and in `usual` (how often by
    which turn), the last two as logarithms; the last row is for numbers that are no argument. `turns` are directions.
    """

    means: Floats
    spreads: Floats
    axes: Floats
    shifts: Floats
    turns: Floats
    places: Floats
    biases: Floats
    usual: Floats


class Roles:
    """The arrays, with the names of the arguments of each tool (`tools`)."""

    def __init__(self, learned: Learned, tools: Arguments) -> None:
        self.tools = tools
        self._learned, self._rows = learned, argument_rows(tools)

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file."""
        arrays, tools = read_arrays(path)
        return cls(Learned(**arrays), tools)

    def to_bytes(self) -> bytes:
        """The content of the file."""
        return to_bytes(self._learned._asdict(), self.tools)

    def numbers(self, encoded: Encoded) -> "Numbers":
        """The numbers of a text, and where they lie."""
        states = np.asarray(encoded.states, np.float32)
        found = [(one.value, encoded.tokens(one.begin, one.end)) for one in numerals(encoded.text)]
        return Numbers(self, [(value, self._place(window(states, *tokens))) for value, tokens in found if tokens])

    def roles(self, tool: str, value: float, place: Floats) -> list[NumberRole]:
        """What a number may be for a tool; [] for a tool without known arguments."""
        learned, rows = self._learned, self._rows.get(tool, {})
        places = [*rows.values(), -1]
        shares = softmax(learned.places[places] @ place * nearness(len(place)) + learned.biases[places])[:-1]
        turns = softmax(learned.turns @ place + learned.usual[places[:-1]])
        best = zip(rows, shares * turns.max(axis=1), turns.argmax(axis=1), strict=True)
        return [
            NumberRole(name, float(likelihood), _apply(value, *TURNS[turn]))
            for name, likelihood, turn in best
            if likelihood >= _LEAST
        ]

    def _place(self, states: Floats) -> Floats:
        place: Floats = self._learned.axes @ centre(states, self._learned.means, self._learned.spreads).ravel()
        return place + self._learned.shifts


class Numbers:
    """The numbers of a request, and where they lie."""

    def __init__(self, known: Roles, places: list[tuple[float, Floats]]) -> None:
        self._known, self._places = known, places

    def of(self, tool: str) -> list[SaidNumber]:
        """What each of them may be for a tool."""
        return [SaidNumber(value, self._known.roles(tool, value, place)) for value, place in self._places]


def window(states: Floats, first: int, last: int) -> Floats:
    """The features of a number whose tokens are `first` to `last`, in rows: the state of the last of them, which has
    read the others; those of the next two, and the means of three behind and of three before; zeros beyond the text.
    """
    parts = np.zeros((PARTS, states.shape[1]), np.float32)
    behind, before = states[last + 1 : last + 1 + _BESIDE], states[max(0, first - _BESIDE) : first]
    parts[0] = states[last]
    parts[1 : 1 + len(behind[:2])] = behind[:2]
    for part, some in ((3, behind), (4, before)):
        if len(some):
            parts[part] = some.mean(axis=0)
    return parts


def centre(parts: Floats, means: Floats, spreads: Floats) -> Floats:
    """A window in which no axis is longer than another; what lies beyond the text stays zero."""
    scaled: Floats = (parts - means) / spreads * parts.any(axis=-1, keepdims=True)
    return scaled


def _apply(value: float, factor: float, addend: float) -> float:
    if (factor, addend) == TURNS[0]:
        return value
    turned = float(f"{value * factor + addend:.{_SIGNIFICANT}g}")
    return int(turned) if turned.is_integer() else turned
