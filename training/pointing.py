"""Trains the boundary scores of `retinue.models.span_extractor` by gradient descent."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from retinue.models.heads import nearness
from retinue.models.span_candidates import KINDS, Boundary
from retinue.models.span_extractor import BEFORE, BEHIND, WITHIN, Axes, beside, features, pairs_of, tokens_of
from training.descent import Adam, Numbers, batches
from training.passages import Passage

_AXES = 32
_ROUNDS, _BATCH, _RATE = 5, 32, 2e-3
_FORGOTTEN = 0.5
"""Dropout rate of the state of a token."""
_PARTS = 3


class Weights(NamedTuple):
    """The trained weights, beginning with the fields of `retinue.models.span_extractor.Axes`. The vectors of an
    argument are the sum of a projection of its description (`spread`), a shared part (`usual`) and its own part
    (`own`). Gradients have the same shapes.
    """

    down: Numbers
    down_shift: Numbers
    begin: Numbers
    begin_shift: Numbers
    begin_kinds: Numbers
    end: Numbers
    end_shift: Numbers
    end_kinds: Numbers
    inside: Numbers
    inside_shift: Numbers
    pairs: Numbers
    spread: Numbers
    usual: Numbers
    own: Numbers
    nowhere: Numbers


def fit_pointing(
    found: Sequence[Passage], rows: Mapping[str, Mapping[str, int]], described: Numbers, centred: Numbers
) -> Weights:
    """Train on passages. `rows` has the row of each argument in `described`; `centred` are the normalised states of
    each passage.
    """
    chance = np.random.default_rng(1)
    weights = first_weights(described, centred[0].shape[1])
    steps = [Adam(one) for one in weights]
    for batch, rate in batches(len(found), _BATCH, _ROUNDS, _RATE, chance):
        slopes = Weights(*map(np.zeros_like, weights))
        for at in batch:
            states = centred[at].astype(np.float32)
            kept = states * (chance.random(states.shape, np.float32) >= _FORGOTTEN) / (1 - _FORGOTTEN)
            add_slopes(slopes, weights, (found[at], kept), (rows[found[at].tool][found[at].argument], described))
        for step, slope in zip(steps, slopes, strict=True):
            step.step(slope / len(batch), rate)
    return weights


def places(weights: Weights, described: Numbers) -> Numbers:
    """Return three vectors for each argument: begin, end and inside."""
    return np.einsum("ad,prd->apr", described, weights.spread) + weights.usual + weights.own


def first_weights(described: Numbers, width: int) -> Weights:
    """Initialise the weights: small random numbers for most projections, zero for shifts and single arguments."""
    chance = np.random.default_rng(0)

    def small(*shape: int) -> Numbers:
        return (chance.standard_normal(shape) / np.sqrt(3 * shape[-1])).astype(np.float32)

    def nothing(*shape: int) -> Numbers:
        return np.zeros(shape, np.float32)

    return Weights(
        down=small(_AXES, width),
        down_shift=nothing(_AXES),
        begin=small(_AXES, len(BEFORE) * _AXES),
        begin_shift=nothing(_AXES),
        begin_kinds=small(_PARTS, KINDS, _AXES),
        end=small(_AXES, len(BEHIND) * _AXES),
        end_shift=nothing(_AXES),
        end_kinds=small(_PARTS, KINDS, _AXES),
        inside=small(_AXES, _AXES),
        inside_shift=nothing(_AXES),
        pairs=nothing(KINDS, KINDS),
        spread=small(_PARTS, _AXES, described.shape[1]),
        usual=nothing(_PARTS, _AXES),
        own=nothing(len(described), _PARTS, _AXES),
        nowhere=nothing(len(described)),
    )


def place_of(weights: Weights, row: int, described: Numbers) -> Numbers:
    """Return the three vectors of one argument."""
    place: Numbers = weights.spread @ described[row] + weights.usual + weights.own[row]
    return place


def add_slopes(slopes: Weights, weights: Weights, example: tuple[Passage, Numbers], named: tuple[int, Numbers]) -> None:
    """Add the gradients of the negative log likelihood of the right spans."""
    (passage, states), (row, described) = example, named
    whole = features(Axes(*weights[: len(Axes._fields)]), states, passage.begins, passage.ends)
    place = place_of(weights, row, described)
    shares, nowhere = whole.likelihoods(place, weights.nowhere[row])
    near, wrong = place * nearness(_AXES), shares.copy()
    if passage.stands:
        at = tuple(np.array(passage.stands).T)
        wrong[at] -= shares[at] / max(shares[at].sum(), 1e-30)
    slopes.nowhere[row] += nowhere - (not passage.stands)
    np.add.at(slopes.pairs, pairs_of(passage.begins, passage.ends), wrong)
    by_begin, by_end = wrong.sum(axis=1), wrong.sum(axis=0)
    by_token = WITHIN * _within(passage, by_begin, by_end, len(states))
    pulled = np.stack([by_begin @ whole.begin, by_end @ whole.end, by_token @ whole.inside]) * nearness(_AXES)
    slopes.own[row] += pulled
    slopes.usual[...] += pulled
    slopes.spread[...] += pulled[:, :, None] * described[row]
    slopes_of_tokens = (
        _side(slopes[2:5], weights.begin, (passage.begins, BEFORE), np.outer(by_begin, near[0]), whole.tokens)
        + _side(slopes[5:8], weights.end, (passage.ends, BEHIND), np.outer(by_end, near[1]), whole.tokens)
        + np.outer(by_token, near[2]) @ weights.inside
    )
    slopes.inside[...] += np.outer(near[2], by_token @ whole.tokens)
    slopes.inside_shift[...] += by_token.sum() * near[2]
    slopes.down[...] += slopes_of_tokens.T @ states
    slopes.down_shift[...] += slopes_of_tokens.sum(axis=0)


def _within(passage: Passage, by_begin: Numbers, by_end: Numbers, tokens: int) -> Numbers:
    """Return the weight of each token inside spans: of those that end at it or later and do not begin later."""
    ended = np.bincount(tokens_of(passage.ends), by_end, tokens)
    begun = np.bincount(tokens_of(passage.begins), by_begin, tokens)
    return np.cumsum(ended[::-1])[::-1] - (np.cumsum(begun[::-1])[::-1] - begun)


def _side(
    slopes: Sequence[Numbers],
    axes: Numbers,
    found: tuple[Sequence[Boundary], Sequence[int]],
    moved: Numbers,
    tokens: Numbers,
) -> Numbers:
    """Add the gradients of one side (projection, shift, kinds), and return the gradients of the tokens."""
    boundaries, near = found
    at_token = np.zeros((len(tokens), _AXES), np.float32)
    np.add.at(at_token, tokens_of(boundaries), moved)
    for place in range(3):
        np.add.at(slopes[2][place], [one.kinds[place] for one in boundaries], moved)
    slopes[0][...] += at_token.T @ beside(tokens, near)
    slopes[1][...] += at_token.sum(axis=0)
    parts = np.split(at_token @ axes, len(near), axis=1)
    return sum(beside(part, [-place]) for part, place in zip(parts, near, strict=True))
