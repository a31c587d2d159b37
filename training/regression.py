"""Multinomial logistic regression: a direction for each class."""

from typing import NamedTuple

import numpy as np

from training.descent import Adam, Numbers, batches, likelihoods

_ROUNDS, _BATCH, _RATE = 30, 512, 3e-3


class Learned(NamedTuple):
    """A column for each class, and what is added for it."""

    directions: Numbers
    biases: Numbers


def learned(places: Numbers, classes: Numbers, number: int) -> Learned:
    """Learn to tell so many classes apart."""
    directions = np.zeros((places.shape[1], number), np.float32)
    biases = np.zeros(number, np.float32)
    moved, shifted = Adam(directions), Adam(biases)
    for batch, rate in batches(len(places), _BATCH, _ROUNDS, _RATE, np.random.default_rng(1)):
        wrong = likelihoods(places[batch] @ directions + biases)
        wrong[np.arange(len(batch)), classes[batch]] -= 1
        wrong /= len(batch)
        moved.step(places[batch].T @ wrong, rate)
        shifted.step(wrong.sum(axis=0), rate)
    return Learned(directions, biases)
