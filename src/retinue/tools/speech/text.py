"""What of a text can be read aloud: words without markup, addresses of the web, and emoji."""

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
"""Categories of Unicode that nobody says: emoji and other pictures, skin tones, joiners, control characters."""
_SELECTORS = range(0xFE00, 0xFE10)
_LONGEST_BREATH = 400
"""In letters, of which a digit counts for nine: it is a word or two."""


def to_speech(text: str, say_address: Callable[[str], str] = lambda _address: "") -> str:
    """A text as it is read aloud, one paragraph a line; empty where there is nothing to say.

    Addresses of the web are replaced by what `say_address` returns.
    """
    plain = _TAG.sub(" ", html.unescape(_FENCE.sub("", text)))
    plain = _ADDRESS.sub(lambda address: say_address(address[0]), _LINK.sub(r"\1", plain))
    plain = _MARKS.sub("", _LINE_START.sub("", _RULE.sub("", plain)))
    plain = unicodedata.normalize("NFKC", "".join(map(_spell_sign, plain)))
    # Nobody has names for such numbers: their digits are read one by one.
    plain = _LONG_NUMBER.sub(lambda number: " ".join(filter(str.isdigit, number[0])), plain)
    lines = _BLANK_LINES.sub("\n", _SPACES.sub(" ", plain)).strip().split("\n")
    return "\n".join(line for line in lines if any(sign.isalnum() for sign in line))


def signs(text: str) -> int:
    """How long a text is to say, in letters."""
    return len(text) + 1 + 8 * sum(map(str.isdigit, text))


def breaths(sentence: str) -> list[str]:
    """A sentence in parts that are said without a pause, at the least a word; rather up to a comma."""
    parts: list[str] = []
    lengths: list[int] = []
    for word in sentence.split():
        length = signs(word)
        full = not parts or lengths[-1] + length > _LONGEST_BREATH
        if full or (lengths[-1] > _LONGEST_BREATH // 2 and parts[-1].endswith((",", ";", ":"))):
            parts.append(word)
            lengths.append(length)
        else:
            parts[-1] += f" {word}"
            lengths[-1] += length
    return parts


def is_latin(text: str) -> bool:
    """Whether at least half of the letters of a text are Latin ones."""
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
