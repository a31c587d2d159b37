"""Minimises a loss over mini-batches with the Adam optimiser (Kingma and Ba, 2015). Autograd computes the gradients."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import autograd.numpy as np
from autograd import grad

_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8
"""Adam's decay rates of the gradient and of its square, and epsilon."""

Array: TypeAlias = Any
"""A NumPy array of any shape and dtype."""
Weights: TypeAlias = dict[str, Array]
Shapes: TypeAlias = Mapping[str, tuple[int, ...]]


class Schedule(NamedTuple):
    """How often all examples are used, the size of a batch, and the first learning rate."""

    rounds: int
    batch: int
    rate: float


def initial_weights(projections: Shapes, others: Shapes) -> Weights:
    """Return small random numbers for the projections, and zeros for the other weights."""
    random = np.random.default_rng(0)
    weights = {name: random.standard_normal(shape) / np.sqrt(3 * shape[-1]) for name, shape in projections.items()}
    weights |= {name: np.zeros(shape) for name, shape in others.items()}
    return {name: one.astype(np.float32) for name, one in weights.items()}


def minimise(loss: Callable[[Weights, Array], Array], weights: Weights, examples: int, schedule: Schedule) -> Weights:
    """Return weights that minimise `loss(weights, batch)`, where `batch` has indexes of examples."""
    gradients = grad(loss)
    means, squares = ({name: np.zeros_like(one) for name, one in weights.items()} for _ in range(2))
    for step, (batch, rate) in enumerate(_batches(examples, schedule), 1):
        size = rate * np.sqrt(1 - _SECOND**step) / (1 - _FIRST**step)
        for name, gradient in gradients(weights, batch).items():
            means[name] += (1 - _FIRST) * (gradient - means[name])
            squares[name] += (1 - _SECOND) * (gradient * gradient - squares[name])
            weights[name] -= size * means[name] / (np.sqrt(squares[name]) + _TINY)
    return weights


def _batches(examples: int, schedule: Schedule) -> Iterator[tuple[Array, float]]:
    """Yield batches of indexes in a new random order each round, with a learning rate that decays like a cosine."""
    random = np.random.default_rng(1)
    for past in range(schedule.rounds):
        rate = schedule.rate * (1 + np.cos(np.pi * past / schedule.rounds)) / 2
        for batch in np.array_split(random.permutation(examples), -(-examples // schedule.batch)):
            yield batch, rate


def log_softmax(scores: Array) -> Array:
    """Return the logarithms of the softmax along the last axis."""
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    return scores - np.log(np.sum(np.exp(scores), axis=-1, keepdims=True))


def dropout(features: Array, rate: float, random: Array) -> Array:
    """Set a random share of the features to zero, and scale up the others."""
    return features * (random.random(features.shape, np.float32) >= rate) / np.float32(1 - rate)


def unit_rows(vectors: Array) -> Array:
    """Standardise each axis, then scale each row to length 1."""
    scaled = (vectors - vectors.mean(axis=0)) / vectors.std(axis=0)
    return (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
