"""Finds which words of a request the words of a follow-up replace: "in New York" stands for "in Tokyo".

The words of the follow-up are aligned with each short span of the request, as in the alignment of sequences: equal
words and values of the same kind gain, words that have no counterpart lose. The best span is replaced if it is clearly
better than any other.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retinue_assistant.numbers import has_digits
from retinue_assistant.text_parsing.numbers import NUMBER_WORDS

MARKS = ".,;:!?\u00bf\u00a1"
_LONGEST = 80
"""Most words of a request to align."""
_WIDER = 2
"""Most words by which a span may be longer or shorter than the follow-up."""
_THRESHOLD = 0.4
_LEAD = 0.25
"""Least score of an alignment, and its least lead over one with another outcome."""
_EQUAL, _EQUAL_SMALL, _SAME_KIND, _SIMILAR, _OTHER = 2.0, 1.0, 1.0, 0.8, -0.3
"""Scores of two aligned words: equal ones, small equal ones, values of one kind, similar prepositions, other words."""
_LOST_VALUE, _LOST_WORD, _LOST_SMALL = -2.0, -0.7, -0.3
"""Scores of a word without a counterpart."""
_NO_UNIT, _OTHER_UNIT = -0.3, -0.5
"""Scores of a number without a unit in the place of one with a unit, and of one with another unit."""
_NEVER = -9.0
"""Score of two words of different kinds: a number never replaces a preposition."""

Kind = Literal[
    "number", "year", "percent", "fraction", "quotation", "address", "name", "time", "small", "preposition", "word"
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PREPOSITIONS = (
    _words("in into to as nach zu en a \u00e0"),
    _words("for over during f\u00fcr \u00fcber por durante pour pendant"),
    _words("at with mit bei con avec"),
    _words("on of off from von aus de desde du"),
    _words("between among by per zwischen durch entre par"),
)
"""Prepositions that stand for each other in one frame: "10 miles to km" and "in feet"."""
_DIRECTIONS = _words("after ago before excluding including since until without ab bis nach ohne vor sin sans")
"""Prepositions with a meaning of their own: they replace others, and are never replaced by them."""
_ALL_PREPOSITIONS = _DIRECTIONS.union(*_PREPOSITIONS)
_SMALL = _words(
    "a an the this that these those my our just only now instead then it's its der die das den dem ein eine einen el la"
    " los las un una le les l' des"
)
_TIMES = _words("second seconds minute minutes hour hours day days week weeks month months year years")
_FRACTIONS = _words("half third quarter fifth")
_PERCENT = re.compile(r"(?<=\d)\s+(?:%|percent\b|per cent\b|prozent\b|por ciento\b|pour cent\b)", re.IGNORECASE)
_WORD = re.compile(r"[\"\u201c][^\"\u201c\u201d]{1,300}[\"\u201d][.,;:!?]{0,3}|\S+")
"""Matches a word, or a quotation."""
_ADDRESS = re.compile(r"https?://|www\.")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_FRACTION = re.compile(r"\d{1,9}/\d{1,9}")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a message, without the punctuation around it."""

    text: str
    core: str
    kind: Kind
    unit: str = ""
    """The word after a number, such as "people"."""

    @property
    def is_value(self) -> bool:
        """True for a number, an address, a name or a unit of time."""
        return self.kind not in ("small", "preposition", "word")


def words_of(text: str, *, begins_sentence: bool = True) -> list[Word]:
    """Split a text into words with their kinds. "15 %", "15 percent" and "New York" are one word."""
    found: list[Word] = []
    for written in _WORD.findall(_PERCENT.sub("%", text)):
        if not (core := written.strip(MARKS)):
            continue
        kind = _kind(core, is_first=begins_sentence and not found)
        last = found[-1] if found and found[-1].text[-1] not in MARKS else None
        if last and last.kind == kind == "name":
            found[-1] = Word(f"{last.text} {written}", f"{last.core} {core}", kind)
            continue
        if last and last.kind == "number" and kind in ("word", "time", "name"):
            found[-1] = Word(last.text, last.core, last.kind, core.casefold())
        found.append(Word(written, core, kind))
    return found


def begins_with_preposition(words: Sequence[Word]) -> bool:
    """Return whether the first word is a preposition."""
    return bool(words) and words[0].kind == "preposition"


