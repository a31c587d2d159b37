"""Convert a text for reading aloud: words without markup, web addresses and emoji."""

import html
import re
import unicodedata
from collections.abc import Callable

_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>|<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?: \"[^\"]{0,200}\")?\)")
_ADDRESS = re.compile(r"<?\b(?:https?://|ftp://|mailto:|www\.)[^\s<>()\[\]\"]*[^\s<>()\[\]\".,;:!?']>?", re.IGNORECASE)
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?|\|)", re.MULTILINE)
_RULE = re.compile(r"^[-=_*:|+ \t]{3,}$", re.MULTILINE)
_MARKS = re.compile(r"[*`~^\\{}|]+|(?<![^\W_])_+|_+(?![^\W_])")
_LONG_NUMBER = re.compile(r"\d(?:[,.]?\d){12,}")
_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"[^\S\n]?\n\s*")

_SYMBOLS = ("So", "Sk", "Cs", "Co", "Cn", "Cc", "Cf")
"""Unicode categories that are not read aloud: emoji and other symbols, skin tones, joiners, control characters."""
_SELECTORS = range(0xFE00, 0xFE10)
_LONGEST_BREATH = 400
"""In letters; a digit counts as nine, because it is spoken as a word or two."""


def to_speech(text: str, say_address: Callable[[str], str] = lambda _address: "") -> str:
    """Return a text as it is read aloud, one paragraph per line; empty if there is nothing to read.

    `say_address` returns the replacement of a web address.
    """
    plain = _TAG.sub(" ", html.unescape(_FENCE.sub("", text)))
    plain = _ADDRESS.sub(lambda address: say_address(address[0]), _LINK.sub(r"\1", plain))
    plain = _MARKS.sub("", _LINE_START.sub("", _RULE.sub("", plain)))
    plain = unicodedata.normalize("NFKC", "".join(map(_spell_sign, plain)))
    # Numbers this long have no common names, so their digits are read one by one.
    plain = _LONG_NUMBER.sub(lambda number: " ".join(filter(str.isdigit, number[0])), plain)
    lines = _BLANK_LINES.sub("\n", _SPACES.sub(" ", plain)).strip().split("\n")
    return "\n".join(line for line in lines if any(sign.isalnum() for sign in line))


def spoken_length(text: str) -> int:
    """Return the spoken length of a text, in letters."""
    return len(text) + 1 + 8 * sum(map(str.isdigit, text))


def split_at_pauses(sentence: str) -> list[str]:
    """Return a sentence split into parts that are spoken without a pause, preferably at commas, at least one word
    each.
    """
    parts: list[str] = []
    lengths: list[int] = []
    for word in sentence.split():
        length = spoken_length(word)
        full = not parts or lengths[-1] + length > _LONGEST_BREATH
        if full or (lengths[-1] > _LONGEST_BREATH // 2 and parts[-1].endswith((",", ";", ":"))):
            parts.append(word)
            lengths.append(length)
        else:
            parts[-1] += f" {word}"
            lengths[-1] += length
    return parts


def is_latin(text: str) -> bool:
    """Return whether at least half of the letters of a text are Latin."""
    letters = [sign for sign in text if sign.isalpha()]
    return 2 * sum("LATIN" in unicodedata.name(sign, "") for sign in letters) >= len(letters)


def _spell_sign(sign: str) -> str:
    if sign in "°\n":
        return sign
    if sign.isdecimal():
        return str(unicodedata.decimal(sign))
    if sign.isspace():
        return " "
    return "" if unicodedata.category(sign) in _SYMBOLS or ord(sign) in _SELECTORS else sign
