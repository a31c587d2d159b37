"""Trains the bilinear match of numbers and arguments, which projects both into one low-dimensional space."""

from typing import NamedTuple

import autograd.numpy as np

from retinue_assistant.heads.scoring import similarity_scale
from training.descent import Array, Schedule, Weights, dropout, initial_weights, log_softmax, minimise

_AXES = 32
_SCHEDULE = Schedule(rounds=16, batch=256, rate=2e-3)
_DROPOUT = 0.5
_TINY, _NEVER = 1e-12, -1e9


class Examples(NamedTuple):
    """Training examples: the features of each number (`windows`), the rows of its candidate arguments (`choices`,
    padded with -1), and for each candidate whether it is right (`golds`).
    """

    windows: Array
    choices: Array
    golds: Array


def fit_matching(examples: Examples, described: Array) -> Weights:
    """Train on examples. `described` has the embedding of each argument's description, one row per argument.

    Of the weights, `axes` and `shifts` project windows, and `of_description` projects descriptions. Each argument has
    an offset from its description (`own`) and a bias (`biases`).
    """
    random = np.random.default_rng(1)

    def loss(weights: Weights, batch: Array) -> Array:
        windows = dropout(examples.windows[batch].astype(np.float32), _DROPOUT, random)
        return _loss(weights, described, Examples(windows, examples.choices[batch], examples.golds[batch]))

    (number, size), (arguments, width) = examples.windows.shape, described.shape
    projections = {"axes": (_AXES, size), "of_description": (_AXES, width)}
    others = {"shifts": (_AXES,), "own": (arguments, _AXES), "biases": (arguments,)}
    return minimise(loss, initial_weights(projections, others), number, _SCHEDULE)


def argument_vectors(weights: Weights, described: Array) -> Array:
    """Return the vector of each argument."""
    return described @ weights["of_description"].T + weights["own"]


def _loss(weights: Weights, described: Array, batch: Examples) -> Array:
    """Return the mean negative log likelihood of the right argument."""
    indexes, numbers = np.maximum(batch.choices, 0), np.arange(len(batch.windows))[:, None]
    found = batch.windows @ weights["axes"].T + weights["shifts"]
    scores = found @ argument_vectors(weights, described).T * similarity_scale(_AXES) + weights["biases"]
    scores = scores[numbers, indexes]
    likelihoods = np.exp(log_softmax(np.where(batch.choices >= 0, scores, _NEVER)))
    right = np.sum(likelihoods * batch.golds, axis=1)
    return -np.mean(np.log(right + _TINY))
