"""Boundaries of words, sentences and paragraphs."""

import functools
import re
import unicodedata
from typing import Annotated, Any

import regex

from retinue.sdk import About, ToolError
from retinue_tools.text._word_lists import word_list

Prose = Annotated[
    str,
    About(
        "Text with sentences",
        "Dr. Smith arrived at 9.30 a.m. in Boston. The train was late! Nobody had told her.",
        min_length=1,
        max_length=200_000,
    ),
]
Span = tuple[int, int]

_BOUNDARY = re.compile(
    r"(?:[.!?\u2026]+[\"')\]\u201d\u2019\u00bb]*(?=\s|$)|[\u3002\uff01\uff1f]+[\u300d\u300f]*|\n\s*\n)"
)
_OPENING = "\"'([\u201c\u2018\u00ab\u201e\u00bf\u00a1-\u2013\u2014*#"
_BEFORE_NAMES = frozenset(
    word_list(
        "mr mrs ms mx dr prof st rev hon gen col capt lt sgt maj cmdr sen rep gov pres messrs mme mlle fr sr sra vs"
        " no nos fig figs eq eqs sec ch vol vols p pp art nr cf e.g i.e viz ca approx bzw z.b d.h u.a ggf jan feb mar"
        " apr jun jul aug sep sept oct nov dec"
    )
)
"""Abbreviations that precede what they belong to, and therefore never end a sentence."""


def words_of(text: str) -> list[str]:
    """Return words and numbers in order, with inner apostrophes and hyphens; each East Asian character is a word."""
    return [match.group() for match in _word().finditer(text)]


def word_spans(text: str) -> list[Span]:
    """Return the start and end of the words."""
    return [match.span() for match in _word().finditer(text)]


def need_words(text: str) -> list[str]:
    """Return the words. Raises `ToolError` if there are none."""
    words = words_of(text)
    if not words:
        raise ToolError("The text contains no words. Give text with letters or digits.")
    return words


def lower_words(text: str) -> list[str]:
    """Return the words in lower case and in Unicode's composed form."""
    return [unicodedata.normalize("NFC", word.lower()) for word in words_of(text)]


def sentences_of(text: str) -> list[str]:
    """Return the sentences in order, without surrounding spaces."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[Span]:
    """Return the start and end of the sentences. A blank line also ends a sentence."""
    spans, start = [], 0
    for match in _BOUNDARY.finditer(text):
        if _ends_sentence(text, match):
            spans.append((start, match.end()))
            start = match.end()
    return [span for span in (_strip(text, *part) for part in [*spans, (start, len(text))]) if span[0] < span[1]]


def paragraphs_of(text: str) -> list[str]:
    """Return the parts between blank lines."""
    return [part.strip() for part in re.split(r"\n[^\S\n]*\n\s*", text.strip()) if part.strip()]


def _strip(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if not match[0].startswith("."):
        return match[0][-1] in "!?\u3002\uff01\uff1f\n" or not _goes_on(text, match.end())
    return not (_is_abbreviation(text, match.start()) or _goes_on(text, match.end()))


def _goes_on(text: str, position: int) -> bool:
    """Return whether the next word begins in lower case: then the full stop belonged to an abbreviation."""
    following = text[position : position + 80].lstrip().lstrip(_OPENING)
    return following[:1].islower()


def _is_abbreviation(text: str, position: int) -> bool:
    """Return whether the full stop at the position belongs to a title, an initial or another abbreviation."""
    before = re.split(r"[\s(\[\"'\u201c\u2018]", text[max(0, position - 20) : position])[-1]
    is_initial = len(before) == 1 and before.isupper() and before != "I"
    return is_initial or before.lower() in _BEFORE_NAMES


@functools.cache
def _word() -> Any:
    alone = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
    letters = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{alone}]+"
    return regex.compile(rf"(?V1){alone}|{letters}(?:['\u2019.,\-](?<=\p{{N}}[.,]|['\u2019\-]){letters})*")
