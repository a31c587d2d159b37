"""A small in-memory index that ranks tools for plain questions: BM25 over weighted fields (Robertson and Zaragoza,
2009).

Two factors are added: the share of a question that a tool covers, and the question's adjacent word pairs that also
occur in the tool's texts.
"""

import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain, takewhile
from operator import itemgetter
from typing import Self, TypedDict
from zlib import crc32

from rapidfuzz import process
from rapidfuzz.distance import OSA

from retinue.tools.selection.inverted_index import (
    Postings,
    StoredPostings,
    pack,
    parts,
    postings_of,
    restored_postings,
    stored_postings,
    unpack,
    weighted_counts,
)
from retinue.tools.selection.query_terms import pairs, query_terms

_COVERAGE_EFFECT, _PAIR_EFFECT = 0.4, 0.1
_LEAST_WEIGHT = 0.6
"""Minimum weight of a term to count for the share of a question that a document covers; quoted data weighs less."""
_MOST_CHARACTERS = 2000
"""Only this many characters of a message are searched."""
_MOST_TERMS = 16
_MOST_GUESSES = 3
_MOST_COMPARED = 12
"""Number of top documents to compare for word pairs."""
_PREFIX_WEIGHT, _TYPO_WEIGHT = 0.8, 0.7
_TERM_BYTES, _ENTRY_BYTES, _MARK_BYTES = 500, 7, 5
"""Measured memory of a term, of a document in a term's postings, and of a word pair's hash."""


class StoredIndex(TypedDict):
    """An index as JSON values. `pairs` is an array in base 64."""

    size: int
    postings: StoredPostings
    pair_counts: list[int]
    pairs: str


