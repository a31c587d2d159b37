"""Which words of a request are which argument of a tool, by what the model's first blocks make of them.

The states of tokens are projected onto a few axes. Where a text may begin, the tokens at and beside that place are
compared with how the texts of an argument begin; where it may end, and what lies within, likewise (pointer networks:
Vinyals et al., 2015). `training/` makes the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from retinue.models.base import SaidText
from retinue.models.encoder import Encoded
from retinue.models.heads import Arguments, Floats, argument_rows, nearness, read_arrays, to_bytes
from retinue.models.span_candidates import Boundary, boundaries

FILE = Path(__file__).with_name("texts.npz")

BEFORE, BEHIND = (-2, -1, 0, 1), (-1, 0, 1, 2)
"""The tokens beside a boundary that are features: those of a beginning, and those of an end."""
WITHIN = 0.3
"""How much a token within a text counts, beside those at its ends."""
_BEST, _LEAST = 3, 0.02
"""How many texts are offered for an argument, and the least likelihood of one."""


class Axes(NamedTuple):
    """How requests become features. States of tokens are projected by `down`, then once more for beginnings, ends and
    what lies within. `begin_kinds` and `end_kinds` belong to kinds of characters, `pairs` to the characters before and
    behind a text.
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
    """The arrays. States are centred by `means` and `spreads`. Each argument has three `places` (of beginnings, ends,
    and what lies within), and how likely it stands nowhere (`nowhere`).
    """

    means: Floats
    spreads: Floats
    axes: Axes
    places: Floats
    nowhere: Floats


class Features(NamedTuple):
    """The features of a request: of its tokens, of each beginning, of each end, and of what lies within."""

    begins: Sequence[Boundary]
    ends: Sequence[Boundary]
    tokens: Floats
    begin: Floats
    end: Floats
    inside: Floats
    pairs: Floats

    def likelihoods(self, place: Floats, nowhere: float) -> tuple[Floats, float]:
        """How likely each text is the argument at a place (rows are beginnings, columns ends), and that none is."""
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
    """The arrays, with the names of the arguments of each tool (`tools`)."""

    def __init__(self, learned: Learned, tools: Arguments) -> None:
        self.tools = tools
        self._learned, self._rows = learned, argument_rows(tools)

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file."""
        arrays, tools = read_arrays(path)
        axes = Axes(**{name: arrays.pop(name) for name in Axes._fields})
        return cls(Learned(axes=axes, **arrays), tools)

    def to_bytes(self) -> bytes:
        """The content of the file."""
        arrays = self._learned._asdict()
        return to_bytes(arrays.pop("axes")._asdict() | arrays, self.tools)

    def passages(self, encoded: Encoded) -> "Passages":
        """The texts that stand in a request, for any tool."""
        return Passages(self._learned, self._rows, encoded)


class Passages:
    """The texts of a request."""

    def __init__(self, learned: Learned, rows: Mapping[str, Mapping[str, int]], request: Encoded) -> None:
        self._learned, self._rows, self._text = learned, rows, request.text
        states = (np.asarray(request.states, np.float32) - learned.means) / learned.spreads
        self._features = features(learned.axes, states, *boundaries(request))

    def of(self, tool: str) -> list[SaidText]:
        """What may be arguments of a tool, the likeliest of each first."""
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
    """The features of a request with these centred states of tokens."""
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
    """Of each token those at places beside it, one after the other; zeros where there are none."""
    most = max(map(abs, places))
    padded = np.pad(tokens, ((most, most), (0, 0)))
    return np.concatenate([padded[most + place : most + place + len(tokens)] for place in places], axis=1)


def tokens_of(some: Sequence[Boundary]) -> NDArray[np.intp]:
    """The tokens of boundaries."""
    return np.array([one.token for one in some], np.intp)


def pairs_of(begins: Sequence[Boundary], ends: Sequence[Boundary]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The kinds of the characters before and behind each text."""
    before, behind = (np.array([one.kinds[1] for one in some], np.intp) for some in (begins, ends))
    return before[:, None], behind[None]


def _of_kinds(some: Sequence[Boundary], values: Floats) -> Floats:
    """The sums of the values of the characters beside boundaries."""
    kinds = np.array([one.kinds for one in some], np.intp).reshape(-1, 3)
    sums: Floats = values[np.arange(3), kinds].sum(axis=1)
    return sums


def _is_text(begins: Sequence[Boundary], ends: Sequence[Boundary]) -> NDArray[np.bool_]:
    """Which beginnings and ends have a text between them."""
    return np.array([one.place for one in begins])[:, None] < np.array([one.place for one in ends])[None]
