"""Refuse names that deceive readers: hidden and reordering characters, and names of the server or its operator."""

import unicodedata

_RESERVED = frozenset({"operator", "theoperator", "administrator", "admin"})
_SERVER = "retinue"
_JOINER = "\u200d"
"""Joins emoji, such as the members of a family. It is the only format character that a name may contain."""


def problem_of_name(name: str) -> str | None:
    """Return why a name may not be shown to other users, or None if it may."""
    if any(_is_hidden(letter) for letter in name):
        return "must not contain control, formatting or text direction characters"
    words = unicodedata.normalize("NFKC", name).replace(_JOINER, "").casefold().split()
    plain = ["".join(letter for letter in word if letter.isalnum()) for word in words]
    if plain[:1] == [_SERVER] or "".join(plain) in {*_RESERVED, _SERVER}:
        return "must not be the name of this server or of its operator"
    return None


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter != _JOINER
