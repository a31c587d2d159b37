"""Numbers and arguments, brought to the same few axes: a bilinear match, learned from which number is which."""

from typing import NamedTuple

import numpy as np

from retinue.models.heads import nearness, softmax
from retinue.models.number_matcher import TURNS
from training.descent import Adam, Numbers, batches

_AXES = 32
_ROUNDS, _BATCH, _RATE = 16, 256, 2e-3
_FORGOTTEN = 0.5
"""The share of the features of a number that is left out at random, each time anew."""
_AS_IT_IS = 2.0
"""The advantage that numbers as they are begin with."""
_TINY, _NEVER = 1e-12, -1e9


class Examples(NamedTuple):
    """Numbers: the features of each (`windows`), the arguments that it may be (`choices`, -1 for no more), and for each
    of these whether it is it by each turn (`golds`).
    """

    windows: Numbers
    choices: Numbers
    golds: Numbers


class Weights(NamedTuple):
    """How windows are brought down (`axes`, `shifts`), and descriptions (`spread`); how far an argument lies from there
    (`own`), and how often numbers are it (`biases`); the directions of `turns`, and how often each argument takes each
    (`usual`). Slopes have the same shapes.
    """

    axes: Numbers
    shifts: Numbers
    spread: Numbers
    own: Numbers
    biases: Numbers
    turns: Numbers
    usual: Numbers


_FASTER = Weights(1, 1, 1, 5, 5, 1, 10)
"""What stands for one argument alone learns faster."""


def fit_matching(examples: Examples, described: Numbers) -> Weights:
    """Learn from examples; `described` has a row for each argument: where its description lies."""
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
    """Where arguments lie."""
    return described @ weights.spread.T + weights.own


def _first(size: int, arguments: int, width: int) -> Weights:
    """Small numbers at random, and nought where there is but one argument to learn from."""
    chance = np.random.default_rng(0)
    axes, spread = (chance.standard_normal((_AXES, one)) / np.sqrt(3 * one) for one in (size, width))
    usual = np.zeros((arguments, len(TURNS)), np.float32)
    usual[:, 0] = _AS_IT_IS
    shapes = ((_AXES,), (arguments, _AXES), (arguments,), (len(TURNS), _AXES))
    shifts, own, biases, turns = (np.zeros(shape, np.float32) for shape in shapes)
    return Weights(axes.astype(np.float32), shifts, spread.astype(np.float32), own, biases, turns, usual)


def _slopes(weights: Weights, described: Numbers, batch: Examples) -> Weights:
    """Against these slopes the likelihood of what is right rises: of the argument, times that of the turn."""
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
    """The sums of what belongs to the same row."""
    sums = np.zeros_like(like)
    np.add.at(sums, rows, values)
    return sums
