"""What a search finds, best first, and whether anything fits at all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

_RELEVANT, _HARDLY_WORSE = 0.25, 0.33
"""A tool is among the results of a search when its words fit at least this share as well as those that fit best, or
when it fits at least that share as well as the best.
"""
_MISSING_SHARE = 0.75
"""Nothing is found where a missing tool would fit at least this share as well as the best. Where a tool is right that
is 0.46 at most, in the labelled searches of the tests and the `use_when` of all tools.
"""
_DECIMALS = 3


class Hit(NamedTuple):
    """A tool of a search: how well it fits, None where nothing was searched for, and how well its words alone fit."""

    name: str
    score: float | None
    words: float = 0.0


@dataclass(frozen=True)
class Ranking:
    """The tools that share a word with a search. `missing` is how well the best tool would fit that does not exist."""

    hits: Sequence[Hit]
    missing: float = 0.0

    @classmethod
    def of(cls, hits: Iterable[Hit]) -> Self:
        """One of hits; those without a name stand for tools that do not exist."""
        every = list(hits)
        missing = max((_score_of(hit) for hit in every if not hit.name), default=0.0)
        return cls([hit for hit in every if hit.name], missing)

    def with_words_only(self, scored: Iterable[tuple[str, float]]) -> "Ranking":
        """With tools of which nothing but the words is known: they are as likely as the best one, by their words."""
        best = max(self.hits, key=_score_of, default=None)
        worth = _score_of(best) / best.words if best and best.words else 1.0
        return Ranking([*self.hits, *(Hit(name, worth * words, words) for name, words in scored)], self.missing)

    def relevant(self, search: str) -> list[Hit]:
        """The tools worth showing, best first; none where a missing one fits best. An exact name stands first."""
        exact = search.strip().lower()
        best = max(map(_score_of, self.hits), default=0.0)
        if self.missing > _MISSING_SHARE * best:
            return [hit for hit in self.hits if hit.name == exact]
        floor = max((hit.words for hit in self.hits), default=0.0) * _RELEVANT
        shown = [hit for hit in self.hits if hit.words >= floor or _score_of(hit) >= _HARDLY_WORSE * best]
        shown.sort(key=lambda hit: (hit.name != exact, -_score_of(hit), hit.name))
        return [hit._replace(score=round(max(_score_of(hit), 0.0), _DECIMALS)) for hit in shown]


def unranked(names: Iterable[str]) -> list[Hit]:
    """Tools of a list that nobody searched."""
    return [Hit(name, None) for name in names]


def _score_of(hit: Hit) -> float:
    return hit.score or 0.0
