"""Which tool a request means, learned from requests: multinomial naive Bayes (McCallum and Nigam, 1998).

Each tool is a class, and one more is for requests that need none. All classes are thought equally likely beforehand.
"""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean, pstdev
from typing import Any, NamedTuple, Self

from retinue.tools.phrases import features
from retinue.tools.postings import packed, parts, unpacked

_SMOOTHING = 0.1
"""What is added to every count: less than the usual 1, since most tools never see most words."""

_LISTS = (("H", "classes"), ("f", "gains"))


class Feature(NamedTuple):
    """The classes that have a feature, and what it adds to the logarithm of the likelihood of each."""

    classes: "array[int]"
    gains: "array[float]"


class Intents:
    """Scores requests. Built once, then only read."""

    def __init__(self, features: Mapping[str, Feature], costs: "array[float]") -> None:
        """`costs` is for each class what every feature of a request takes away; the last one is for no tool."""
        self._features = features
        self._costs = costs

    @classmethod
    def of(cls, requests: Sequence[Iterable[str]], talk: Iterable[str] = ()) -> Self:
        """Learn from the requests of each tool, and from those that need none."""
        counts = [Counter(chain.from_iterable(map(features, asked))) for asked in (*requests, talk)]
        seen = Counter(chain.from_iterable(counts))
        telling = {one for one, classes in seen.items() if classes > 1 or " " not in one}
        learned = {one: Feature(array("H"), array("f")) for one in sorted(telling)}
        for number, count in enumerate(counts):
            for one in telling & count.keys():
                learned[one].classes.append(number)
                learned[one].gains.append(math.log1p(count[one] / _SMOOTHING))
        smoothing = _SMOOTHING * len(telling) or 1.0
        totals = (sum(count[one] for one in telling & count.keys()) for count in counts)
        return cls(learned, array("f", (math.log(total + smoothing) for total in totals)))

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> Self:
        """The intents that `stored` gave. Raises `LookupError`, `TypeError` or `ValueError` for anything else."""
        classes, gains = (parts(unpacked(code, stored[name]), stored["counts"]) for code, name in _LISTS)
        learned = dict(zip(stored["features"], map(Feature, classes, gains), strict=True))
        return cls(learned, unpacked("f", stored["costs"]))

    def stored(self) -> dict[str, Any]:
        """The intents as JSON can hold them."""
        found = self._features.values()
        return {
            "features": list(self._features),
            "counts": [len(one.classes) for one in found],
            "classes": packed("H", chain.from_iterable(one.classes for one in found)),
            "gains": packed("f", chain.from_iterable(one.gains for one in found)),
            "costs": packed("f", self._costs),
        }

    def likelihoods(self, request: str) -> tuple[list[float], float]:
        """How likely each tool is meant, and how likely none: in standard deviations above the mean tool."""
        found = [self._features[one] for one in features(request) if one in self._features]
        scores = [-len(found) * cost for cost in self._costs]
        for classes, gains in found:
            for number, gain in zip(classes, gains, strict=True):
                scores[number] += gain
        *tools, talk = scores
        mean, deviation = fmean(tools or [0.0]), pstdev(tools or [0.0]) or 1.0
        return [(score - mean) / deviation for score in tools], (talk - mean) / deviation
