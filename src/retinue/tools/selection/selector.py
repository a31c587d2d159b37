"""Rank the tools that a conversation needs: text search and example requests, combined with the embedding
classifier.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import exp, inf, log1p
from operator import itemgetter
from typing import NamedTuple

from retinue.tools.selection.text import UNKNOWN, TextScores, hit_by_text

Likelihoods = Mapping[str, float]
"""Log-likelihoods of a text by tool name; the empty name stands for no tool."""

_TEXT_SHARE = 0.5
"""Weight of the text scores beside the classifier's likelihoods."""
_FOUND_SHARE, _LEAST_NEED = 0.1, 3.0
"""Contribution of the best text score to the log-odds that a tool is needed, and the minimum log-odds."""
_CLASSIFIER_BONUS = 1.0
_EARLIER_MOST = 4.0
"""Maximum evidence that an earlier message adds or subtracts: the last one decides."""
_RANKED = 200
"""Number of tools in a ranking: many more than a model is offered, so that enough are left after removing those a run
may not use.
"""


class Query(NamedTuple):
    """A message of a conversation: its text, its weight, and the classifier's likelihoods, if any."""

    text: str
    weight: float = 1.0
    likelihoods: Likelihoods | None = None

    def with_successors(self, successors: Mapping[str, str]) -> "Query":
        """Return the query with the likelihoods of old names added to those of the tools in their place.

        The classifier may have been trained before a name became old.
        """
        if self.likelihoods is None or self.likelihoods.keys().isdisjoint(successors):
            return self
        resolved = dict(self.likelihoods)
        for old, new in successors.items():
            if (score := resolved.pop(old, None)) is not None:
                resolved[new] = _log_of_sum(score, resolved[new]) if new in resolved else score
        return self._replace(likelihoods=resolved)


class ScoredQuery(NamedTuple):
    """A query with its text scores. `own` are the scores of tools outside the catalogue, by name."""

    query: Query
    scores: TextScores
    own: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best tools with their scores, best first. A tool is needed if `evidence` is 0 or more."""

    tools: Sequence[tuple[str, float]]
    evidence: float


def rank(names: Sequence[str], parts: Sequence[ScoredQuery], least: float = -inf) -> Ranking:
    """Rank the tools of a catalogue for the parts of a conversation, the last message first.

    If the evidence that a tool is needed is below `least`, the ranking is empty.
    """
    first, *earlier = map(_evidence, parts)
    bounded = (max(-_EARLIER_MOST, min(_EARLIER_MOST, one)) for one in earlier)
    carried = (part.query.weight * one for part, one in zip(parts[1:], bounded, strict=True))
    evidence = first + sum(carried)
    return Ranking(_rank_tools(names, parts) if evidence >= least else (), evidence)


def _rank_tools(names: Sequence[str], parts: Sequence[ScoredQuery]) -> list[tuple[str, float]]:
    """Return the best tools for the parts of a conversation."""
    total = [0.0] * len(names)
    others: dict[str, float] = {}
    for part in parts:
        fits, other = _fits(names, part)
        weight = part.query.weight
        total = [score + weight * fit for score, fit in zip(total, fits, strict=True)]
        for name, fit in other.items():
            others[name] = others.get(name, 0.0) + weight * fit
    return _best([*names, *others], [*total, *others.values()])


def _best(names: Sequence[str], scores: Sequence[float]) -> list[tuple[str, float]]:
    """Return the names with the highest scores, best first. Finding the lowest of these scores first is faster: bare
    numbers sort fast.
    """
    floor = sorted(scores, reverse=True)[:_RANKED][-1] if scores else 0.0
    best = [(name, score) for name, score in zip(names, scores, strict=True) if score >= floor]
    return sorted(best, key=itemgetter(1), reverse=True)[:_RANKED]


def _fits(names: Sequence[str], part: ScoredQuery) -> tuple[Sequence[float], Mapping[str, float]]:
    """Return how well a message matches each tool of the catalogue, and each other tool."""
    usual = part.scores.usual if part.own else 0.0
    own = {name: hit_by_text(name, score, usual).fit for name, score in part.own.items()}
    if (known := part.query.likelihoods) is None:
        return part.scores.fits, own
    nothing = known.get("", 0.0)
    floor = nlargest(UNKNOWN, known.values())[-1] - nothing
    fits = [
        (known[name] - nothing if name in known else floor) + _TEXT_SHARE * fit
        for name, fit in zip(names, part.scores.fits, strict=True)
    ]
    return fits, {name: floor + _TEXT_SHARE * fit for name, fit in own.items()}


def _log_of_sum(first: float, second: float) -> float:
    """Return the logarithm of the sum of two numbers, from their logarithms."""
    return max(first, second) + log1p(exp(-abs(first - second)))


def _evidence(part: ScoredQuery) -> float:
    """Return the evidence that a message needs a tool; a message that means a missing tool needs none.

    The classifier does not know tools outside the catalogue, so it is ignored if one of them matches best.
    """
    own = max(part.own.values(), default=0.0)
    if part.scores.means_missing and not part.scores.competes(own):
        return -_EARLIER_MOST
    by_text = part.scores.need + _FOUND_SHARE * max(part.scores.best, own) - _LEAST_NEED
    if part.query.likelihoods is None or own > part.scores.best:
        return by_text
    likeliest = max((score for name, score in part.query.likelihoods.items() if name), default=0.0)
    return by_text + likeliest - part.query.likelihoods.get("", 0.0) + _CLASSIFIER_BONUS
