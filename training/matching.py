"""Numbers and arguments, brought to the same few axes: a bilinear match, learned from which number is which argument."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from retinue.models.roles import TURNS
from training.descent import Adam, Numbers, batches, likelihoods

_AXES = 32
_ROUNDS, _BATCH, _RATE = 16, 256, 2e-3
_FASTER=(1,1,1,5,1,10,5)
"""What stands for itself alone learns faster."""
_FORGOTTEN = 0.5
"""The share of what is told of a number that is left out at random, each time anew."""
_AS_IT_IS = 2.0
"""The advantage that numbers as they are begin with."""
_TINY = 1e-12


class Examples(NamedTuple):
    """Numbers: what is told of each (a row of `windows`), the arguments that it may be (rows of `choices`, -1 for none
    at all), and for each of these by which turns it is.
    """

    windows: Numbers
    choices: Numbers
    golds: Numbers


class Match(NamedTuple):
    """How windows are brought down (`axes`, a row each, and `shifts`), the `places` of arguments and their `biases`, the
    directions of `turns`, and how often each argument takes each (`usual`).
    """

    axes: Numbers
    shifts: Numbers
    places: Numbers
    biases: Numbers
    turns: Numbers
    usual: Numbers


class _Matcher:
    def __init__(self, size: int, told: Numbers) -> None:
        chance = np.random.default_rng(0)
        self._told = told
        self.axes = (chance.standard_normal((_AXES, size)) / np.sqrt(3 * size)).astype(np.float32)
        self.places = (chance.standard_normal((_AXES, told.shape[1])) / np.sqrt(3 * told.shape[1])).astype(np.float32)
        self.shifts, self.biases = np.zeros(_AXES, np.float32), np.zeros(len(told), np.float32)
        self.turns = np.zeros((len(TURNS), _AXES), np.float32)
        self.usual = np.zeros((len(told), len(TURNS)), np.float32)
        self.usual[:, 0] = _AS_IT_IS
        self.own = np.zeros((len(told), _AXES), np.float32)
        self._steps = [Adam(one) for one in (self.axes, self.places, self.shifts, self.biases, self.turns, self.usual, self.own)]

    def learn(self, windows: Numbers, choices: Numbers, golds: Numbers, rate: float) -> None:
        """One step: lift the likelihood of what is right."""
        near = 2 / np.sqrt(_AXES)
        lain = windows @ self.axes.T + self.shifts
        own = self._told @ self.places.T + self.own
        named, there = np.maximum(choices, 0), choices >= 0
        scores = np.where(there, np.einsum("ncr,nr->nc", own[named], lain) * near + self.biases[named], -1e9)
        shares, turned = likelihoods(scores), likelihoods((lain @ self.turns.T)[:, None] + self.usual[named])
        right = shares[:, :, None] * turned * golds + _TINY * golds
        right /= right.sum(axis=(1, 2), keepdims=True)
        wrong = (shares - right.sum(axis=2)) / len(windows)
        wrong_turns = (right.sum(axis=2, keepdims=True) * turned - right) / len(windows)
        flat = named[there]
        slope_own, slope_bias = np.zeros_like(own), np.zeros_like(self.biases)
        np.add.at(slope_own, flat, (wrong[:, :, None] * lain[:, None, :] * near)[there])
        np.add.at(slope_bias, flat, wrong[there])
        slope_usual = np.zeros_like(self.usual)
        np.add.at(slope_usual, flat, wrong_turns[there])
        all_turns = wrong_turns.sum(axis=1)
        slope_lain = np.einsum("nc,ncr->nr", wrong * there, own[named]) * near + all_turns @ self.turns
        slopes = (
            slope_lain.T @ windows,
            slope_own.T @ self._told,
            slope_lain.sum(axis=0),
            slope_bias,
            all_turns.T @ lain,
            slope_usual,
            slope_own,
        )
        for place, (step, slope) in enumerate(zip(self._steps, slopes, strict=True)):
            step.step(slope, rate * _FASTER[place])


def matched(examples: Examples, told: Numbers) -> Match:
    """Learn from examples; `told` has a row for each argument: where its description lies."""
    chance = np.random.default_rng(1)
    matcher = _Matcher(examples.windows.shape[1], told)
    for batch, rate in batches(len(examples.windows), _BATCH, _ROUNDS, _RATE, chance):
        windows = examples.windows[batch].astype(np.float32)
        kept = chance.random(windows.shape, np.float32) >= _FORGOTTEN
        matcher.learn(windows * kept / (1 - _FORGOTTEN), examples.choices[batch], examples.golds[batch], rate)
    places = told @ matcher.places.T + matcher.own
    return Match(matcher.axes, matcher.shifts, places, matcher.biases, matcher.turns, matcher.usual)
