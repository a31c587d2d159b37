"""How people wish an answer to be written, and facts that they recall: that tells nothing of what they ask for."""

import re

_COUNT = r"(?:\d|one|two|three|four|five|six)"
_WISH = re.compile(
    rf"\b(?:(?:to|with|in|at|as) )?{_COUNT} (?:decimals?(?: places?)?|places)(?: (?:is|are) (?:enough|fine))?\b"
    r"|\b(?:to the )?nearest (?:\w+ )?(?:number|cent|integer|penny)\b"
    r"|\b(?:to the )?nearest 0?\.0*1(?: ?[a-z\u00b0]+)?\b|\bto the cent\b|\bas a decimal\b|\bwhole numbers?\b"
    r"|\b0\u00b0?(?: to |-|\u2013)(?:360|359)\u00b0?(?: degrees)?(?!\w)"
    r"|\b(?:please|pls|plz|thanks|altogether|in total)\b",
    re.IGNORECASE,
)
_SCALE = (
    r"(?:\u00b0 ?[cf]|[kmgt]i?b|[kmg]bit|kilobytes?|megabytes?|gigabytes?|mi|miles?|inch(?:es)?|in|foot|feet|ft|yards?"
    r"|(?:us |imperial )?gallons?|lbs?|pounds?|oz|ounces?|kg|km|hours?|days?|weeks?|mph|knots?|kn|km/h|kph|stone|pints?"
    r"|k?cal(?:ories?)?|atm|bar|psi|mmhg|hp|acres?|hectares?|nautical miles?|nmi?|ev|kwh|light[ -]years?|au)"
)
_MEASURE = (
    rf"(?:{_SCALE}|bytes?|bits?|k|l|litres?|liters?|ml|cm|m|m2|m\u00b2|metres?|meters?|g|grams?|minutes?|h|w|watts?"
    r"|m/s|metres? per second|kilojoules?|joules?|k?j|k?pa|pascals?)"
)
_FACT = re.compile(
    rf"\b[01] ?{_SCALE} ?= ?\d[\d.,^ ]{{0,20}}(?:e\d\d?)? ?{_MEASURE}(?![\w/])"
    r"|\bR ?= ?(?:8\.31|0\.08)\d{0,6}(?: ?[a-z\u00b7*/.^()]{1,12}(?: ?[a-z\u00b7*/.()]{1,12})?)?",
    re.IGNORECASE,
)
"""That an inch is 2.54 cm, or the constant of gases: tools know it, and it is no argument of theirs."""
_EMPTY = re.compile(r"\(\s?\)")


def without_wishes(text: str) -> str:
    """A text without `please`, `to two decimals`, `1 mile = 1.609 km` and the like."""
    return _EMPTY.sub(" ", _FACT.sub(" ", _WISH.sub(" ", text)))
