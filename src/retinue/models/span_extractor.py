"""Extracts the text spans of a request that fill tool arguments, from the hidden states of the model's first blocks.

A projection reduces the token states. Each possible beginning, each possible end and the tokens between them are
scored against learned vectors of an argument (pointer networks: Vinyals et al., 2015).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from retinue.models.base import SaidText
from retinue.models.encoder import Encoded
from retinue.models.heads import FILE, Arguments, Floats, Head, argument_rows, nearness, read_head
from retinue.models.span_candidates import Boundary, boundaries

BEFORE, BEHIND = (-2, -1, 0, 1), (-1, 0, 1, 2)
"""Offsets of the tokens used as features of a beginning and of an end."""
WITHIN = 0.3
"""Weight of a token inside a span, relative to the boundary tokens."""
_BEST, _LEAST = 3, 0.02
"""Most spans returned for an argument, and the minimum probability of each."""


class Axes(NamedTuple):
    """The projections from token states to features. `down` reduces the states; `begin`, `end` and `inside` project
    the result once more. `begin_kinds` and `end_kinds` are embeddings of the character kinds beside a boundary.
    `pairs` scores the kinds of the characters before and after a span.
    """

    down: Floats
    down_shift: Floats
    begin: Floats
    begin_shift: Floats
    begin_kinds: Floats
    end: Floats
    end_shift: Floats
    end_kinds: Floats
    inside: Floats
    inside_shift: Floats
    pairs: Floats


class Learned(NamedTuple):
    """The learned arrays. `means` and `spreads` normalise states. Each argument has three vectors in `places` (begin,
    end, inside) and in `nowhere` the score that the request does not contain it.
    """

    means: Floats
    spreads: Floats
    axes: Axes
    places: Floats
    nowhere: Floats


class Features(NamedTuple):
    """The features of a request: of its tokens, beginnings, ends and inner tokens."""

    begins: Sequence[Boundary]
    ends: Sequence[Boundary]
    tokens: Floats
    begin: Floats
    end: Floats
    inside: Floats
    pairs: Floats

    def likelihoods(self, place: Floats, nowhere: float) -> tuple[Floats, float]:
        """Return the probability of each span (rows are beginnings, columns are ends), and that of no span."""
        begin, end, inside = place * nearness(place.shape[1])
        within = np.concatenate([np.zeros(1, np.float32), np.cumsum(self.inside @ inside)]) * WITHIN
        until, since = within[tokens_of(self.ends) + 1], within[tokens_of(self.begins)]
        scores = (self.begin @ begin - since)[:, None] + (self.end @ end + until)[None] + self.pairs
        scores = np.where(_is_text(self.begins, self.ends), scores, -np.inf)
        most = max(float(scores.max(initial=-np.inf)), float(nowhere))
        raised, none = np.exp(scores - most), float(np.exp(nowhere - most))
        whole = float(raised.sum()) + none
        return raised / whole, none / whole


class Texts:
    """The trained extractor: the arrays, and the argument names of each tool (`tools`)."""

    def __init__(self, learned: Learned, tools: Arguments) -> None:
        self.tools = tools
        self._learned, self._rows = learned, argument_rows(tools)

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file of the heads."""
        arrays, tools = read_head("span_extractor", path)
        axes = Axes(*(arrays[name] for name in Axes._fields))
        return cls(Learned(arrays["means"], arrays["spreads"], axes, arrays["places"], arrays["nowhere"]), tools)

    def to_head(self) -> Head:
        """Return what the file stores."""
        arrays = self._learned._asdict()
        return Head(arrays.pop("axes")._asdict() | arrays, self.tools)

    def passages(self, encoded: Encoded) -> "Passages":
        """Compute the features of a request, for use with any tool."""
        return Passages(self._learned, self._rows, encoded)


class Passages:
    """The text spans of one request."""

    def __init__(self, learned: Learned, rows: Mapping[str, Mapping[str, int]], request: Encoded) -> None:
        self._learned, self._rows, self._text = learned, rows, request.text
        states = (np.asarray(request.states, np.float32) - learned.means) / learned.spreads
        self._features = features(learned.axes, states, *boundaries(request))

    def of(self, tool: str) -> list[SaidText]:
        """Return spans that may fill arguments of `tool`, the most likely first for each argument."""
        return [text for name, row in self._rows.get(tool, {}).items() for text in self._likeliest(name, row)]

    def _likeliest(self, name: str, row: int) -> Iterator[SaidText]:
        found = self._features
        shares, _ = found.likelihoods(self._learned.places[row], float(self._learned.nowhere[row]))
        for at in np.argsort(shares, axis=None)[: -_BEST - 1 : -1]:
            begin, end = divmod(int(at), len(found.ends))
            if shares[begin, end] >= _LEAST:
                first, last = found.begins[begin].place, found.ends[end].place
                yield SaidText(name, float(shares[begin, end]), self._text[first:last], first)


def features(axes: Axes, states: Floats, begins: Sequence[Boundary], ends: Sequence[Boundary]) -> Features:
    """Compute the features of a request from its normalised token states."""
    tokens = states @ axes.down.T + axes.down_shift
    at_begin = beside(tokens, BEFORE) @ axes.begin.T + axes.begin_shift
    at_end = beside(tokens, BEHIND) @ axes.end.T + axes.end_shift
    return Features(
        begins,
        ends,
        tokens,
        at_begin[tokens_of(begins)] + _of_kinds(begins, axes.begin_kinds),
        at_end[tokens_of(ends)] + _of_kinds(ends, axes.end_kinds),
        tokens @ axes.inside.T + axes.inside_shift,
        axes.pairs[pairs_of(begins, ends)],
    )


def beside(tokens: Floats, places: Sequence[int]) -> Floats:
    """Concatenate, for each token, the tokens at the offsets `places`; zeros beyond the text."""
    most = max(map(abs, places))
    padded = np.pad(tokens, ((most, most), (0, 0)))
    return np.concatenate([padded[most + place : most + place + len(tokens)] for place in places], axis=1)


def tokens_of(some: Sequence[Boundary]) -> NDArray[np.intp]:
    """Return the token index of each boundary."""
    return np.array([one.token for one in some], np.intp)


def pairs_of(begins: Sequence[Boundary], ends: Sequence[Boundary]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the kinds of the characters before and after each span, as broadcastable index arrays."""
    before, behind = (np.array([one.kinds[1] for one in some], np.intp) for some in (begins, ends))
    return before[:, None], behind[None]


def _of_kinds(some: Sequence[Boundary], values: Floats) -> Floats:
    """Sum the embeddings of the three characters beside each boundary."""
    kinds = np.array([one.kinds for one in some], np.intp).reshape(-1, 3)
    sums: Floats = values[np.arange(3), kinds].sum(axis=1)
    return sums


def _is_text(begins: Sequence[Boundary], ends: Sequence[Boundary]) -> NDArray[np.bool_]:
    """Return a mask of the (beginning, end) pairs that enclose at least one character."""
    return np.array([one.place for one in begins])[:, None] < np.array([one.place for one in ends])[None]
