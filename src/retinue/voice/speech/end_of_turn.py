"""Judges by its words whether a speaker has finished, and whether a sound of the listener is an interruption.

A silence ends a turn sooner after a question or a sentence than after a word that something must follow, after a
hesitation, or within a number that is dictated in groups. Words of six languages are known.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

COMPLETE_S, SENTENCE_S, UNCLEAR_S, OPEN_S = 0.3, 0.45, 1.2, 2.0
"""Seconds of silence that end a turn: after a question or a short answer, after a sentence, after words without a
clear end, and after words that something must follow.
"""
DICTATION_S = 1.7
"""Seconds of silence that end a turn after a digit or a single letter: people pause between groups."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_DIGITS = re.compile(r"(?:^|[\s,.-])(?:\d+|[a-z])[\s,.\u2026-]*$", re.IGNORECASE)
_AMOUNT = re.compile(r"[$€£%]|\d[.,:]\d|\b(?:in|at|um|a|las|à|alle)\s+\d{1,4}\W*$", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?:and |but |so |well,? )?(?:if|when|because|since|although|wenn|weil|si|cuando)\b[^,.?!]*\.?", re.I
)
"""A clause that a main clause must follow."""

_ADDRESS = re.compile(r"\b(?:dot|punkt|punto)\W+[\w-]+\W*$", re.IGNORECASE)
_LAUGH = re.compile(r"(?:(?:ha|a|he|ho|h)[\s,.!-]*){2,}", re.IGNORECASE)
_UNFINISHED = ("...", "\u2026", "-", "\u2013")
_SENTENCE_ENDS = (".", "!", "\u3002", "\uff01")
_QUESTION_ENDS = ("?", "\uff1f")
_MOST_BACKCHANNEL_WORDS, _MOST_GREETING_WORDS, _MOST_FAREWELL_WORDS = 3, 4, 8

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
_HESITATIONS, _OPEN, _UNCLEAR, _BACKCHANNELS, _FAREWELLS, _GREETINGS = (
    frozenset(_WORDS[name].split())
    for name in ("hesitations", "open_endings", "unclear_endings", "backchannels", "farewells", "greetings")
)


def silence_to_wait(text: str) -> float:
    """Return the seconds of silence after these words that end the speaker's turn."""
    words, text = _split(text), text.rstrip()
    if not words:
        return SENTENCE_S
    if words[-1] in _HESITATIONS or text.endswith(_UNFINISHED):
        return OPEN_S
    is_clear = words[-1] not in _UNCLEAR | _OPEN and not _CLAUSE.fullmatch(text)
    if text.endswith(_QUESTION_ENDS):
        return UNCLEAR_S if words[-1] in _OPEN else COMPLETE_S
    if _DIGITS.search(text) and not _AMOUNT.search(text):
        return DICTATION_S
    if _ADDRESS.search(text):
        return DICTATION_S
    if words[-1] in _OPEN or text.endswith((",", ":", ";")):
        return OPEN_S
    if len(words) <= _MOST_BACKCHANNEL_WORDS and _BACKCHANNELS.issuperset(words):
        return COMPLETE_S
    return SENTENCE_S if is_clear and text.endswith(_SENTENCE_ENDS) else UNCLEAR_S


def is_backchannel(text: str) -> bool:
    """Return whether these words only say that the speaker listens, such as "mm-hm" or "okay", or are laughter."""
    words = _split(text)
    if len(words) <= _MOST_BACKCHANNEL_WORDS and (_BACKCHANNELS | _HESITATIONS).issuperset(words):
        return True
    return bool(_LAUGH.fullmatch(text.strip(" .,!?\u2026-")))


def is_greeting(text: str) -> bool:
    """Return whether these words only answer the telephone, such as "Hello?" or "Yes, hello"."""
    words = _split(text)
    return len(words) <= _MOST_GREETING_WORDS and (_GREETINGS | _BACKCHANNELS).issuperset(words)


def is_farewell(text: str) -> bool:
    """Return whether a speaker says goodbye, as in "Okay, thank you, bye."."""
    words = _split(text)
    return 0 < len(words) <= _MOST_FAREWELL_WORDS and words[-1] in _FAREWELLS and not text.rstrip().endswith("?")


def contains_phrase(text: str, phrases: Iterable[str]) -> bool:
    """Return whether a text contains the words of one of the phrases, in order and side by side."""
    words = f" {' '.join(_split(text))} "
    return any(f" {' '.join(_split(phrase))} " in words for phrase in phrases)


def _split(text: str) -> list[str]:
    return [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
