"""Finds the example requests most similar to a request; they show the model how to fill in a tool's arguments."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import itemgetter

from retinue.language.text_features import features

Example = tuple[str, str]
"""A request and its arguments as JSON."""


def likenesses(request: str, examples: Iterable[Example]) -> list[tuple[Example, float]]:
    """Return the examples with their similarity to the request (a weighted Jaccard index), the most similar last."""
    memory, request_features = _memory(tuple(examples)), features(request)
    found = ((example, memory.likeness(request_features, own)) for example, own in memory.features.items())
    return sorted(found, key=itemgetter(1))


@dataclass(frozen=True, slots=True)
class _ExampleFeatures:
    """The features of a tool's examples, and the inverse document frequency of each feature."""

    features: Mapping[Example, set[str]]
    rarity: Mapping[str, float]

    def likeness(self, first: set[str], second: set[str]) -> float:
        return self._weight(first & second) / (self._weight(first | second) or 1.0)

    def _weight(self, some: Iterable[str]) -> float:
        most = math.log(len(self.features) + 1)
        return sum(self.rarity.get(one, most) for one in some)


@lru_cache(256)
def _memory(examples: tuple[Example, ...]) -> _ExampleFeatures:
    found = {one: features(one[0]) for one in examples}
    counts = Counter(chain.from_iterable(found.values()))
    return _ExampleFeatures(found, {one: math.log((len(found) + 1) / count) for one, count in counts.items()})
