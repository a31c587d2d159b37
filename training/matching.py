"""Trains the bilinear match of numbers and arguments, which projects both into one low-dimensional space."""

from typing import NamedTuple

import numpy as np

from retinue.models.heads import nearness, softmax
from retinue.models.number_matcher import TURNS
from training.descent import Adam, Numbers, batches

_AXES = 32
_ROUNDS, _BATCH, _RATE = 16, 256, 2e-3
_FORGOTTEN = 0.5
"""Dropout rate of the features of a number."""
_AS_IT_IS = 2.0
"""Initial score of the identity conversion."""
_TINY, _NEVER = 1e-12, -1e9


class Examples(NamedTuple):
    """Training examples: the features of each number (`windows`), the rows of its candidate arguments (`choices`,
    padded with -1), and for each candidate and conversion whether it is right (`golds`).
    """

    windows: Numbers
    choices: Numbers
    golds: Numbers


class Weights(NamedTuple):
    """The trained weights. `axes` and `shifts` project windows, and `spread` projects descriptions of arguments. Each
    argument has an offset from its description (`own`), a bias (`biases`) and scores of the conversions (`usual`).
    `turns` has a vector for each conversion. Gradients have the same shapes.
    """

    axes: Numbers
    shifts: Numbers
    spread: Numbers
    own: Numbers
    biases: Numbers
    turns: Numbers
    usual: Numbers


_FASTER = Weights(1, 1, 1, 5, 5, 1, 10)
"""Learning-rate factors: weights of a single argument learn faster."""


def fit_matching(examples: Examples, described: Numbers) -> Weights:
    """Train on examples. `described` has the embedding of each argument's description, one row per argument."""
    chance = np.random.default_rng(1)
    weights = _first(examples.windows.shape[1], *described.shape)
    steps = [Adam(one) for one in weights]
    for batch, rate in batches(len(examples.windows), _BATCH, _ROUNDS, _RATE, chance):
        windows = examples.windows[batch].astype(np.float32)
        kept = windows * (chance.random(windows.shape, np.float32) >= _FORGOTTEN) / (1 - _FORGOTTEN)
        slopes = _slopes(weights, described, Examples(kept, examples.choices[batch], examples.golds[batch]))
        for step, slope, faster in zip(steps, slopes, _FASTER, strict=True):
            step.step(slope, rate * faster)
    return weights


def places(weights: Weights, described: Numbers) -> Numbers:
    """Return the vector of each argument."""
    return described @ weights.spread.T + weights.own


def _first(size: int, arguments: int, width: int) -> Weights:
    """Initialise the weights: small random numbers for shared projections, zero for the rest."""
    chance = np.random.default_rng(0)
    axes, spread = (chance.standard_normal((_AXES, one)) / np.sqrt(3 * one) for one in (size, width))
    usual = np.zeros((arguments, len(TURNS)), np.float32)
    usual[:, 0] = _AS_IT_IS
    shapes = ((_AXES,), (arguments, _AXES), (arguments,), (len(TURNS), _AXES))
    shifts, own, biases, turns = (np.zeros(shape, np.float32) for shape in shapes)
    return Weights(axes.astype(np.float32), shifts, spread.astype(np.float32), own, biases, turns, usual)


def _slopes(weights: Weights, described: Numbers, batch: Examples) -> Weights:
    """Return the gradients of the negative log likelihood of the right argument and conversion."""
    near, named, there = nearness(_AXES), np.maximum(batch.choices, 0), batch.choices >= 0
    lain, own = batch.windows @ weights.axes.T + weights.shifts, places(weights, described)[named]
    scores = np.einsum("ncr,nr->nc", own, lain) * near + weights.biases[named]
    shares = softmax(np.where(there, scores, _NEVER))
    turned = softmax((lain @ weights.turns.T)[:, None] + weights.usual[named])
    right = (shares[:, :, None] * turned + _TINY) * batch.golds
    right /= right.sum(axis=(1, 2), keepdims=True)
    wrong = (shares - right.sum(axis=2)) * there / len(lain)
    wrong_turns = (right.sum(axis=2, keepdims=True) * turned - right) / len(lain)
    all_turns = wrong_turns.sum(axis=1)
    moved = np.einsum("nc,ncr->nr", wrong, own) * near + all_turns @ weights.turns
    pulled = _gather(named, wrong[:, :, None] * lain[:, None] * near, weights.own)
    return Weights(
        axes=moved.T @ batch.windows,
        shifts=moved.sum(axis=0),
        spread=pulled.T @ described,
        own=pulled,
        biases=_gather(named, wrong, weights.biases),
        turns=all_turns.T @ lain,
        usual=_gather(named, wrong_turns, weights.usual),
    )


def _gather(rows: Numbers, values: Numbers, like: Numbers) -> Numbers:
    """Sum the values that belong to the same row."""
    sums = np.zeros_like(like)
    np.add.at(sums, rows, values)
    return sums
