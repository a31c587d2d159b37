"""Trains the classifier that predicts the tool of a request, or that it needs none."""

from collections.abc import Mapping, Sequence

import autograd.numpy as np

from retinue.models.heads import Head
from retinue.models.request_classification import NO_TOOL
from retinue.models.tool_classifier import LENGTH
from training.descent import Array, Schedule, Weights, log_softmax, minimise

_BALANCE = 0.6
"""Share of a tool's log frequency that is removed from its bias."""
_SCHEDULE = Schedule(rounds=30, batch=512, rate=3e-3)


def learn_tools(embeddings: Array, requests_of: Mapping[str, Sequence[str]]) -> Head:
    """Train the weight vector of each tool on the embeddings of its requests (`embeddings` has the rows, in order)."""
    means, deviations = embeddings.mean(axis=0), embeddings.std(axis=0)
    centred = (embeddings - means) / deviations
    centred *= LENGTH / np.linalg.norm(centred, axis=1, keepdims=True)
    classes = np.repeat(np.arange(len(requests_of)), [len(requests) for requests in requests_of.values()])
    arrays = {"means": means, "deviations": deviations, **logistic_regression(centred, classes, len(requests_of))}
    return Head({**arrays, "biases": arrays["biases"] - _advantages(requests_of)}, dict.fromkeys(requests_of, ()))


def logistic_regression(embeddings: Array, classes: Array, number: int) -> Weights:
    """Train a multinomial logistic regression with `number` classes: a row of weights and a bias for each."""

    def loss(weights: Weights, batch: Array) -> Array:
        likelihoods = log_softmax(embeddings[batch] @ weights["weights"].T + weights["biases"])
        return -np.mean(likelihoods[np.arange(len(batch)), classes[batch]])

    initial = {"weights": np.zeros((number, embeddings.shape[1]), np.float32), "biases": np.zeros(number, np.float32)}
    return minimise(loss, initial, len(embeddings), _SCHEDULE)


def _advantages(requests_of: Mapping[str, Sequence[str]]) -> Array:
    """Return the bias correction for tools with many requests, which are not meant more often by users."""
    numbers = np.array([len(requests) for requests in requests_of.values()], np.float32)
    tools = np.array([name != NO_TOOL for name in requests_of])
    return np.where(tools, _BALANCE * np.log(numbers / np.median(numbers[tools])), 0.0)
