"""Learn from requests which tool a request means: multinomial naive Bayes (McCallum and Nigam, 1998).

Each tool is a class, and one more class is for requests that need none. The prior is uniform.
"""

import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import Self, TypedDict

from rapidfuzz import process
from rapidfuzz.distance import OSA

from retinue.language.text_features import features
from retinue.tools.selection.inverted_index import pack, unpack

_SMOOTHING = 0.2
"""Added to every count: less than the usual 1, since most tools never see most words."""

_LONG, _MOST_MENDED = 5, 2
"""Minimum letters of a word to correct, and the maximum number of corrected words per request."""


class StoredGains(TypedDict):
    """Gains as JSON values. `classes` and `gains` are arrays in base 64."""

    features: list[str]
    counts: list[int]
    classes: str
    gains: str


class StoredIntents(TypedDict):
    """Intents as JSON values. `costs` is an array in base 64."""

    gains: StoredGains
    costs: str


class FeatureGains:
    """For each feature, the classes that have it and its contribution to the log-likelihood of each.

    Two arrays hold them all: an object for each feature would take ten times the memory.
    """

    def __init__(
        self, features: Iterable[str], counts: Iterable[int], classes: "array[int]", gains: "array[float]"
    ) -> None:
        """`counts` are the number of classes of each feature; `classes` and `gains` are in the same order,
        concatenated.
        """
        self._places = {one: place for place, one in enumerate(features)}
        self._ends = array("I", accumulate(counts, initial=0))
        self._classes, self._gains = classes, gains

    @classmethod
    def of(cls, counts: Sequence[Mapping[str, int]], features: Iterable[str]) -> Self:
        """Compute the gains of `features` from their counts in the requests of each class."""
        learned: dict[str, list[tuple[int, float]]] = {one: [] for one in sorted(features)}
        for number, count in enumerate(counts):
            for one in learned.keys() & count.keys():
                learned[one].append((number, math.log1p(count[one] / _SMOOTHING)))
        pairs = [*chain.from_iterable(learned.values())]
        classes, gains = array("H", (number for number, _ in pairs)), array("f", (gain for _, gain in pairs))
        return cls(learned, map(len, learned.values()), classes, gains)

    @classmethod
    def restore(cls, stored: StoredGains) -> Self:
        """Restore gains from the result of `store`. Raises `LookupError`, `TypeError` or `ValueError` for anything
        else.
        """
        return cls(stored["features"], stored["counts"], unpack("H", stored["classes"]), unpack("f", stored["gains"]))

    def store(self) -> StoredGains:
        """Return the gains as JSON values."""
        return {
            "features": list(self._places),
            "counts": [end - start for start, end in pairwise(self._ends)],
            "classes": pack("H", self._classes),
            "gains": pack("f", self._gains),
        }

    def __contains__(self, feature: str) -> bool:
        return feature in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def of_classes(self, feature: str) -> Iterator[tuple[int, float]]:
        """Yield each class that has a feature, with the feature's gain."""
        place = self._places[feature]
        span = slice(self._ends[place], self._ends[place + 1])
        return zip(self._classes[span], self._gains[span], strict=True)


class IntentClassifier:
    """Scores requests. Built once, then read-only."""

    def __init__(self, gains: FeatureGains, costs: "array[float]") -> None:
        """`costs` is, for each class, what every feature of a request subtracts; the last class is no tool."""
        self._gains = gains
        self._costs = costs
        self._words: dict[int, list[str]] = {}
        for one in gains:
            if one.isalpha():
                self._words.setdefault(len(one), []).append(one)

    @classmethod
    def of(cls, requests: Sequence[Iterable[Collection[str]]], talk: Iterable[Collection[str]] = ()) -> Self:
        """Learn from the features of the requests of each tool, and of requests that need no tool."""
        counts = [Counter(chain.from_iterable(features)) for features in (*requests, talk)]
        seen = Counter(chain.from_iterable(counts))
        informative = {one for one, places in seen.items() if places > 1 or " " not in one}
        smoothing = _SMOOTHING * len(informative) or 1.0
        totals = (sum(count[one] for one in informative & count.keys()) for count in counts)
        costs = array("f", (math.log(total + smoothing) for total in totals))
        return cls(FeatureGains.of(counts, informative), costs)

    @classmethod
    def restore(cls, stored: StoredIntents) -> Self:
        """Restore intents from the result of `store`. Raises `LookupError`, `TypeError` or `ValueError` for anything
        else.
        """
        return cls(FeatureGains.restore(stored["gains"]), unpack("f", stored["costs"]))

    def store(self) -> StoredIntents:
        """Return the intents as JSON values."""
        return {"gains": self._gains.store(), "costs": pack("f", self._costs)}

    def likelihoods(self, request: str) -> tuple[list[float], float]:
        """Return the likelihood of each tool, and of no tool, in standard deviations above the mean tool."""
        return self.likelihoods_of(features(request))

    def likelihoods_of(self, marks: Iterable[str]) -> tuple[list[float], float]:
        """Like `likelihoods`, for the features of a request."""
        *tools, talk = self._scores(sorted(marks))
        mean = sum(tools) / (len(tools) or 1)
        deviation = math.sqrt(sum((score - mean) ** 2 for score in tools) / (len(tools) or 1)) or 1.0
        return [(score - mean) / deviation for score in tools], (talk - mean) / deviation

    def _scores(self, features: Sequence[str]) -> list[float]:
        """Return the log-likelihood of each class, up to a constant common to all."""
        unknown = (one for one in features if one not in self._gains and len(one) >= _LONG and one.isalpha())
        mended = map(self._correct_typo, islice(unknown, _MOST_MENDED))
        found = [one for one in dict.fromkeys([*features, *mended]) if one in self._gains]
        scores = [-len(found) * cost for cost in self._costs]
        for one in found:
            for number, gain in self._gains.of_classes(one):
                scores[number] += gain
        return scores

    def _correct_typo(self, word: str) -> str:
        """Return the known word closest to a misspelt one; empty if there is none."""
        alike = [one for length in (len(word) - 1, len(word), len(word) + 1) for one in self._words.get(length, ())]
        found = process.extractOne(word, alike, scorer=OSA.distance, score_cutoff=1)
        return found[0] if found else ""
