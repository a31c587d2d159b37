"""Compute vectors of texts without a model: texts with similar words and spellings have similar vectors.

Each word is a sparse random projection of its letter trigrams and of itself (Li, Hastie and Church, Very Sparse
Random Projections, 2006). A hash replaces the random numbers, so that the same text has the same vector everywhere.
The similarity is lexical: it tolerates inflection, spelling and word order, and does not recognize synonyms.
"""

import hashlib
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from retinue.workspace.words import count_words

VECTORS_VERSION = "1"
"""The version of `embed`. Raise it if it returns other vectors: servers then index all stored texts again."""

DIMENSIONS = 256
_FORMAT = struct.Struct(f"<{DIMENSIONS}f")


@dataclass(frozen=True, slots=True)
class Embedding:
    """A vector of length 1, and the signs of its components as bits."""

    vector: bytes
    signature: bytes

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.vector) + len(self.signature)


def embed(text: str) -> Embedding | None:
    """Return the vector of a text; None for a text without words."""
    total = [0.0] * DIMENSIONS
    for word, times in count_words(text).items():
        weight = (1 + math.log(times)) * min(len(word), 8) / 8
        for place, amount in _features(word):
            total[place] += weight * amount
    length = math.sqrt(sum(number * number for number in total))
    if not length:
        return None
    bits = sum(1 << place for place, number in enumerate(total) if number > 0)
    return Embedding(_FORMAT.pack(*(number / length for number in total)), bits.to_bytes(DIMENSIONS // 8))


def cosine(one: bytes, other: bytes) -> float:
    """Return the similarity of two vectors, from -1 to 1."""
    return math.fsum(a * b for a, b in zip(_FORMAT.unpack(one), _FORMAT.unpack(other), strict=True))


def distance(one: bytes, other: bytes) -> int:
    """Return the number of bits in which two signatures differ, proportional to the angle between the vectors
    (Charikar, 2002).
    """
    return (int.from_bytes(one) ^ int.from_bytes(other)).bit_count()


@lru_cache(20_000)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """Return the positions and weights of a word's features: its trigrams together weigh as much as the whole word."""
    bounded = f"<{word}>"
    trigrams = [bounded[place : place + 3] for place in range(len(bounded) - 2)]
    share = 1 / math.sqrt(len(trigrams))
    return (*_project(bounded, 1.0), *(item for trigram in trigrams for item in _project(trigram, share)))


def _project(feature: str, weight: float) -> Iterator[tuple[int, float]]:
    digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
    for place, sign in zip(digest[:4], digest[4:], strict=True):
        yield place, weight if sign & 1 else -weight
