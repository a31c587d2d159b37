"""Trains the scores of `retinue_assistant.heads.span_extractor`: where the text of an argument begins and ends."""

from collections.abc import Sequence
from typing import NamedTuple

import autograd.numpy as np

from retinue_assistant.heads.scoring import similarity_scale
from retinue_assistant.heads.span_candidates import KINDS
from retinue_assistant.heads.span_extractor import SIDES, project
from training.descent import Array, Schedule, Weights, dropout, initial_weights, log_softmax, minimise

_AXES = 32
_SCHEDULE = Schedule(rounds=8, batch=32, rate=2e-3)
_DROPOUT = 0.5
_TINY, _NEVER = 1e-12, -1e9


class Example(NamedTuple):
    """A request and the row of an argument. `states` are the normalised token states, with a margin. For each of
    `SIDES`, the boundaries have the rows of the tokens beside them (`tokens`) and their `kinds` of characters. For each
    pair of a beginning and an end, `enclose` says whether there is a text between them, and `right` whether it is the
    argument.
    """

    row: int
    states: Array
    tokens: Sequence[Array]
    kinds: Sequence[Array]
    enclose: Array
    right: Array


def fit_pointing(examples: Sequence[Example], described: Array) -> Weights:
    """Train on examples. `described` has the embedding of each argument's description, one row per argument."""
    random = np.random.default_rng(1)

    def loss(weights: Weights, batch: Array) -> Array:
        some = [examples[at] for at in batch]
        states = dropout(np.concatenate([one.states for one in some]).astype(np.float32), _DROPOUT, random)
        return mean_loss(weights, described, some, states)

    return minimise(loss, first_weights(examples[0].states.shape[1], *described.shape), len(examples), _SCHEDULE)


def argument_vectors(weights: Weights, described: Array, rows: Array) -> Array:
    """Return the vectors of arguments for each side: the projection of the description, a shared and an own part."""
    projected = np.einsum("ad,srd->asr", described[rows], weights["of_description"])
    return projected + weights["shared"] + weights["own"][rows]


def first_weights(width: int, arguments: int, described: int) -> Weights:
    """Return the weights to start from."""
    sides = len(SIDES)
    projections = {"down": (_AXES, width), "beside": (sides, _AXES, len(SIDES[0]) * _AXES)}
    projections |= {"kinds": (sides, _AXES, 3 * KINDS), "of_description": (sides, _AXES, described)}
    others = {"shared": (sides, _AXES), "own": (arguments, sides, _AXES), "absent": (arguments,)}
    return initial_weights(projections, others)


def mean_loss(weights: Weights, described: Array, some: Sequence[Example], states: Array) -> Array:
    """Return the mean negative log likelihood of the right spans, or of "absent". `states` has the rows of them all."""
    rows = np.array([one.row for one in some])
    vectors = argument_vectors(weights, described, rows) * similarity_scale(_AXES)
    begins, ends = (_scores(weights, some, states @ weights["down"].T, vectors[:, side], side) for side in range(2))
    shape = begins.shape[1], ends.shape[1]
    enclose, right = (np.array([_pad(one, shape) for one in every]) for every in [*zip(*some, strict=True)][-2:])
    spans = np.where(enclose, begins[:, :, None] + ends[:, None], _NEVER).reshape(len(some), -1)
    likelihoods = log_softmax(np.hstack([weights["absent"][rows][:, None], spans]))
    golds = right.reshape(len(some), -1)
    golds = np.hstack([~golds.any(axis=1, keepdims=True), golds])
    return -np.mean(np.log(np.sum(np.exp(likelihoods) * golds, axis=1) + _TINY))


def _scores(weights: Weights, some: Sequence[Example], states: Array, vectors: Array, side: int) -> Array:
    """Return the scores of the boundaries of one side, a row for each example. Shorter rows are filled up."""
    starts = np.cumsum([0, *(len(one.states) for one in some)])
    tokens = np.concatenate([one.tokens[side] + start for one, start in zip(some, starts, strict=False)])
    kinds = [one.kinds[side] for one in some]
    projected = project(states[tokens], np.concatenate(kinds), weights["beside"][side], weights["kinds"][side])
    counts = [*map(len, kinds)]
    at = np.cumsum([0, *counts[:-1]])[:, None] + np.arange(max(counts))
    return (projected @ vectors.T)[np.minimum(at, len(projected) - 1), np.arange(len(some))[:, None]]


def _pad(values: Array, shape: Sequence[int]) -> Array:
    return np.pad(values, [(0, most - size) for most, size in zip(shape, values.shape, strict=True)])
