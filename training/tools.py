"""Trains the classifier that predicts the tool of a request, or that it needs none."""

from collections.abc import Mapping, Sequence

import numpy as np

from retinue.models.heads import softmax
from retinue.models.meaning import NO_TOOL
from retinue.models.tool_classifier import LENGTH, Learned, ToolClassifier
from training.descent import Adam, Numbers, batches

_BALANCE = 0.6
"""Share of a tool's log frequency that is removed from its bias."""

_ROUNDS, _BATCH, _RATE = 30, 512, 3e-3


def learn_tools(places: Numbers, asked: Mapping[str, Sequence[str]]) -> ToolClassifier:
    """Train the weight vector of each tool on the embeddings of its requests (`places` has the rows, in order)."""
    means, spreads = places.mean(axis=0), places.std(axis=0)
    centred = (places - means) / spreads
    classes = np.repeat(np.arange(len(asked)), [len(requests) for requests in asked.values()])
    centred *= LENGTH / np.linalg.norm(centred, axis=1, keepdims=True)
    weights, biases = logistic_regression(centred, classes, len(asked))
    return ToolClassifier(Learned(means, spreads, weights, biases - _advantages(asked)), asked)


def logistic_regression(places: Numbers, classes: Numbers, number: int) -> tuple[Numbers, Numbers]:
    """Train a multinomial logistic regression with `number` classes: a row of weights and a bias for each."""
    weights = np.zeros((number, places.shape[1]), np.float32)
    biases = np.zeros(number, np.float32)
    moved, shifted = Adam(weights), Adam(biases)
    for batch, rate in batches(len(places), _BATCH, _ROUNDS, _RATE, np.random.default_rng(1)):
        wrong = softmax(places[batch] @ weights.T + biases)
        wrong[np.arange(len(batch)), classes[batch]] -= 1
        wrong /= len(batch)
        moved.step(wrong.T @ places[batch], rate)
        shifted.step(wrong.sum(axis=0), rate)
    return weights, biases


def _advantages(asked: Mapping[str, Sequence[str]]) -> Numbers:
    """Return the bias correction for tools with many requests: their number says little about how often users mean
    the tool.
    """
    numbers = np.array([len(requests) for requests in asked.values()], np.float32)
    tools = np.array([name != NO_TOOL for name in asked])
    return np.where(tools, _BALANCE * np.log(numbers / np.median(numbers[tools])), 0.0)
