"""Detects requests in languages other than English."""

import re

_LONGEST = 400
"""Most characters of a request to translate: a longer one contains data."""
_FOREIGN = re.compile(
    r"[\u00bf\u00a1\u00df\u0370-\u1fff\u3040-\ud7ff]|\b(?:wie|wieviel|viele|ist|sind|und|welche[rs]?|rechne|wandle"
    r"|schreibe|z\u00e4hle|cu[\u00e1a]l|cu[\u00e1a]nt[oa]s?|qu\u00e9|convierte|calcula|escribe|cuenta|quel|quelle|combien"
    r"|convertis|calcule|\u00e9cris|quanto|converti|hoeveel|converta)\b",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"\"[^\"]*\"|\u201c[^\u201d]*\u201d")


def is_foreign(request: str) -> bool:
    """True if a request appears to be in a language other than English."""
    return len(request) <= _LONGEST and _FOREIGN.search(_QUOTATION.sub("", request)) is not None
