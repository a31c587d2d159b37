"""Matches the numbers of a request to arguments of a tool, from the hidden states of the model's first blocks.

Two projections map a number (with the tokens around it) and an argument into one low-dimensional space. They are
trained together on example requests, so that a number lies near the argument that it fills.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from retinue.models.encoder import Encoded
from retinue.models.heads import Floats, Head
from retinue_assistant.argument_hints import NumberSpan, SlotScore
from retinue_assistant.heads.scoring import argument_rows, similarity_scale, softmax
from retinue_assistant.text_parsing.numbers import numerals

_BESIDE = 2
"""Tokens before and after a number that are used as features."""
PARTS = 2 * _BESIDE + 1
_LEAST = 0.02
"""Minimum probability of a role that `NumberMatcher.roles` returns."""


class MatcherWeights(NamedTuple):
    """The learned arrays. `means` and `deviations` normalise a window; `axes` and `shifts` project it.

    Each argument has a row in `vectors` (its vector) and `biases` (log frequency of the argument). The last row stands
    for numbers that fill no argument.
    """

    means: Floats
    deviations: Floats
    axes: Floats
    shifts: Floats
    vectors: Floats
    biases: Floats


class NumberMatcher:
    """Matches with a trained head."""

    def __init__(self, head: Head) -> None:
        self._learned, self._rows = MatcherWeights(**head.arrays), argument_rows(head.tools)

    def numbers(self, encoded: Encoded) -> "MatchedNumbers":
        """Find the numbers of an encoded text and project each of them."""
        states = np.asarray(encoded.states, np.float32)
        found = [(one.value, encoded.tokens(one.begin, one.end)) for one in numerals(encoded.text)]
        projected = [(value, self._project(window(states, *tokens))) for value, tokens in found if tokens]
        return MatchedNumbers(self, projected)

    def roles(self, tool: str, vector: Floats) -> list[SlotScore]:
        """Return the arguments of `tool` that a number may fill; [] for a tool that is not in the file."""
        learned, rows = self._learned, self._rows.get(tool, {})
        own = [*rows.values(), -1]
        likelihoods = softmax(learned.vectors[own] @ vector * similarity_scale(len(vector)) + learned.biases[own])
        return [SlotScore(name, float(one)) for name, one in zip(rows, likelihoods, strict=False) if one >= _LEAST]

    def _project(self, states: Floats) -> Floats:
        learned = self._learned
        vector: Floats = learned.axes @ ((states - learned.means) / learned.deviations).ravel() + learned.shifts
        return vector


class MatchedNumbers:
    """The numbers of a request, each with its projected vector."""

    def __init__(self, matcher: NumberMatcher, numbers: Sequence[tuple[float, Floats]]) -> None:
        self._matcher, self._numbers = matcher, numbers

    def of(self, tool: str) -> list[NumberSpan]:
        """Return each number with the arguments of `tool` that it may fill."""
        return [NumberSpan(value, self._matcher.roles(tool, vector)) for value, vector in self._numbers]


def window(states: Floats, first: int, last: int) -> Floats:
    """Return the features of a number with the tokens `first` to `last`, as `PARTS` rows: the states of the two tokens
    before it, of its last token, and of the two tokens after it. Rows beyond the text are zero.
    """
    padded = np.pad(states, ((_BESIDE, _BESIDE), (0, 0)))
    return np.concatenate([padded[first : first + _BESIDE], padded[last + _BESIDE : last + PARTS]])
