"""Replies that quote passages of documents, with the number of their source."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retinue.models.base import Excerpt
from retinue_assistant.passages import question_subject, subject_words
from retinue_assistant.table_rows import read_lines

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_CONSIDERED = 3
"""Passages that are considered. The first one is the nearest in meaning."""

_LONGEST, _WITH_SENTENCES_BEFORE = 400, 240
"""Maximum length of a quotation in characters, and of one with the sentences before the best one."""

_SHORT = 80
"""Maximum length of a heading, of a row of a table, or of an entry such as "Deposit: 100 EUR"."""

_DATE, _DAY = re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"\d\d-\d\d")
_DATED = 2
"""Words that a day of the question counts for: what happens on it answers the question."""

_ENTRIES = 3
"""Most entries in a quotation."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a passage, and its line."""

    text: str
    line: int
    words: frozenset[str]
    is_row: bool = False

    @property
    def is_heading(self) -> bool:
        """Whether it is a line of a few words without a value."""
        return not self.is_row and len(self.text) <= _SHORT and not re.search(r"\d|[.!?;:,]$", self.text)

    @property
    def is_entry(self) -> bool:
        """Whether it is short and has a value, such as a row of a price list or "Deposit: 100 EUR."."""
        has_form = ":" in self.text or not re.search(r"[.!?]$", self.text)
        return self.is_row or (len(self.text) <= _SHORT and has_form and re.search(r"\d", self.text) is not None)


def quote(question: str, excerpts: Sequence[Excerpt]) -> str:
    """Return the sentence with most of a question's words and what belongs to it, with the number of its passage.

    If no sentence has any of the words, the first two of the first passage are quoted.
    """
    question_words = frozenset(question_subject(question)) | _compounds(question)
    best, most = (excerpts[0], 0), (0, False)
    considered = {one.number: _sentences(one) for one in excerpts[:_CONSIDERED]}
    for excerpt in excerpts[:_CONSIDERED]:
        for place, sentence in enumerate(considered[excerpt.number]):
            shared = question_words & sentence.words
            score = (len(shared) + _DATED * bool(_dates(shared)), sentence.is_entry)
            if score > most and score[0]:
                best, most = (excerpt, place), score
    excerpt, place = best
    sentences = considered[excerpt.number]
    if most[0] and sentences[place].is_heading:
        quoted = _with_line_below(sentences, place)
    elif most[0] and sentences[place].is_entry:
        quoted = _with_other_entries(sentences, place, question_words)
    else:
        quoted = _with_neighbours(sentences, place)
    return f"{quoted[:_LONGEST]} [{excerpt.number}]"


def _sentences(excerpt: Excerpt) -> list[_Sentence]:
    return [
        _Sentence(sentence, number, _words(sentence), line.is_row)
        for number, line in enumerate(read_lines(excerpt.text, excerpt.title))
        for sentence in ([line.text] if line.is_row else _SENTENCE_END.split(line.text.strip()))
    ]


def _words(text: str) -> frozenset[str]:
    return frozenset(subject_words(text)) | _compounds(text)


def _compounds(text: str) -> frozenset[str]:
    """Return the words with a hyphen, and the days of dates in any year: an e-bike is more than a bike."""
    words = re.findall(r"\b\w+(?:-\w+){1,4}\b", text.lower())
    return frozenset(word[5:] if _DATE.fullmatch(word) else word for word in words)


def _dates(words: frozenset[str]) -> list[str]:
    return [word for word in words if _DAY.fullmatch(word)]


def _with_line_below(sentences: Sequence[_Sentence], place: int) -> str:
    below = sentences[place + 1 : place + 2]
    line = " ".join(one.text for one in sentences if below and one.line == below[0].line)
    return f"{sentences[place].text}: {line}" if line else sentences[place].text


def _with_other_entries(sentences: Sequence[_Sentence], place: int, question_words: frozenset[str]) -> str:
    """Add the entries with words of the question that the best one lacks: "one day, and what is the deposit?"."""
    shared = question_words & sentences[place].words
    chosen, missing = {place}, question_words - shared if not _dates(shared) else frozenset[str]()
    for at, sentence in enumerate(sentences):
        if sentence.is_entry and missing & sentence.words and len(chosen) < _ENTRIES:
            chosen.add(at)
            missing -= sentence.words
    entries = [sentences[at].text for at in sorted(chosen)]
    return " ".join(one if one[-1] in ".!?;" else f"{one}." for one in entries)


def _with_neighbours(sentences: Sequence[_Sentence], place: int) -> str:
    """Add the sentences around one: a question seldom has the words of its answer."""
    quoted = " ".join(one.text for one in sentences[place : place + 2]).strip()
    for sentence in reversed(sentences[:place]):
        if len(sentence.text) + 1 + len(quoted) > _WITH_SENTENCES_BEFORE:
            break
        quoted = f"{sentence.text} {quoted}"
    return quoted
