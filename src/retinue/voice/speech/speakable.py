"""Converts written text to words that a voice can speak."""

import re
from urllib.parse import urlsplit

from retinue.tools.speech.text import to_speech

_EMAIL = re.compile(r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}\b")
_AUTOLINK = re.compile(r"<((?:https?://|ftp://|mailto:)[^<>\s]{1,2000}|[^<>\s@]{1,64}@[^<>\s@]{1,255})>", re.IGNORECASE)
_SCHEME = re.compile(r"(?:https?|ftp)://", re.IGNORECASE)
_JOINED_SCHEME = re.compile(r"(?<=\w)(?=(?:https?|ftp)://)", re.IGNORECASE)
_SPACED_MARK = re.compile(r" ([,.!?;:])(?=\s|$)")
_SIGN_NAMES = {".": " dot ", "@": " at ", "_": " underscore ", "+": " plus ", "%": " percent "}
_SIGNS = re.compile("[.@_+%]")
_TABLE_ROW = re.compile(r"^[ \t]*\|(.*)$", re.MULTILINE)
_LESS, _MORE = re.compile(r"(?<=\s)<=?(?=\s)"), re.compile(r"(?<=\s)>=?(?=\s)")
_BRACKETS = re.compile(r"[<>\[\]]")
_REFERENCE = re.compile(r"(?<=\S) ?\[\d{1,3}(?:[,;] ?\d{1,3}){0,9}\](?!\()")
"""Matches the number of a source, such as [1]."""
_LONG_WORD = re.compile(r"(\S{60})(?=\S)")
_SPACES = re.compile(r"[^\S\n]+")


def speakable(text: str) -> str:
    """Return a sentence or paragraph without markup and emoji; "" if nothing is left to speak.

    References such as [1] are left out. A web address becomes its host, and e-mail addresses are spelled out. Numbers,
    dates and amounts stay, because the engines read them. The function is idempotent.
    """
    # Removing one mark can complete another, as in "<*b>".
    while (cleaned := _clean(text)) != text:
        text = cleaned
    return text


def _clean(text: str) -> str:
    text = _REFERENCE.sub("", text)
    unlinked = _JOINED_SCHEME.sub(" ", _AUTOLINK.sub(r"\1", text))
    plain = _SCHEME.sub(" ", to_speech(_TABLE_ROW.sub(_say_row, unlinked), _say_address))
    plain = _EMAIL.sub(lambda email: _say_signs(email[0]), plain)
    plain = _MORE.sub("more than", _LESS.sub("less than", plain))
    plain = _LONG_WORD.sub(r"\1 ", _BRACKETS.sub(" ", plain))
    plain = _SPACED_MARK.sub(r"\1", _SPACES.sub(" ", plain))
    return "\n".join(filter(None, map(str.strip, plain.split("\n"))))


def _say_row(row: re.Match[str]) -> str:
    return ", ".join(cell for part in row[1].split("|") if (cell := part.strip()))


def _say_address(address: str) -> str:
    """Return an e-mail address, or the spelled-out host of a web address."""
    bare = address.strip("<>")
    if bare.lower().startswith("mailto:"):
        return bare[len("mailto:") :].partition("?")[0]
    try:
        host = urlsplit(bare if "://" in bare else f"//{bare}").hostname or ""
    except ValueError:
        return ""
    return _say_signs(host.removeprefix("www."))


def _say_signs(address: str) -> str:
    return _SIGNS.sub(lambda sign: _SIGN_NAMES[sign[0]], address)
