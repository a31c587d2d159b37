"""Score the words of one text: how well they match each tool, and whether a tool is needed at all."""

import re
from array import array
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from heapq import nlargest
from math import inf
from typing import NamedTuple

from retinue.language.text_features import features
from retinue.tools.selection.index import Index
from retinue.tools.selection.intents import IntentClassifier
from retinue.tools.selection.tool_need import ToolNeedClassifier

UNKNOWN = 40
"""A tool that was not learned is as likely as the one in this place, so that its words decide."""
_SEARCH_SHARE = 0.4
"""Weight of the text score beside the likelihood by example requests. Measured: docs/decisions/0015."""
_MISSING_SHARE = 0.85
"""A text means a missing tool if its score for one is at least this share of the best tool's.

In the labelled searches of the tests and the `use_when` of all tools, that share is at most 0.74 if a tool is right,
and at least 0.93 if none is.
"""
_ONE_WORD = 2
"""Number of features of a single word. One word does not express a request: the text score alone decides, and only the
words in `missing.txt` that are a request of their own count as missing.
"""
_WEAK_TEXT, _WEAK_FIT = 8.8, 8.0
"""A search in plain words finds nothing if the best text score and the best total score are both below these."""
_PLAIN = re.compile(r"[A-Za-z][a-z',?!-]*+(?:\s++[A-Za-z][a-z',?!-]*+)*+")
"""Words without data: numbers, codes and addresses match no words of a tool."""
_COMPETING_SHARE = 0.5
"""Minimum text score, as a share of the best, of a tool outside the catalogue that may serve a request the catalogue
cannot.
"""


@dataclass(frozen=True, slots=True)
class TextScores:
    """`fits` has a score for each tool, by its place in the catalogue. `found` are the text scores alone.

    `missing` is the score of the best group of requests without a tool. `need` is the log-odds that a tool is needed,
    before the text score is added. `plain` is True if the text consists of several words without data.
    """

    fits: "array[float]"
    found: Mapping[int, float]
    missing: float
    need: float
    plain: bool

    @property
    def best(self) -> float:
        """The best text score."""
        return max(self.found.values(), default=0.0)

    @property
    def usual(self) -> float:
        """The base score of a tool of which only the text score is known."""
        return nlargest(UNKNOWN, self.fits)[-1] if self.fits else 0.0

    @property
    def means_missing(self) -> bool:
        """True if the text means something that no tool of the catalogue does."""
        return self.missing > _MISSING_SHARE * max(self.fits, default=0.0)

    @property
    def is_weak(self) -> bool:
        """True if no tool of the catalogue matches well enough to be the result of a search."""
        return self.plain and self.best < _WEAK_TEXT and max(self.fits, default=0.0) < _WEAK_FIT

    def competes(self, found: float) -> bool:
        """Return whether a tool outside the catalogue with this text score may do what no tool in it does."""
        return found > 0 and found >= _COMPETING_SHARE * self.best


class Hit(NamedTuple):
    """A tool that a search found: its text score, and its total score."""

    name: str
    found: float
    fit: float


def hit_by_text(name: str, found: float, usual: float) -> Hit:
    """Return a hit of which only the text score is known."""
    return Hit(name, found, usual + _SEARCH_SHARE * found)


class TextScorer:
    """Scores texts for the tools of a catalogue, in about 4 ms per text."""

    def __init__(
        self,
        size: int,
        index: Index,
        intents: IntentClassifier,
        need: ToolNeedClassifier,
        missing_words: Collection[str] = (),
    ) -> None:
        """`index` and `intents` have `size` tools first, then the groups of requests without a tool. `missing_words`
        are those requests that are a single word, in lower case.
        """
        self._size, self._index, self._intents, self._need = size, index, intents, need
        self._missing_words = frozenset(missing_words)

    def scores(self, text: str) -> TextScores:
        """Return the scores of a text."""
        marks = features(text)
        # in languages without spaces, a whole sentence is one word
        one_word = len(marks) <= _ONE_WORD and text.isascii()
        plain = not one_word and _PLAIN.fullmatch(text) is not None
        likelihoods, _ = self._intents.likelihoods_of(() if one_word else marks)
        found = dict(self._index.rank(text))
        fits = array("d", likelihoods)
        for place, score in found.items():
            fits[place] += _SEARCH_SHARE * score
        of_tools = {place: score for place, score in found.items() if place < self._size}
        if one_word:
            missing = inf if text.strip().lower() in self._missing_words else 0.0
        else:
            missing = max((fits[place] for place in found if place >= self._size), default=0.0)
        return TextScores(fits[: self._size], of_tools, missing, self._need.of_request(marks), plain)
