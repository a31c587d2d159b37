"""A small index that ranks tools for plain questions: BM25 over weighted fields (Robertson and Zaragoza, 2009)."""

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Self, TypeAlias

from rapidfuzz import process
from rapidfuzz.distance import OSA

from retinue.tools.words import index_terms, query_terms

Posting: TypeAlias = "tuple[array[int], array[float]]"
"""Document numbers, and what the term adds to the score of each."""

_SATURATION, _LENGTH_EFFECT = 1.2, 0.5
_MOST_TERMS = 24
_MOST_GUESSES = 4
_PREFIX_WEIGHT, _TYPO_WEIGHT = 0.8, 0.7


class Index:
    """Terms to postings. Built once, then only read."""

    def __init__(self, documents: Iterable[Mapping[str, float]], beside: Self | None = None) -> None:
        """Each document is a mapping of text to the weight of that text.

        Documents that are searched together with those of an index `beside` this one are scored by how rare terms are
        in both, so that the scores of the two can be compared.
        """
        counts = [_weighted_counts(document) for document in documents]
        frequency = Counter(term for count in counts for term in count)
        self._others: Mapping[str, Posting] = beside._postings if beside else {}
        for term in frequency.keys() & self._others.keys():
            frequency[term] += len(self._others[term][0])
        self._size: int = len(counts) + (beside._size if beside else 0)
        self._postings: dict[str, Posting] = _postings(counts, frequency, self._size)
        self._vocabulary = sorted(self._postings)
        self._by_length: dict[int, list[str]] = {}
        for term in self._vocabulary:
            self._by_length.setdefault(len(term), []).append(term)

    def rank(self, question: str) -> list[tuple[int, float]]:
        """Document numbers with their scores, best first. Documents without any term of the question are left out."""
        scores: dict[int, float] = {}
        for weight, (documents, impacts) in self._known(query_terms(question)):
            for document, impact in zip(documents, impacts, strict=True):
                scores[document] = scores.get(document, 0.0) + weight * impact
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

    def _known(self, terms: Mapping[str, float]) -> list[tuple[float, Posting]]:
        """The postings of the rarest terms of a question, with weights, after mending what the index does not know."""
        weights: dict[str, float] = {}
        guesses = _MOST_GUESSES
        for term, weight in terms.items():
            if term in self._postings:
                weights[term] = max(weight, weights.get(term, 0.0))
            elif weight == 1.0 and guesses and len(term) >= 3 and not term.isdecimal() and term not in self._others:
                guesses -= 1
                for other, likeness in self._guess(term):
                    weights[other] = max(likeness, weights.get(other, 0.0))
        rarest = sorted(weights, key=lambda term: (len(self._postings[term][0]), term))[:_MOST_TERMS]
        return [(weights[term], self._postings[term]) for term in rarest]

    def _guess(self, term: str) -> Iterator[tuple[str, float]]:
        """Known terms that begin with an unknown one, or else the nearest one by typing errors."""
        start = bisect_left(self._vocabulary, term)
        completions = list(takewhile(lambda other: other.startswith(term), self._vocabulary[start : start + 5]))
        if completions:
            yield from ((other, _PREFIX_WEIGHT) for other in completions)
            return
        allowed = 1 if len(term) < 7 else 2
        lengths = range(len(term) - allowed, len(term) + allowed + 1)
        near = [
            match
            for length in lengths
            if (
                match := process.extractOne(
                    term, self._by_length.get(length, ()), scorer=OSA.distance, score_cutoff=allowed
                )
            )
        ]
        if len(term) >= 4 and near:
            yield min(near, key=lambda match: (match[1], match[0][0] != term[0]))[0], _TYPO_WEIGHT


def _weighted_counts(document: Mapping[str, float]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for text, weight in document.items():
        for term in index_terms(text):
            counts[term] = counts.get(term, 0.0) + weight
    return counts


def _postings(counts: Sequence[Mapping[str, float]], frequency: Mapping[str, int], size: int) -> dict[str, Posting]:
    """The postings of documents, in a collection of `size` documents of which `frequency` have a term."""
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / max(len(lengths), 1) or 1.0
    postings: dict[str, Posting] = {}
    for number, count in enumerate(counts):
        norm = _SATURATION * (1 - _LENGTH_EFFECT + _LENGTH_EFFECT * lengths[number] / average)
        for term, amount in count.items():
            rarity = math.log(1 + (size - frequency[term] + 0.5) / (frequency[term] + 0.5))
            documents, impacts = postings.setdefault(term, (array("H"), array("f")))
            documents.append(number)
            impacts.append(rarity * amount * (_SATURATION + 1) / (amount + norm))
    return postings
