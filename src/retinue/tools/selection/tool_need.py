"""Decide whether a request needs any tool: naive Bayes with two classes, learned from example requests and small
talk.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Self, TypedDict

from retinue.tools.selection.inverted_index import pack, unpack

_SMOOTHING = 0.5
_OFTEN = 2
"""Features that occur less often are ignored."""


class StoredNeed(TypedDict):
    """The log-odds as JSON values. `odds` is an array in base 64."""

    features: list[str]
    odds: str


class ToolNeedClassifier:
    """The log-odds of each feature, above 0 if it indicates a tool. Built once, then read-only."""

    def __init__(self, odds: Mapping[str, float]) -> None:
        self._odds = odds

    @classmethod
    def of(cls, requests: Iterable[Iterable[str]], talk: Iterable[Iterable[str]]) -> Self:
        """Learn from the features of requests that need a tool, and of `talk`, which needs none."""
        positives, negatives = list(requests), list(talk)
        if not positives or not negatives:
            return cls({})
        positive, negative = Counter(chain.from_iterable(positives)), Counter(chain.from_iterable(negatives))
        share = len(positives) / len(negatives)
        return cls(
            {
                one: math.log((positive[one] + _SMOOTHING * share) / (negative[one] + _SMOOTHING) / share)
                for one in sorted(positive.keys() | negative.keys())
                if positive[one] + negative[one] >= _OFTEN
            }
        )

    @classmethod
    def restore(cls, stored: StoredNeed) -> Self:
        """Restore from the result of `store`. Raises `LookupError`, `TypeError` or `ValueError` for anything else."""
        return cls(dict(zip(stored["features"], unpack("f", stored["odds"]), strict=True)))

    def store(self) -> StoredNeed:
        """Return the log-odds as JSON values."""
        return {"features": list(self._odds), "odds": pack("f", self._odds.values())}

    def of_request(self, features: Iterable[str]) -> float:
        """Return the log-odds that a request with these features needs a tool."""
        return sum(self._odds.get(one, 0.0) for one in sorted(features))
