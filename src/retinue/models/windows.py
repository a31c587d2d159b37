"""The features of a number: the model's states of its tokens, and of those beside it."""

from collections.abc import Sequence

PARTS = 5
BESIDE = 3
"""How many tokens behind and before are features."""

Vector = Sequence[float]


def window(states: Sequence[Vector], first: int, last: int) -> list[float]:
    """Of a number whose tokens are `first` to `last`: the state of the last of them, which has read the others; those
    of the next two, and the means of three behind and of three before. What lies beyond the text is zero.
    """
    nothing = [0.0] * len(states[last])
    behind, before = states[last + 1 : last + 1 + BESIDE], states[max(0, first - BESIDE) : first]
    following = (*behind[:2], nothing, nothing)[:2]
    parts = (states[last], *following, _mean(behind) or nothing, _mean(before) or nothing)
    return [value for part in parts for value in part]


def _mean(vectors: Sequence[Vector]) -> list[float]:
    return [sum(axis) / len(vectors) for axis in zip(*vectors, strict=True)]
