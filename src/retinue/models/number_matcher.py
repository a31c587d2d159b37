"""Matches the numbers of a request to arguments of a tool, from the hidden states of the model's first blocks.

Two projections map a number (with the tokens around it) and an argument into one low-dimensional space. They are
trained together on example requests, so that a number lies near the argument that it fills.
"""

from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np

from retinue.models.base import NumberRole, SaidNumber
from retinue.models.encoder import Encoded
from retinue.models.heads import FILE, Arguments, Floats, Head, argument_rows, nearness, read_head, softmax
from retinue.models.reading.numbers import numerals

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
"""Conversions from a number in a request to the value of an argument, as (factor, addend): "at least 8" is "more than
7", 5 % is 0.05 or leaves 0.95, and 3 years are 36 months.
"""

PARTS = 5
_BESIDE = 3
"""Tokens before and after a number that are used as features."""
_SIGNIFICANT = 12
"""Significant digits of a converted number; rounding makes 5 % exactly 0.05."""
_LEAST = 0.02
"""Minimum probability of a role that `Roles.roles` returns."""


class Learned(NamedTuple):
    """The learned arrays. `means` and `spreads` normalise a window; `axes` and `shifts` project it.

    Each argument has a row in `places` (its vector), `biases` (log frequency of the argument) and `usual` (log
    frequency of each conversion). The last row stands for numbers that fill no argument. `turns` has a vector for
    each of `TURNS`.
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
    """The trained matcher: the arrays, and the argument names of each tool (`tools`)."""

    def __init__(self, learned: Learned, tools: Arguments) -> None:
        self.tools = tools
        self._learned, self._rows = learned, argument_rows(tools)

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file of the heads."""
        head = read_head("number_matcher", path)
        return cls(Learned(**head.arrays), head.tools)

    def to_head(self) -> Head:
        """Return what the file stores."""
        return Head(self._learned._asdict(), self.tools)

    def numbers(self, encoded: Encoded) -> "Numbers":
        """Find the numbers of an encoded text and project each of them."""
        states = np.asarray(encoded.states, np.float32)
        found = [(one.value, encoded.tokens(one.begin, one.end)) for one in numerals(encoded.text)]
        return Numbers(self, [(value, self._place(window(states, *tokens))) for value, tokens in found if tokens])

    def roles(self, tool: str, value: float, place: Floats) -> list[NumberRole]:
        """Return the arguments of `tool` that a number may fill; [] for a tool that is not in the file."""
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
    """The numbers of a request, each with its projected vector."""

    def __init__(self, known: Roles, places: list[tuple[float, Floats]]) -> None:
        self._known, self._places = known, places

    def of(self, tool: str) -> list[SaidNumber]:
        """Return each number with the arguments of `tool` that it may fill."""
        return [SaidNumber(value, self._known.roles(tool, value, place)) for value, place in self._places]


def window(states: Floats, first: int, last: int) -> Floats:
    """Return the features of a number with the tokens `first` to `last`, as `PARTS` rows: the state of its last token
    (which attends to the others), the states of the next two tokens, the mean of the next three and the mean of the
    previous three. Rows beyond the text are zero.
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
    """Normalise a window with `means` and `spreads`. Rows beyond the text stay zero."""
    scaled: Floats = (parts - means) / spreads * parts.any(axis=-1, keepdims=True)
    return scaled


def _apply(value: float, factor: float, addend: float) -> float:
    if (factor, addend) == TURNS[0]:
        return value
    turned = float(f"{value * factor + addend:.{_SIGNIFICANT}g}")
    return int(turned) if turned.is_integer() else turned
