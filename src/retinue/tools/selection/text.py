"""What the words of one text say: how well they fit each tool, and whether a tool is needed at all."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

from retinue.core.text_features import features
from retinue.tools.selection.index import Index
from retinue.tools.selection.intents import Intents
from retinue.tools.selection.need import Need

UNKNOWN = 40
"""A tool that was not learned counts as likely as the one in this place, so that its words decide."""
_SEARCH_SHARE = 0.4
"""What the score of the search adds to the likelihood by example requests. Measured: docs/decisions/0015."""
_MISSING_SHARE = 0.85
"""A text means what no tool does where that fits at least this share as well as the best tool. In the labelled searches
of the tests and the `use_when` of all tools it fits 0.74 as well at most where a tool is right, and 0.93 at least where
none is.
"""
_ONE_WORD = 2
"""Features of a single word. It does not say what is asked: the search decides alone, and nothing is missing."""
_COMPETING_SHARE = 0.5
"""A tool outside the catalogue may do what is missing there where its words score at least this share of the best."""


@dataclass(frozen=True, slots=True)
class TextScores:
    """`fits` has a score for each tool, by its place in the catalogue. `found` are the scores of the search alone.

    `missing` is how well the best group of requests fits for which there is no tool. `need` is the log-odds that a tool
    is needed, before what was found counts.
    """

    fits: "array[float]"
    found: Mapping[int, float]
    missing: float
    need: float

    @property
    def best(self) -> float:
        """The best score of the search."""
        return max(self.found.values(), default=0.0)

    @property
    def usual(self) -> float:
        """How well a tool fits of which only the score of the search will be known, before that counts."""
        return nlargest(UNKNOWN, self.fits)[-1] if self.fits else 0.0

    @property
    def means_missing(self) -> bool:
        """Whether the text means what no tool of the catalogue does."""
        return self.missing > _MISSING_SHARE * max(self.fits, default=0.0)

    def competes(self, found: float) -> bool:
        """Whether a tool outside the catalogue with this score of the search may do what none in it does."""
        return found > 0 and found >= _COMPETING_SHARE * self.best


class Hit(NamedTuple):
    """A tool that a search found: the score of the search alone, and how well it fits."""

    name: str
    found: float
    fit: float


def hit_by_text(name: str, found: float, usual: float) -> Hit:
    """A hit of which only the score of the search is known."""
    return Hit(name, found, usual + _SEARCH_SHARE * found)


class TextScorer:
    """Scores texts for the tools of a catalogue. Costs about 4 ms a text."""

    def __init__(self, size: int, index: Index, intents: Intents, need: Need) -> None:
        """`index` and `intents` have `size` tools first, then the groups of requests for which there is no tool."""
        self._size, self._index, self._intents, self._need = size, index, intents, need

    def scores(self, text: str) -> TextScores:
        """The scores of a text."""
        marks = features(text)
        one_word = len(marks) <= _ONE_WORD and text.isascii()  # languages without spaces have whole sentences in one
        likelihoods, _ = self._intents.likelihoods_of(() if one_word else marks)
        found = dict(self._index.rank(text))
        fits = array("d", likelihoods)
        for place, score in found.items():
            fits[place] += _SEARCH_SHARE * score
        lacking = (fits[place] for place in found if place >= self._size)
        missing = 0.0 if one_word else max(lacking, default=0.0)
        of_tools = {place: score for place, score in found.items() if place < self._size}
        return TextScores(fits[: self._size], of_tools, missing, self._need.of_request(marks))
