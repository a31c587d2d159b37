"""Which words of a request are which argument of a tool, by what the model's first blocks make of them.

What they make of each token is brought down to a few axes. Where a text may begin, what stands at and beside it is
compared with how the texts of an argument begin; where it may end, and what lies within, likewise (pointer networks:
Vinyals et al., 2015). `training/` makes the file of all that.
"""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from retinue.models.base import SaidText
from retinue.models.boundaries import Boundary, boundaries
from retinue.models.encoder import Encoded
from retinue.models.roles import nearness

FILE = Path(__file__).with_name("texts.npz")

BEFORE, BEHIND = (-2, -1, 0, 1), (-1, 0, 1, 2)
"""The tokens beside a boundary that are features: those of a beginning, and those of an end."""
WITHIN = 0.3
"""How much a token within a text counts, beside those at its ends."""
_TOLD, _LEAST = 3, 0.02
"""The least likelihood of a text that is offered for an argument."""

Floats = NDArray[np.floating[Any]]


class Learned(NamedTuple):
    """All that was learned. Of tokens: `means` and `spreads` of their states, and the axes these are brought `down` to.

    For beginnings, ends and what lies within: what tokens beside tell (`begin`, `end`, `inside`), with what is added,
    and what kinds of characters do (`begin_kinds`, `end_kinds`); `pairs` is how well the character before a text goes
    with the one behind it. Of each argument, in rows: its three `places`, and how likely it stands nowhere (`nowhere`).
    """

    means: Floats
    spreads: Floats
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
    places: Floats
    nowhere: Floats


class Texts:
    """What was learned, with the names of the arguments of each tool, in the order of their rows."""

    def __init__(self, learned: Learned, tools: Mapping[str, Sequence[str]]) -> None:
        self._learned, self._tools, self._rows = learned, tools, dict(_rows(tools))

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file."""
        with np.load(path) as found:
            learned = Learned(*(found[name].astype(np.float32) for name in Learned._fields))
            tools: dict[str, list[str]] = {}
            for tool, argument in found["arguments"]:
                tools.setdefault(str(tool), []).append(str(argument))
        return cls(learned, tools)

    def written(self) -> bytes:
        """The content of the file."""
        file = BytesIO()
        kept: dict[str, Any] = {name: value.astype(np.float16) for name, value in self._learned._asdict().items()}
        names = [(tool, argument) for tool, arguments in self._tools.items() for argument in arguments]
        np.savez_compressed(file, arguments=np.array(names), **kept)
        return file.getvalue()

    def arguments(self) -> Mapping[str, Sequence[str]]:
        """The names of the arguments of all tools that something is known about."""
        return self._tools

    def passages(self, encoded: Encoded) -> "Passages":
        """The texts that stand in a request, for any tool."""
        begins, ends = boundaries(encoded)
        return Passages(self._learned, self._rows, encoded, (begins, ends))


class Passages:
    """The texts of a request, and the features of their beginnings, their ends and what lies within."""

    def __init__(
        self,
        learned: Learned,
        rows: Mapping[str, Mapping[str, int]],
        request: Encoded,
        found: tuple[Sequence[Boundary], Sequence[Boundary]],
    ) -> None:
        self._learned, self._rows, self._text, (self._begins, self._ends) = learned, rows, request.text, found
        states = np.asarray(request.states, np.float32)
        tokens = ((states - learned.means) / learned.spreads) @ learned.down.T + learned.down_shift
        at_begin = beside(tokens, BEFORE) @ learned.begin.T + learned.begin_shift
        at_end = beside(tokens, BEHIND) @ learned.end.T + learned.end_shift
        self._begin = at_begin[tokens_of(self._begins)] + kinds_told(self._begins, learned.begin_kinds)
        self._end = at_end[tokens_of(self._ends)] + kinds_told(self._ends, learned.end_kinds)
        self._inside = tokens @ learned.inside.T + learned.inside_shift
        self._there = there(self._begins, self._ends)
        self._pairs = learned.pairs[pairs_of(self._begins, self._ends)]

    def of(self, tool: str) -> list[SaidText]:
        """What may be arguments of a tool, the likeliest of each first."""
        if not self._there.any():
            return []
        return [said for name, row in self._rows.get(tool, {}).items() for said in self._said(name, row)]

    def _said(self, name: str, row: int) -> Iterator[SaidText]:
        shares = self._shares(row)
        for at in np.argsort(shares, axis=None)[: -_TOLD - 1 : -1]:
            begin, end = divmod(int(at), len(self._ends))
            if shares[begin, end] >= _LEAST:
                first, last = self._begins[begin].place, self._ends[end].place
                yield SaidText(name, float(shares[begin, end]), self._text[first:last], first)

    def _shares(self, row: int) -> Floats:
        """How likely each text is that argument: rows are beginnings, columns ends (softmax, with that it is none)."""
        begin, end, inside = self._learned.places[row] * nearness(self._learned.places.shape[2])
        within = np.concatenate([np.zeros(1, np.float32), np.cumsum(self._inside @ inside)]) * WITHIN
        until, since = within[tokens_of(self._ends) + 1], within[tokens_of(self._begins)]
        scores = (self._begin @ begin - since)[:, None] + (self._end @ end + until)[None] + self._pairs
        scores = np.where(self._there, scores, -np.inf)
        most = max(float(scores.max()), float(self._learned.nowhere[row]))
        raised = np.exp(scores - most)
        shares: Floats = raised / (raised.sum() + np.exp(self._learned.nowhere[row] - most))
        return shares


def beside(tokens: Floats, places: Sequence[int]) -> Floats:
    """Of each token those at places beside it, one after the other; zeros where there are none."""
    most = max(map(abs, places))
    padded = np.pad(tokens, ((most, most), (0, 0)))
    return np.concatenate([padded[most + place : most + place + len(tokens)] for place in places], axis=1)


def tokens_of(found: Sequence[Boundary]) -> NDArray[np.intp]:
    """The tokens of boundaries."""
    return np.array([one.token for one in found], np.intp)


def kinds_told(found: Sequence[Boundary], told: Floats) -> Floats:
    """What the characters beside boundaries tell."""
    kinds = np.array([one.kinds for one in found], np.intp).reshape(-1, 3)
    return sum((told[place][kinds[:, place]] for place in range(3)), np.zeros((len(found), told.shape[2]), np.float32))


def there(begins: Sequence[Boundary], ends: Sequence[Boundary]) -> NDArray[np.bool_]:
    """Which beginnings and ends have a text between them."""
    return np.array([one.place for one in begins])[:, None] < np.array([one.place for one in ends])[None]


def pairs_of(begins: Sequence[Boundary], ends: Sequence[Boundary]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The kinds of the characters before and behind each text."""
    before = np.array([one.kinds[1] for one in begins], np.intp)[:, None]
    behind = np.array([one.kinds[1] for one in ends], np.intp)[None]
    return before, behind


def _rows(tools: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, dict[str, int]]]:
    first = 0
    for tool, names in tools.items():
        yield tool, {name: first + place for place, name in enumerate(names)}
        first += len(names)
