"""Replaces the names of holidays after words such as "until" with their dates."""

import re
from datetime import date, timedelta

_FIXED = {
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
_MOVABLE = {"good friday": -2, "easter": 0, "easter sunday": 0, "easter monday": 1, "pentecost": 49, "whit sunday": 49}
"""Holidays by their distance from Easter Sunday in the Gregorian calendar, in days."""
_NAMES = "|".join(sorted(_FIXED | _MOVABLE, key=len, reverse=True))
_HOLIDAY = re.compile(
    rf"\b(?P<to>(?P<since>since)|until|till?|before|to)(?P<article> (?:the )?(?:last |next )?)(?P<name>{_NAMES})\b"
    r"(?: (?P<year>(?:1[6-9]|2\d)\d\d)\b)?",
    re.IGNORECASE,
)


def write_holidays(text: str, today: date) -> str:
    """Replace `until Christmas` with `until 2026-12-25`: in the year that the text states, else the next one, or after
    "since" the last one.
    """
    return _HOLIDAY.sub(lambda found: f"{found['to']}{found['article']}{_day_of(found, today).isoformat()}", text)


def _day_of(found: re.Match[str], today: date) -> date:
    name = found["name"].lower()
    if found["year"]:
        return _in_year(name, int(found["year"]))
    days = [_in_year(name, today.year + years) for years in (-1, 0, 1)]
    return max(day for day in days if day <= today) if found["since"] else min(day for day in days if day >= today)


def _in_year(name: str, year: int) -> date:
    return date(year, *_FIXED[name]) if name in _FIXED else easter_sunday(year) + timedelta(_MOVABLE[name])


def easter_sunday(year: int) -> date:
    """Return Easter Sunday in the Gregorian calendar (Jean Meeus, Astronomical Algorithms, chapter 8)."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - moon - of_century % 4) % 7
    later = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * later + 114, 31)
    return date(year, month, day + 1)
