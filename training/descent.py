"""The Adam optimiser (Kingma and Ba, 2015) with mini-batches and a decaying learning rate."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8
"""Adam's decay rates of the gradient and of its square, and epsilon."""

Numbers: TypeAlias = Any
"""A NumPy array of any shape and dtype."""


class Adam:
    """Updates an array in place."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._slope, self._square, self._steps = np.zeros_like(numbers), np.zeros_like(numbers), 0

    def step(self, slope: Numbers, rate: float) -> None:
        """Apply one update with the gradient `slope` and the learning rate `rate`."""
        self._steps += 1
        self._slope += (1 - _FIRST) * (slope - self._slope)
        self._square += (1 - _SECOND) * (slope * slope - self._square)
        size = rate * np.sqrt(1 - _SECOND**self._steps) / (1 - _FIRST**self._steps)
        self._numbers -= size * self._slope / (np.sqrt(self._square) + _TINY)


def batches(examples: int, size: int, rounds: int, rate: float, any_order: Numbers) -> Iterator[tuple[Numbers, float]]:
    """Yield index batches, reshuffled every round, with the learning rate (cosine decay)."""
    for past in range(rounds):
        now = rate * (1 + np.cos(np.pi * past / rounds)) / 2
        for batch in np.array_split(any_order.permutation(examples), -(-examples // size)):
            yield batch, now


def unit_rows(vectors: Numbers) -> Numbers:
    """Standardise each axis, then scale each row to length 1."""
    scaled = (vectors - vectors.mean(axis=0)) / vectors.std(axis=0)
    return (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
