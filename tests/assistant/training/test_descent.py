"""Gradient descent finds the minimum of a loss."""

import numpy as np
import pytest

from training.descent import Array, Schedule, Weights, dropout, log_softmax, minimise


def test_the_least_squares_line_is_found() -> None:
    x = np.linspace(-1, 1, 64)
    y = 3 * x - 0.5
    initial = {"slope": np.zeros(1), "shift": np.zeros(1)}

    def loss(weights: Weights, batch: Array) -> Array:
        return np.square(weights["slope"] * x[batch] + weights["shift"] - y[batch]).mean()

    found = minimise(loss, initial, len(x), Schedule(rounds=60, batch=16, rate=0.1))
    assert found["slope"] == pytest.approx(3, abs=0.05)
    assert found["shift"] == pytest.approx(-0.5, abs=0.05)


def test_log_softmax_of_scores_far_apart() -> None:
    assert np.exp(log_softmax(np.array([[0.0, -1e9, 0.0]]))).tolist() == [[0.5, 0.0, 0.5]]


def test_dropout_keeps_the_mean() -> None:
    found = dropout(np.ones((100, 100), np.float32), 0.5, np.random.default_rng(1))
    assert {*found.ravel().tolist()} == {0.0, 2.0}
    assert found.mean() == pytest.approx(1, abs=0.05)
