"""Which tool a request means, learned from requests: multinomial naive Bayes (McCallum and Nigam, 1998).

Each tool is a class, and one more is for requests that need none; a tool of many uses is several classes, and as likely
as the likeliest of them. All classes are thought equally likely beforehand.
"""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from statistics import fmean, pstdev
from typing import Any, NamedTuple, Self

from rapidfuzz import process
from rapidfuzz.distance import OSA

from retinue.tools.phrases import features
from retinue.tools.postings import packed, parts, unpacked

_SMOOTHING = 0.1
"""What is added to every count: less than the usual 1, since most tools never see most words."""

_LONG, _MOST_MENDED = 5, 3
"""Letters of the words that are mended, and how many of a request's words are."""

_CLASS = 8
"""Requests of a tool that are one class. More of them stand together by their use."""

_LISTS = (("H", "classes"), ("f", "gains"))


class Feature(NamedTuple):
    """The classes that have a feature, and what it adds to the logarithm of the likelihood of each."""

    classes: "array[int]"
    gains: "array[float]"


class Intents:
    """Scores requests. Built once, then only read."""

    def __init__(self, features: Mapping[str, Feature], costs: "array[float]", tools: "array[int]") -> None:
        """`costs` is for each class what every feature of a request takes away; the last one is for no tool. `tools` is
        for each of the others the number of its tool.
        """
        self._features = features
        self._costs = costs
        self._tools = tools
        self._words = [one for one in features if one.isalpha()]

    @classmethod
    def of(cls, requests: Sequence[Iterable[str]], talk: Iterable[str] = ()) -> Self:
        """Learn from the requests of each tool, and from those that need none."""
        classes = [(number, some) for number, asked in enumerate(requests) for some in _batched(list(asked))]
        counts = [
            Counter(chain.from_iterable(map(features, asked))) for asked in (*(some for _, some in classes), talk)
        ]
        seen = Counter(chain.from_iterable(counts))
        telling = {one for one, places in seen.items() if places > 1 or " " not in one}
        learned = {one: Feature(array("H"), array("f")) for one in sorted(telling)}
        for number, count in enumerate(counts):
            for one in telling & count.keys():
                learned[one].classes.append(number)
                learned[one].gains.append(math.log1p(count[one] / _SMOOTHING))
        smoothing = _SMOOTHING * len(telling) or 1.0
        totals = (sum(count[one] for one in telling & count.keys()) for count in counts)
        costs = array("f", (math.log(total + smoothing) for total in totals))
        return cls(learned, costs, array("H", (number for number, _ in classes)))

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> Self:
        """The intents that `stored` gave. Raises `LookupError`, `TypeError` or `ValueError` for anything else."""
        classes, gains = (parts(unpacked(code, stored[name]), stored["counts"]) for code, name in _LISTS)
        learned = dict(zip(stored["features"], map(Feature, classes, gains), strict=True))
        return cls(learned, unpacked("f", stored["costs"]), unpacked("H", stored["tools"]))

    def stored(self) -> dict[str, Any]:
        """The intents as JSON can hold them."""
        found = self._features.values()
        return {
            "features": list(self._features),
            "counts": [len(one.classes) for one in found],
            "classes": packed("H", chain.from_iterable(one.classes for one in found)),
            "gains": packed("f", chain.from_iterable(one.gains for one in found)),
            "costs": packed("f", self._costs),
            "tools": packed("H", self._tools),
        }

    def likelihoods(self, request: str) -> tuple[list[float], float]:
        """How likely each tool is meant, and how likely none: in standard deviations above the mean tool."""
        *of_tools, talk = self._scores(sorted(features(request)))
        best: dict[int, float] = {}
        for number, score in zip(self._tools, of_tools, strict=True):
            best[number] = max(score, best.get(number, score))
        tools = [best[number] for number in sorted(best)]
        mean, deviation = fmean(tools or [0.0]), pstdev(tools or [0.0]) or 1.0
        return [(score - mean) / deviation for score in tools], (talk - mean) / deviation

    def _scores(self, asked: Sequence[str]) -> list[float]:
        """The logarithm of each class's likelihood, but for what is the same for all."""
        strange = (one for one in asked if one not in self._features and len(one) >= _LONG and one.isalpha())
        mended = map(self._mended, islice(strange, _MOST_MENDED))
        found = [self._features[one] for one in dict.fromkeys([*asked, *mended]) if one in self._features]
        scores = [-len(found) * cost for cost in self._costs]
        for classes, gains in found:
            for number, gain in zip(classes, gains, strict=True):
                scores[number] += gain
        return scores

    def _mended(self, word: str) -> str:
        """The known word that a word is, but for a typing error; empty where there is none."""
        alike = (one for one in self._words if abs(len(one) - len(word)) <= 1)
        found = process.extractOne(word, alike, scorer=OSA.distance, score_cutoff=1)
        return found[0] if found else ""


def _batched(requests: Sequence[str]) -> list[Sequence[str]]:
    """Requests by as many as are one class; what would be left over goes to the last ones."""
    number = max(len(requests) // _CLASS, 1)
    return [requests[place * _CLASS : (place + 1) * _CLASS if place < number - 1 else None] for place in range(number)]
