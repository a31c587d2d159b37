"""Adam (Kingma and Ba, 2015): steps against a slope, in small batches, ever smaller."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

STEPS, _DIGITS = 127, 5
"""The largest step, and the digits behind the point, of numbers in the files of what was learned."""
_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8
"""How slowly the means of the slope and of its square change; against division by 0."""

Numbers: TypeAlias = Any
"""An array of NumPy, of any shape and kind of numbers."""


class Adam:
    """Changes numbers against their slope."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._slope, self._square, self._steps = np.zeros_like(numbers), np.zeros_like(numbers), 0

    def step(self, slope: Numbers, rate: float) -> None:
        """Make one step."""
        self._steps += 1
        self._slope += (1 - _FIRST) * (slope - self._slope)
        self._square += (1 - _SECOND) * (slope * slope - self._square)
        size = rate * np.sqrt(1 - _SECOND**self._steps) / (1 - _FIRST**self._steps)
        self._numbers -= size * self._slope / (np.sqrt(self._square) + _TINY)


def batches(examples: int, size: int, rounds: int, rate: float, any_order: Numbers) -> Iterator[tuple[Numbers, float]]:
    """The examples in batches, round by round in another order, with how large a step to make (half a cosine)."""
    for past in range(rounds):
        now = rate * (1 + np.cos(np.pi * past / rounds)) / 2
        for batch in np.array_split(any_order.permutation(examples), -(-examples // size)):
            yield batch, now


def unit_rows(vectors: Numbers) -> Numbers:
    """Vectors of length 1, on axes none of which is longer than another."""
    scaled = (vectors - vectors.mean(axis=0)) / vectors.std(axis=0)
    return (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)


def round_each(numbers: Iterable[float], digits: int = _DIGITS) -> list[float]:
    """Numbers with so many digits behind the point."""
    return [round(float(one), digits) for one in numbers]
