"""Writes days that depend on today as ISO 8601, and completes a period of which a request names one end.

Small models copy dates correctly, but they cannot compute them.
"""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from retinue.models.base import ToolOffer
from retinue_assistant.text_parsing.iso_dates import MONTH_NAMES, month_number, write_iso_dates

_NEIGHBOURS = {"day before yesterday": -2, "yesterday": -1, "tomorrow": 1, "day after tomorrow": 2}
_DAYS = {**_NEIGHBOURS, "today": 0}
_QUESTION = re.compile(r"^\W*(?:(?:and|so|then)\W+)?(?:what|which|when|how|is|are|was|were|will|the)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"\u201c\u201e:]|(?<!\w)'")
_HOLIDAYS = {
    "new year's day": (1, 1),
    "new year": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
}
"""Holidays with the same date in every year and country that has them."""

_TO_DAY = r"\b(since|until|till?|before|to)( (?:the )?(?:last |next )?)"
_HOLIDAY = re.compile(rf"{_TO_DAY}({'|'.join(sorted(_HOLIDAYS, key=len, reverse=True))})\b(?! \d{{4}})", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTH_NAMES}(?!\w|,? \d{{4}})", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b{MONTH_NAMES} (\d{{1,2}})(?:st|nd|rd|th)?\b(?!,? \d{{4}}|\.\d)", re.IGNORECASE)
_PAST = re.compile(r"\b(?:since|ago|last|passed|elapsed|was|were|born)\b", re.IGNORECASE)
_PERIOD = re.compile(
    r"\b(?:ago|away|before|birth|born|elapsed|how (?:long|old)|from now|left|passed|since|till?|to go|until)\b",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_LEAP_YEARS = 8
"""Maximum number of years between two 29 February."""


def write_named_days(text: str, today: date) -> str:
    """Replace `until Christmas` with `until 2026-12-25`: the next one, or after "since" the last one.

    In a question without quotations, `tomorrow` and its like are replaced, too.
    """
    if _QUESTION.match(text) and not _QUOTED.search(text):
        text = _write_near_days(text, today, _NEIGHBOURS)
    return _HOLIDAY.sub(
        lambda found: found[1] + found[2] + _nearest(*_HOLIDAYS[found[3].lower()], today, _is_past(found[1])), text
    )


def takes_dates(tool: ToolOffer) -> bool:
    """True if an argument of a tool is a calendar date."""
    return any(_is_date(schema) for schema in tool.input_schema.get("properties", {}).values())


def write_relative_dates(text: str, today: date) -> str:
    """Replace dates in words with ISO dates, also `tomorrow` and days without a year.

    These become the next such day, or the last one in a text about the past. A day that no month has stays as it is.
    """
    text = write_iso_dates(text)
    text = _write_near_days(text, today, _DAYS)
    past = _is_past(text)
    text = _DAY_FIRST.sub(lambda one: _nearest(month_number(one[2]), int(one[1]), today, past) or one[0], text)
    return _MONTH_FIRST.sub(lambda one: _nearest(month_number(one[1]), int(one[2]), today, past) or one[0], text)


def period_with_today(request: str, schema: Mapping[str, Any], today: date) -> dict[str, str]:
    """Return the first and the last day of a tool's period if a request names one of them: the other one is today.

    The tool must require two dates, and the request must ask how far the day is away.
    """
    properties = schema.get("properties", {})
    names = [name for name in properties if name in schema.get("required", ()) and _is_date(properties[name])]
    days = {*_ISO_DATE.findall(request)}
    if len(names) != 2 or len(days) != 1 or not _PERIOD.search(request):
        return {}
    return dict(zip(names, sorted([*days, today.isoformat()]), strict=True))


def _is_date(schema: Mapping[str, Any]) -> bool:
    return str(schema.get("pattern", "")).startswith("^[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _write_near_days(text: str, today: date, days: Mapping[str, int]) -> str:
    names = "|".join(sorted(days, key=len, reverse=True))
    near = re.compile(rf"\b(?:the )?({names})\b", re.IGNORECASE)
    return near.sub(lambda found: (today + timedelta(days=days[found[1].lower()])).isoformat(), text)


def _is_past(text: str) -> bool:
    return _PAST.search(text) is not None


def _nearest(month: int, day: int, today: date, past: bool) -> str:
    """Return the last such day up to today, or the next one from today on; empty if no year has it."""
    step = -1 if past else 1
    for years in range(_LEAP_YEARS + 1):
        try:
            found = date(today.year + step * years, month, day)
        except ValueError:
            continue
        if (found <= today) if past else (found >= today):
            return found.isoformat()
    return ""
