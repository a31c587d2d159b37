"""What an index keeps of each term: how rare it is, and where it stands. In JSON, numbers are bytes in base 64."""

import base64
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeAlias

from retinue.tools.selection.words import index_terms

_SATURATION, _LENGTH_EFFECT = 3.0, 0.55
_LISTS = (("H", "documents"), ("f", "impacts"))
"""What is listed for every document of a term, by the types that `array` knows."""


class Posting(NamedTuple):
    """How rare a term is, and to the scores of which documents it adds how much."""

    rarity: float
    documents: "array[int]"
    impacts: "array[float]"


Postings: TypeAlias = Mapping[str, Posting]


def weighted_counts(document: Mapping[str, float]) -> dict[str, float]:
    """How often each term stands in a document, by the weights of its texts."""
    counts: dict[str, float] = {}
    for text, weight in document.items():
        for term in index_terms(text):
            counts[term] = counts.get(term, 0.0) + weight
    return counts


def postings_of(counts: Sequence[Mapping[str, float]], frequency: Mapping[str, int], size: int) -> dict[str, Posting]:
    """The postings of documents, in a collection of `size` documents of which `frequency` have a term."""
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


def stored_postings(postings: Postings) -> dict[str, Any]:
    """Postings as JSON can hold them."""
    found = postings.values()
    return {
        "terms": list(postings),
        "counts": [len(posting.documents) for posting in found],
        "rarities": packed("d", (posting.rarity for posting in found)),
        "documents": packed("H", chain.from_iterable(posting.documents for posting in found)),
        "impacts": packed("f", chain.from_iterable(posting.impacts for posting in found)),
    }


def restored_postings(stored: Mapping[str, Any]) -> dict[str, Posting]:
    """The postings that `stored_postings` gave. Raises `LookupError`, `TypeError` or `ValueError` for anything else."""
    counts = stored["counts"]
    documents, impacts = (parts(unpacked(code, stored[name]), counts) for code, name in _LISTS)
    found = map(Posting, unpacked("d", stored["rarities"]), documents, impacts)
    return dict(zip(stored["terms"], found, strict=True))


def packed(code: str, numbers: Iterable[float]) -> str:
    """Numbers of the type that `array` knows by `code`."""
    return base64.b64encode(array(code, numbers).tobytes()).decode()


def unpacked(code: str, text: str) -> "array[Any]":
    """The numbers in a text that `packed` made."""
    numbers: array[Any] = array(code)
    numbers.frombytes(base64.b64decode(text))
    return numbers


def parts(numbers: "array[Any]", counts: Sequence[int]) -> list["array[Any]"]:
    """A list cut into parts of the given lengths."""
    ends = list(accumulate(counts))
    return [numbers[start:end] for start, end in zip([0, *ends], ends, strict=False)]