class Index:
    """Maps terms to postings. Built once, then read-only."""

    def __init__(
        self,
        postings: Postings,
        pairs: Sequence["array[int]"],
        size: int,
        others: Postings | None = None,
    ) -> None:
        """The postings of `size` documents, and the hashes of each document's word pairs; `others` are the postings
        of an index beside this one.
        """
        self._postings = postings
        self._pairs = pairs
        self._size = size
        self._others = others or {}
        self._vocabulary = sorted(postings)
        self._by_length: dict[int, list[str]] = {}
        for term in self._vocabulary:
            self._by_length.setdefault(len(term), []).append(term)

    @classmethod
    def of(
        cls,
        documents: Iterable[Mapping[str, float]],
        beside: Self | None = None,
        most_terms: int = sys.maxsize,
    ) -> Self:
        """Index documents, each a mapping of text to weight, by the first `most_terms` distinct terms.

        Documents searched together with those of an index `beside` this one are scored by the rarity of terms in
        both, so that the scores of the two are comparable.
        """
        counts, pairs = _read(documents, most_terms)
        frequency = Counter(term for count in counts for term in count)
        others = beside._postings if beside else {}
        for term in frequency.keys() & others.keys():
            frequency[term] += len(others[term].documents)
        size = len(counts) + (beside._size if beside else 0)
        return cls(postings_of(counts, frequency, size), pairs, size, others)

    @classmethod
    def restore(cls, stored: StoredIndex) -> Self:
        """Restore an index from the result of `store`. Raises `LookupError`, `TypeError` or `ValueError` for anything
        else.
        """
        marks = parts(unpack("I", stored["pairs"]), stored["pair_counts"])
        return cls(restored_postings(stored["postings"]), marks, stored["size"])

    def store(self) -> StoredIndex:
        """Return the index as JSON values, without the index beside it."""
        return {
            "size": self._size,
            "postings": stored_postings(self._postings),
            "pair_counts": [len(marks) for marks in self._pairs],
            "pairs": pack("I", chain.from_iterable(self._pairs)),
        }

    @property
    def memory(self) -> int:
        """Approximate memory in bytes."""
        entries = sum(len(posting.documents) for posting in self._postings.values())
        marks = sum(map(len, self._pairs))
        return _TERM_BYTES * len(self._postings) + _ENTRY_BYTES * entries + _MARK_BYTES * marks

    def rank(self, question: str) -> list[tuple[int, float]]:
        """Document numbers with their scores, best first. Documents without any term of the question are omitted."""
        question = question[:_MOST_CHARACTERS]
        weights = self._weights(query_terms(question))
        scores = self._scores(weights)
        pairs = set(_marks([question]))
        for document in nlargest(_MOST_COMPARED, scores, key=scores.__getitem__):
            scores[document] *= 1 + _PAIR_EFFECT * len(pairs.intersection(self._pairs[document]))
        return sorted(scores.items(), key=itemgetter(1), reverse=True)

    def _scores(self, weights: Mapping[str, float]) -> dict[int, float]:
        """Return the documents with any of the terms: the sum of the terms' scores, reduced if they cover little of the
        question.
        """
        scores: dict[int, float] = {}
        covered: dict[int, float] = {}
        for term in self._distinguishing_terms(weights):
            weight = weights[term]
            rarity, documents, impacts = self._postings[term]
            for document, impact in zip(documents, impacts, strict=True):
                scores[document] = scores.get(document, 0.0) + weight * impact
            if weight >= _LEAST_WEIGHT:
                for document in documents:
                    covered[document] = covered.get(document, 0.0) + weight * rarity
        total = sum(weight * self._rarity(term) for term, weight in weights.items() if weight >= _LEAST_WEIGHT) or 1.0
        least, share = 1 - _COVERAGE_EFFECT, _COVERAGE_EFFECT / total
        return {document: score * (least + share * covered.get(document, 0.0)) for document, score in scores.items()}

    def _rarity(self, term: str) -> float:
        posting = self._postings.get(term) or self._others.get(term)
        return posting.rarity if posting else 0.0

    def _distinguishing_terms(self, weights: Mapping[str, float]) -> list[str]:
        """Return the indexed terms of a question that distinguish documents most."""
        known = [term for term in weights if term in self._postings]
        return sorted(known, key=lambda term: (-weights[term] * self._postings[term].rarity, term))[:_MOST_TERMS]

    def _weights(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Return the terms of a question with their weights, after replacing unknown terms."""
        weights: dict[str, float] = {}
        guesses = _MOST_GUESSES
        last = next(reversed([term for term, weight in terms.items() if weight == 1.0]), "")
        for term, weight in terms.items():
            if term in self._postings or term in self._others:
                weights[term] = max(weight, weights.get(term, 0.0))
            elif weight == 1.0 and guesses and len(term) >= 3 and not term.isdecimal():
                guesses -= 1
                for other, likeness in self._guess(term, begun=term == last):
                    weights[other] = max(likeness, weights.get(other, 0.0))
        return weights

    def _guess(self, term: str, begun: bool) -> Iterator[tuple[str, float]]:
        """Replacements for an unknown term: known terms with that prefix if `begun`, else the nearest by edit
        distance.
        """
        if begun:
            start = bisect_left(self._vocabulary, term)
            completions = list(takewhile(lambda other: other.startswith(term), self._vocabulary[start : start + 5]))
            yield from ((other, _PREFIX_WEIGHT) for other in completions)
            if completions:
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


def _read(
    documents: Iterable[Mapping[str, float]], most_terms: int
) -> tuple[list[dict[str, float]], list["array[int]"]]:
    """Return the weighted terms of each document, and the word pairs of its texts that weigh 1 or more."""
    counts, marks = [], []
    known: dict[str, str] = {}
    for document in documents:
        counts.append(_within(weighted_counts(document), known, most_terms))
        marks.append(_marks(text for text, weight in document.items() if weight >= 1))
    return counts, marks


def _within(counts: Mapping[str, float], known: dict[str, str], most: int) -> dict[str, float]:
    """Return the counts of terms that are `known` or among the first `most`. All documents share the term strings."""
    return {known.setdefault(term, term): count for term, count in counts.items() if term in known or len(known) < most}


def _marks(texts: Iterable[str]) -> "array[int]":
    """Return the hashes of adjacent word pairs."""
    return array("I", {crc32(pair.encode()) for text in texts for pair in pairs(text)})
