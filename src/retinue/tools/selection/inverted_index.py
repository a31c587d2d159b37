"""Store the postings of an index: the rarity of each term, and the documents that contain it.

In JSON, numbers are bytes in base 64.
"""

import base64
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeAlias, TypedDict, TypeVar

from retinue.tools.selection.query_terms import index_terms

_SATURATION, _LENGTH_EFFECT = 3.0, 0.55


N = TypeVar("N", int, float)


class Posting(NamedTuple):
    """The rarity of a term, the documents that contain it, and its score in each."""

    rarity: float
    documents: "array[int]"
    impacts: "array[float]"


class StoredPostings(TypedDict):
    """Postings as JSON values. `documents` and `impacts` have an entry for each document of a term."""

    terms: list[str]
    counts: list[int]
    rarities: str
    documents: str
    impacts: str


Postings: TypeAlias = Mapping[str, Posting]


class FlatPostings(Mapping[str, Posting]):
    """Postings in three arrays and a dictionary of positions: an object for each term would take four times the
    memory.
    """

    def __init__(
        self,
        counts: Mapping[str, int],
        rarities: "array[float]",
        documents: "array[int]",
        impacts: "array[float]",
    ) -> None:
        """`counts` are the number of documents of each term; `documents` and `impacts` are in the same order,
        concatenated.
        """
        self._places = {term: place for place, term in enumerate(counts)}
        self._ends = array("I", accumulate(counts.values(), initial=0))
        self._rarities, self._documents, self._impacts = rarities, documents, impacts

    def __getitem__(self, term: str) -> Posting:
        place = self._places[term]
        span = slice(self._ends[place], self._ends[place + 1])
        return Posting(self._rarities[place], self._documents[span], self._impacts[span])

    def __contains__(self, term: object) -> bool:
        return term in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def weighted_counts(document: Mapping[str, float]) -> dict[str, float]:
    """Return the frequency of each term in a document, weighted by its texts."""
    counts: dict[str, float] = {}
    for text, weight in document.items():
        for term in index_terms(text):
            counts[term] = counts.get(term, 0.0) + weight
    return counts


def postings_of(counts: Sequence[Mapping[str, float]], frequency: Mapping[str, int], size: int) -> dict[str, Posting]:
    """Return the postings of documents in a collection of `size` documents; `frequency` is the number that contain each
    term.
    """
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / max(len(lengths), 1) or 1.0
    postings: dict[str, Posting] = {}
    for number, count in enumerate(counts):
        norm = _SATURATION * (1 - _LENGTH_EFFECT + _LENGTH_EFFECT * lengths[number] / average)
        for term, amount in count.items():
            if term not in postings:
                rarity = math.log(1 + (size - frequency[term] + 0.5) / (frequency[term] + 0.5))
                postings[term] = Posting(rarity, array("H"), array("f"))
            rarity, documents, impacts = postings[term]
            documents.append(number)
            impacts.append(rarity * amount * (_SATURATION + 1) / (amount + norm))
    return postings


def stored_postings(postings: Postings) -> StoredPostings:
    """Postings as JSON values."""
    found = postings.values()
    return {
        "terms": list(postings),
        "counts": [len(posting.documents) for posting in found],
        "rarities": pack("d", (posting.rarity for posting in found)),
        "documents": pack("H", chain.from_iterable(posting.documents for posting in found)),
        "impacts": pack("f", chain.from_iterable(posting.impacts for posting in found)),
    }


def restored_postings(stored: StoredPostings) -> FlatPostings:
    """Postings from the result of `stored_postings`. Raises `LookupError`, `TypeError` or `ValueError` for anything
    else.
    """
    counts = dict(zip(stored["terms"], stored["counts"], strict=True))
    documents, impacts = unpack("H", stored["documents"]), unpack("f", stored["impacts"])
    return FlatPostings(counts, unpack("d", stored["rarities"]), documents, impacts)


def pack(code: str, numbers: Iterable[float]) -> str:
    """Numbers of the `array` type `code` in base 64."""
    return base64.b64encode(array(code, numbers).tobytes()).decode()


def unpack(code: str, text: str) -> "array[Any]":
    """Return the numbers in a text that `pack` returned."""
    numbers: array[Any] = array(code)
    numbers.frombytes(base64.b64decode(text))
    return numbers


def parts(numbers: "array[N]", counts: Sequence[int]) -> list["array[N]"]:
    """Return an array split into parts of the given lengths."""
    ends: list[int] = list(accumulate(counts))
    return [numbers[start:end] for start, end in zip([0, *ends], ends, strict=False)]
