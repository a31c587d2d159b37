"""Extracts the text spans of a request that fill tool arguments, from the hidden states of the model's first blocks.

As in extractive question answering (BERT: Devlin et al., 2019), each possible beginning and each possible end is
projected and compared with a vector of the argument; the score of a span is the sum of both.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retinue.models.encoder import Encoded
from retinue.models.heads import Floats, Head
from retinue_assistant.argument_hints import TextSpan
from retinue_assistant.heads.scoring import argument_rows, similarity_scale, softmax
from retinue_assistant.heads.span_candidates import KINDS, Boundary, boundaries

SIDES: Final = ((-2, -1, 0, 1), (-1, 0, 1, 2))
"""Offsets of the tokens that are used as features of a beginning, and of an end."""
_MARGIN: Final = 2
"""Rows of zeros before and after the states of a request, for tokens beyond it."""
_BEST, _LEAST = 3, 0.02
"""Most spans returned for an argument, and the minimum probability of each."""


class ExtractorWeights(NamedTuple):
    """The learned arrays. `means` and `deviations` normalise token states, and `down` reduces them.

    For each of `SIDES`, `beside` projects the reduced states of the tokens beside a boundary, and `kinds` the kinds of
    the characters beside it. Each argument has a vector for each side in `vectors`, and in `absent` the score that a
    request does not contain it.
    """

    means: Floats
    deviations: Floats
    down: Floats
    beside: Floats
    kinds: Floats
    vectors: Floats
    absent: Floats


class SpanExtractor:
    """Extracts with a trained head."""

    def __init__(self, head: Head) -> None:
        self._learned, self._rows = ExtractorWeights(**head.arrays), argument_rows(head.tools)

    def spans(self, encoded: Encoded) -> "RequestSpans":
        """Compute the features of a request, for use with any tool."""
        return RequestSpans(self._learned, self._rows, encoded)


class RequestSpans:
    """The text spans of one request."""

    def __init__(self, learned: ExtractorWeights, rows: Mapping[str, Mapping[str, int]], request: Encoded) -> None:
        self._learned, self._rows, self._text = learned, rows, request.text
        self._boundaries = boundaries(request)
        states = normalize(np.asarray(request.states, np.float32), learned.means, learned.deviations) @ learned.down.T
        self._projected = [
            project(states[beside(some, offsets)], one_hot_kinds(some), learned.beside[side], learned.kinds[side])
            for side, (some, offsets) in enumerate(zip(self._boundaries, SIDES, strict=True))
        ]

    def of(self, tool: str) -> list[TextSpan]:
        """Return spans that may fill arguments of `tool`, the most likely first for each argument."""
        return [text for name, row in self._rows.get(tool, {}).items() for text in self._likeliest(name, row)]

    def _likeliest(self, name: str, row: int) -> Iterator[TextSpan]:
        begins, ends = self._boundaries
        vectors = self._learned.vectors[row] * similarity_scale(self._learned.vectors.shape[-1])
        first, last = (one @ vector for one, vector in zip(self._projected, vectors, strict=True))
        scores = np.where(enclose(begins, ends), first[:, None] + last, -np.inf)
        probabilities = softmax(np.append(scores, self._learned.absent[row]))[:-1]
        for at in np.argsort(probabilities)[: -_BEST - 1 : -1]:
            begin, end = (one.offset for one in (begins[at // len(ends)], ends[at % len(ends)]))
            if (likelihood := float(probabilities[at])) >= _LEAST:
                begin += len(self._text[begin:end]) - len(self._text[begin:end].lstrip())
                yield TextSpan(name, likelihood, self._text[begin:end].rstrip(), begin)


def enclose(begins: Sequence[Boundary], ends: Sequence[Boundary]) -> NDArray[np.bool_]:
    """Return for each pair of a beginning and an end whether there is a text between them."""
    return np.less.outer([one.offset for one in begins], [one.offset for one in ends])


def normalize(states: Floats, means: Floats, deviations: Floats) -> Floats:
    """Normalise token states, and add a margin of zeros before and after them."""
    return np.pad((states - means) / deviations, ((_MARGIN, _MARGIN), (0, 0)))


def beside(found: Sequence[Boundary], offsets: Sequence[int]) -> NDArray[np.intp]:
    """Return the rows of the tokens beside each boundary, in states with a margin."""
    tokens: NDArray[np.intp] = np.array([one.token for one in found], np.intp)[:, None] + _MARGIN + np.array(offsets)
    return tokens


def one_hot_kinds(found: Sequence[Boundary]) -> Floats:
    """Return the kinds of the characters beside each boundary, one-hot."""
    kinds = np.array([one.kinds for one in found], np.intp).reshape(-1, 3)
    return np.eye(KINDS, dtype=np.float32)[kinds].reshape(len(found), 3 * KINDS)


def project(tokens: Floats, kinds: Floats, of_tokens: Floats, of_kinds: Floats) -> Floats:
    """Project boundaries, from the reduced states of the tokens and the kinds of the characters beside each."""
    return tokens.reshape(len(tokens), of_tokens.shape[-1]) @ of_tokens.T + kinds @ of_kinds.T
