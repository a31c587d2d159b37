"""What the words of one text say: how well they fit each tool, and whether a tool is needed at all."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

from retinue.core.phrases import features
from retinue.tools.selection.index import Index
from retinue.tools.selection.intents import Intents
from retinue.tools.selection.need import Need

UNKNOWN = 40
"""A tool that was not learned counts as likely as the one in this place, so that its words decide."""
_SEARCH_SHARE = 0.4
"""What the score of the search adds to the likelihood by example requests. Measured: docs/decisions/0013."""


@dataclass(frozen=True, slots=True)
class TextScores:
    """`fits` has a score for each tool, by its place in the catalogue. `found` are the scores of the search alone.

    `need` is the log-odds that a tool is needed, before what was found counts.
    """

    fits: "array[float]"
    found: Mapping[int, float]
    need: float

    @property
    def best(self) -> float:
        """The best score of the search."""
        return max(self.found.values(), default=0.0)

    @property
    def usual(self) -> float:
        """How well a tool fits of which only the score of the search will be known, before that counts."""
        return nlargest(UNKNOWN, self.fits)[-1] if self.fits else 0.0


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

    def __init__(self, index: Index, intents: Intents, need: Need) -> None:
        self._index, self._intents, self._need = index, intents, need

    def scores(self, text: str) -> TextScores:
        """The scores of a text."""
        marks = features(text)
        likelihoods, _ = self._intents.likelihoods_of(marks)
        found = dict(self._index.rank(text))
        fits = array("d", likelihoods)
        for place, score in found.items():
            fits[place] += _SEARCH_SHARE * score
        return TextScores(fits, found, self._need.of_request(marks))
