"""Writes dates and clock times as ISO 8601, which small models copy correctly but often convert incorrectly."""

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAMES = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
"""A pattern with one group."""

_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTH_NAMES},? (\d{{4}})\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b{MONTH_NAMES} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d.:])(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))? ?([ap])(?:m\b|\.m\.)", re.IGNORECASE)
_HALF_DAY = 12
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d|\b\d\d:\d\d")


def has_iso_dates(text: str) -> bool:
    """Return whether a text contains a date or a clock time in the form of ISO 8601."""
    return _ISO.search(text) is not None


def write_iso_dates(text: str) -> str:
    """Replace `2 November 2025`, `Nov 2nd, 2025` and `3:40 pm` with `2025-11-02` and `15:40`."""
    text = _DAY_FIRST.sub(lambda found: _date(found[3], found[2], found[1]), text)
    text = _MONTH_FIRST.sub(lambda found: _date(found[3], found[1], found[2]), text)
    return _CLOCK.sub(lambda found: _clock(int(found[1]), found[2] or "00", found[3]), text)


def month_number(name: str) -> int:
    """Return the number of a month that `MONTH_NAMES` matches, from 1."""
    return _MONTHS.index(name[:3].lower()) + 1


def _date(year: str, month: str, day: str) -> str:
    return f"{year}-{month_number(month):02}-{int(day):02}"


def _clock(hour: int, minute: str, half: str) -> str:
    return f"{hour % _HALF_DAY + (_HALF_DAY if half.lower() == 'p' else 0):02}:{minute}"
