"""Replies that quote passages of documents, with the number of their source.

The sentence that is nearest to the question in meaning is quoted, whatever its words and its language. Words that it
shares with the question, its days, and numbers within its ranges decide between sentences that are about as near.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from retinue.models.base import Excerpt
from retinue_assistant.passages import question_subject, subject_words
from retinue_assistant.table_rows import read_lines

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_CONSIDERED = 3
"""Passages that are considered. The first one is the nearest in meaning."""

_LONGEST = 400
"""Maximum length of a quotation, in characters."""

_SHORT = 80
"""Maximum length of a heading, of a row of a table, or of an entry such as "Deposit: 100 EUR"."""

_LEAST = 0.22
"""Least score of a sentence that answers the question (docs/knowledge.md)."""

_DAY, _RANGE, _PASSAGE = 0.3, 0.1, 0.04
"""What a sentence gains for a day of the question, and for a range with a number of it; and what each passage loses to
the one before it."""

_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DAY_OF_YEAR = re.compile(r"\d\d-\d\d")
_NUMBER = re.compile(r"(?<![\d.,:-])\d{1,6}(?![\d.,:-]*\d)")
_NUMBER_RANGE = re.compile(r"(?<![\d.,:-])(\d{1,6})\s?(?:to|bis|until|a|\u00e0|-|\u2013)\s?(\d{1,6})(?![\d.,:-]*\d)")

_NEIGHBOUR = 0.5
"""Least share of the best score of a sentence beside the best one that is quoted with it."""

_AS_NEAR = 0.92
"""Least share of the best score of another entry that answers as well."""

_ENTRIES = 3
"""Most entries in a quotation."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, or a row of a table. `place` has the numbers of its passage and of its line."""

    place: tuple[int, int]
    text: str
    words: frozenset[str]
    is_row: bool = False

    @property
    def passage(self) -> int:
        """The number of the passage."""
        return self.place[0]

    @property
    def is_introduction(self) -> bool:
        """Whether it announces what follows, such as "Our courses:"."""
        return self.text.endswith(":")

    @property
    def is_heading(self) -> bool:
        """Whether it is a line of a few words without a value."""
        return not self.is_row and len(self.text) <= _SHORT and not re.search(r"\d|[.!?;:,]$", self.text)

    @property
    def is_entry(self) -> bool:
        """Whether it is short and has a value, such as a row of a price list or "Deposit: 100 EUR."."""
        has_form = ":" in self.text or not re.search(r"[.!?]$", self.text)
        return self.is_row or (len(self.text) <= _SHORT and has_form and re.search(r"\d", self.text) is not None)


def read_sentences(excerpts: Sequence[Excerpt]) -> list[Sentence]:
    """Return the sentences and rows of the nearest passages."""
    return [
        Sentence((excerpt.number, number), sentence, _words(sentence), line.is_row)
        for excerpt in excerpts[:_CONSIDERED]
        for number, line in enumerate(read_lines(excerpt.text, excerpt.title))
        for sentence in ([line.text] if line.is_row else _SENTENCE_END.split(line.text.strip()))
        if sentence
    ]


def quote(question: str, sentences: Sequence[Sentence], nearness: Sequence[float]) -> str:
    """Return the sentence that answers a question and what belongs to it, with the number of its passage.

    `nearness` has the scores of the sentences (`sentence_similarity`). Returns an empty string if none is near enough.
    """
    words = frozenset(question_subject(question)) | _compounds(question)
    passages = list(dict.fromkeys(one.passage for one in sentences))
    scores = [
        0.0
        if one.is_introduction
        else near + _value_bonus(question, words, one) - _PASSAGE * passages.index(one.passage)
        for one, near in zip(sentences, nearness, strict=True)
    ]
    best = max(range(len(scores)), key=lambda at: scores[at], default=0)
    if not scores or scores[best] < _LEAST:
        return ""
    if sentences[best].is_heading:
        quoted = _with_line_below(sentences, best)
    elif sentences[best].is_entry:
        quoted = _with_other_entries(sentences, best, words, scores)
    else:
        quoted = _with_neighbours(sentences, best, scores)
    return f"{quoted[:_LONGEST]} [{sentences[best].passage}]"


def _value_bonus(question: str, words: Set[str], sentence: Sentence) -> float:
    """Return what a sentence gains for a day of the question, or for a range that contains a day or number of it."""
    days, bounds = _ISO_DAY.findall(question), _ISO_DAY.findall(sentence.text)
    if _days_of_year(words & sentence.words) or (
        len(bounds) == 2 and any(bounds[0] <= day <= bounds[1] for day in days)
    ):
        return _DAY
    numbers = [int(number) for number in _NUMBER.findall(_ISO_DAY.sub("", question))]
    ranges = [(int(low), int(high)) for low, high in _NUMBER_RANGE.findall(sentence.text)]
    return _RANGE * any(low <= number <= high for low, high in ranges for number in numbers)


def _words(text: str) -> frozenset[str]:
    return frozenset(subject_words(text)) | _compounds(text)


def _compounds(text: str) -> frozenset[str]:
    """Return the words with a hyphen, and the days of dates in any year: an e-bike is more than a bike."""
    words = re.findall(r"\b\w+(?:-\w+){1,4}\b", text.lower())
    return frozenset(word[5:] if _ISO_DAY.fullmatch(word) else word for word in words)


def _days_of_year(words: Set[str]) -> list[str]:
    return [word for word in words if _DAY_OF_YEAR.fullmatch(word)]


def _with_line_below(sentences: Sequence[Sentence], place: int) -> str:
    heading, below = sentences[place], sentences[place + 1 : place + 2]
    line = " ".join(one.text for one in sentences if below and one.place == below[0].place)
    return f"{heading.text}: {line}" if line and below[0].passage == heading.passage else heading.text


def _with_other_entries(sentences: Sequence[Sentence], place: int, words: Set[str], scores: Sequence[float]) -> str:
    """Add the entries that are as near, and those with words of the question that the best one lacks: "for one day, and
    what is the deposit?".
    """
    shared = words & sentences[place].words
    chosen, missing = {place}, words - shared if not _days_of_year(shared) else frozenset[str]()
    for at, sentence in enumerate(sentences):
        is_near = sentence.is_entry and sentence.passage == sentences[place].passage
        is_as_near = scores[at] >= _AS_NEAR * scores[place]
        is_missed = not sentence.is_row and missing & sentence.words
        if is_near and (is_as_near or is_missed) and len(chosen) < _ENTRIES:
            chosen.add(at)
            missing -= sentence.words
    entries = [sentences[at].text for at in sorted(chosen)]
    return " ".join(one if one[-1] in ".!?;" else f"{one}." for one in entries)


def _with_neighbours(sentences: Sequence[Sentence], place: int, scores: Sequence[float]) -> str:
    """Add the sentences before and after one that are about the question too."""
    best = sentences[place]
    return " ".join(
        one.text
        for at, one in enumerate(sentences)
        if at == place
        or (
            abs(at - place) == 1
            and one.passage == best.passage
            and not one.is_row
            and scores[at] >= _NEIGHBOUR * scores[place]
        )
    )
