"""Multinomial logistic regression: a direction for each class, by Adam (Kingma and Ba, 2015) in small batches."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

_ROUNDS, _BATCH = 30, 512
_RATE, _FIRST, _SECOND, _TINY = 3e-3, 0.9, 0.999, 1e-8
"""The size of the first step; how slowly the means of the slope and of its square change; against division by 0."""

Numbers: TypeAlias = Any
"""An array of NumPy, which is not in the environment that is checked."""


class Learned(NamedTuple):
    """A column for each class, and what is added for it."""

    directions: Numbers
    biases: Numbers


class _Adam:
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


def learned(places: Numbers, classes: Numbers, number: int) -> Learned:
    """Learn to tell so many classes apart."""
    directions = np.zeros((places.shape[1], number), np.float32)
    biases = np.zeros(number, np.float32)
    moved, shifted = _Adam(directions), _Adam(biases)
    any_order = np.random.default_rng(1)
    for past in range(_ROUNDS):
        rate = _RATE * (1 + np.cos(np.pi * past / _ROUNDS)) / 2
        for batch in np.array_split(any_order.permutation(len(places)), -(-len(places) // _BATCH)):
            wrong = _likelihoods(places[batch] @ directions + biases)
            wrong[np.arange(len(batch)), classes[batch]] -= 1
            wrong /= len(batch)
            moved.step(places[batch].T @ wrong, rate)
            shifted.step(wrong.sum(axis=0), rate)
    return Learned(directions, biases)


def _likelihoods(scores: Numbers) -> Numbers:
    """Of each class (softmax)."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Numbers = raised / raised.sum(axis=1, keepdims=True)
    return shares
