"""Trains the classifier that predicts the tool of a request, or that it needs none."""

from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from retinue.models.heads import softmax
from retinue.models.tool_classifier import LENGTH, NO_TOOL, Direction, ToolClassifier
from training.descent import STEPS, Adam, Numbers, batches, round_each

_BALANCE = 0.6
"""Share of a tool's log frequency that is removed from its bias."""

_ROUNDS, _BATCH, _RATE = 30, 512, 3e-3


class Learned(NamedTuple):
    """The weights (one column per class) and the biases of a regression."""

    directions: Numbers
    biases: Numbers


def learn_directions(places: Numbers, asked: Mapping[str, Sequence[str]]) -> ToolClassifier:
    """Train the weight vector of each tool on the embeddings of its requests (`places` has the rows, in order)."""
    means, spreads = places.mean(axis=0), places.std(axis=0)
    centred = (places - means) / spreads
    classes = np.repeat(np.arange(len(asked)), [len(requests) for requests in asked.values()])
    centred *= LENGTH / np.linalg.norm(centred, axis=1, keepdims=True)
    found = logistic_regression(centred, classes, len(asked))
    found = found._replace(biases=found.biases - _advantages(asked))
    return ToolClassifier(round_each(means), round_each(spreads), dict(zip(asked, _keep(found), strict=True)))


def logistic_regression(places: Numbers, classes: Numbers, number: int) -> Learned:
    """Train a multinomial logistic regression with `number` classes."""
    directions = np.zeros((places.shape[1], number), np.float32)
    biases = np.zeros(number, np.float32)
    moved, shifted = Adam(directions), Adam(biases)
    for batch, rate in batches(len(places), _BATCH, _ROUNDS, _RATE, np.random.default_rng(1)):
        wrong = softmax(places[batch] @ directions + biases)
        wrong[np.arange(len(batch)), classes[batch]] -= 1
        wrong /= len(batch)
        moved.step(places[batch].T @ wrong, rate)
        shifted.step(wrong.sum(axis=0), rate)
    return Learned(directions, biases)


def _advantages(asked: Mapping[str, Sequence[str]]) -> Numbers:
    """Return the bias correction for tools with many requests: their number says little about how often users mean
    the tool.
    """
    numbers = np.array([len(requests) for requests in asked.values()], np.float32)
    tools = np.array([name != NO_TOOL for name in asked])
    return np.where(tools, _BALANCE * np.log(numbers / np.median(numbers[tools])), 0.0)


def _keep(found: Learned) -> list[Direction]:
    """Quantise each weight vector to int8."""
    scales = np.abs(found.directions).max(axis=0) / STEPS
    steps = np.round(found.directions / scales).astype(np.int8)
    return [
        Direction(array("b", steps[:, place].tobytes()), float(scale), float(bias))
        for place, (scale, bias) in enumerate(zip(scales, found.biases, strict=True))
    ]
