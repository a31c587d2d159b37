"""The gradients that training uses are those of the likelihood."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retinue.models.encoder import Encoded
from retinue.models.span_candidates import boundaries
from retinue.models.span_extractor import Axes, features
from training.passages import Passage
from training.pointing import Weights, add_slopes, first_weights, place_of

TOKENS = ["Reverse", ' "', "Hello", ",", " you", '"', " now", ":", " x"]
WIDTH, STEP = 7, 1e-5


def passage(stands: Sequence[tuple[int, int]]) -> Passage:
    text = "".join(TOKENS)
    ends = [len("".join(TOKENS[: at + 1])) for at in range(len(TOKENS))]
    states = np.random.default_rng(1).standard_normal((len(TOKENS), WIDTH))
    return Passage("tool", "text", states, *boundaries(Encoded(text, ends, states.tolist())), stands, True)


def likelihood(weights: Weights, one: Passage, told: np.ndarray) -> float:
    """Return the log-likelihood of the passage's label."""
    seen = features(Axes(*weights[: len(Axes._fields)]), one.states, one.begins, one.ends)
    shares, nowhere = seen.likelihoods(place_of(weights, 1, told), weights.nowhere[1])
    return float(np.log(sum(shares[at] for at in one.stands) if one.stands else nowhere))


@pytest.mark.parametrize("name", Weights._fields)
@settings(deadline=None, max_examples=20)
@given(st.data())
def test_a_step_changes_the_likelihood_as_its_slope_tells(name: str, data: st.DataObject) -> None:
    one = passage(data.draw(st.sampled_from([[], [(2, 3)], [(1, 2), (3, 4)]])))
    chance = np.random.default_rng(2)
    told = chance.standard_normal((2, WIDTH))
    weights = Weights(*(value + chance.normal(0, 0.3, value.shape) for value in first_weights(told, WIDTH)))
    slopes = Weights(*map(np.zeros_like, weights))
    add_slopes(slopes, weights, (one, one.states), (1, told))
    changed = getattr(weights, name)
    at = tuple(data.draw(st.integers(0, size - 1)) for size in changed.shape)
    before = likelihood(weights, one, told)
    changed[at] += STEP
    assert (before - likelihood(weights, one, told)) / STEP == pytest.approx(getattr(slopes, name)[at], abs=1e-3)
