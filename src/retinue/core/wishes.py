"""How people wish an answer to be written: that tells nothing of what they ask for."""

import re

_COUNT = r"(?:\d|one|two|three|four|five|six)"
_WISH = re.compile(
    rf"\b(?:(?:to|with|in|at|as) )?{_COUNT} (?:decimals?(?: places?)?|places)(?: (?:is|are) (?:enough|fine))?\b"
    r"|\b(?:to the )?nearest (?:\w+ )?(?:number|cent|integer)\b|\bto the cent\b|\bas a decimal\b|\bwhole numbers?\b"
    r"|\b(?:please|pls|plz|thanks|altogether|in total)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\(\s?\)")


def without_wishes(text: str) -> str:
    """A text without `please`, `to two decimals` and the like."""
    return _EMPTY.sub(" ", _WISH.sub(" ", text))