def replace_span(old: Sequence[Word], new: Sequence[Word], *, strict: bool = False) -> str:
    """Replace the words of the request `old` for which `new` stands. Returns an empty string if that is unclear.

    `strict` demands a counterpart for every word that says something.
    """
    if not new or len(old) > _LONGEST:
        return ""
    found: dict[str, float] = {}
    for begin, end in _spans(len(old), len(new)):
        score, words = _align(old[begin:end], new, strict=strict)
        text = " ".join([*(one.text for one in old[:begin]), *words, *(one.text for one in old[end:])])
        found[text] = max(score, found.get(text, _NEVER))
    best = max(found.values(), default=_NEVER)
    *others, last = [text for text, score in found.items() if score > best - _LEAD] or [""]
    # Of two places behind the same preposition, the later one is what the request asks: "in London ..., in Tokyo?"
    is_clear = best >= _THRESHOLD and (not others or (begins_with_preposition(new) and found[last] == best))
    return last if is_clear and last != " ".join(one.text for one in old) else ""


def _kind(core: str, *, is_first: bool) -> Kind:
    lower = core.lower()
    if core[0] in '"\u201c' and core[-1] in '"\u201d':
        return "quotation"
    if _ADDRESS.match(lower):
        return "address"
    if _FRACTION.fullmatch(core) or lower in _FRACTIONS:
        return "fraction"
    if has_digits(core[:2]) or lower in NUMBER_WORDS:
        is_year = _YEAR.fullmatch(core) is not None
        return "percent" if core.endswith("%") else "year" if is_year else "number"
    if lower in _SMALL:
        return "small"
    if lower in _ALL_PREPOSITIONS:
        return "preposition"
    if lower in _TIMES:
        return "time"
    return "name" if core[:1].isupper() and not is_first else "word"


def _spans(length: int, width: int) -> Iterator[tuple[int, int]]:
    for begin in range(length):
        for end in range(begin + max(1, width - _WIDER), min(length, begin + width + _WIDER) + 1):
            yield begin, end


def _align(old: Sequence[Word], new: Sequence[Word], *, strict: bool) -> tuple[float, list[str]]:
    """Return the score of the best global alignment, and the words that replace `old` (Needleman and Wunsch, 1970)."""
    row: list[tuple[float, list[str]]] = [(0.0, [])]
    for word in new:
        row.append((row[-1][0] + _loss(word, strict=strict), row[-1][1] + _words_to_keep(word)))
    for replaced in old:
        above, row = row, [(row[0][0] + _loss(replaced, strict=False), row[0][1])]
        for at, word in enumerate(new):
            gain, text = _match(replaced, word)
            row.append(
                max(
                    (above[at][0] + gain, [*above[at][1], text]),
                    (above[at + 1][0] + _loss(replaced, strict=False), above[at + 1][1]),
                    (row[at][0] + _loss(word, strict=strict), row[at][1] + _words_to_keep(word)),
                    key=lambda one: one[0],
                )
            )
    score, words = row[-1]
    ending = old[-1].text[len(old[-1].text.rstrip(MARKS)) :]
    return score, [*words[:-1], words[-1].rstrip(MARKS) + ending] if words else []


def _match(old: Word, new: Word) -> tuple[float, str]:
    """Return the score of a pair of words, and the word of the two that the completed request has."""
    if old.core.casefold() == new.core.casefold():
        return _EQUAL if old.kind not in ("small", "preposition") else _EQUAL_SMALL, new.text
    if old.kind == new.kind == "preposition":
        if new.core.lower() in _DIRECTIONS or old.core.lower() in _DIRECTIONS:
            return _OTHER, new.text
        is_similar = any({old.core.lower(), new.core.lower()} <= words for words in _PREPOSITIONS)
        return _SIMILAR if is_similar else 0.0, old.text
    if old.kind == new.kind == "small":
        return 0.0, new.text
    if old.kind == new.kind == "word":
        return _OTHER, new.text
    if old.kind == new.kind or {old.kind, new.kind} == {"number", "year"}:
        missing = _OTHER_UNIT if new.unit else _NO_UNIT
        return _SAME_KIND + (missing if old.unit not in ("", new.unit) else 0), new.text
    if {old.kind, new.kind} in ({"word", "name"}, {"word", "time"}):
        return _OTHER, new.text
    return _NEVER, new.text


def _words_to_keep(word: Word) -> list[str]:
    """Return a word of the follow-up without a counterpart, if the completed request needs it."""
    return [] if _is_small(word) else [word.text]


def _loss(word: Word, *, strict: bool) -> float:
    if _is_small(word):
        return _LOST_SMALL
    is_needed = word.is_value and word.kind not in ("year", "name")  # "Easter 2027" may replace "Christmas".
    return _LOST_VALUE if is_needed or strict else _LOST_WORD


def _is_small(word: Word) -> bool:
    """Return whether a word means nothing without others."""
    return word.kind == "small" or (word.kind == "preposition" and word.core.lower() not in _DIRECTIONS)
