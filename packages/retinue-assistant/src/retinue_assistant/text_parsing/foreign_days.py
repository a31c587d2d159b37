"""Writes days of other languages in English, with which `relative_dates` computes."""

import re
from collections.abc import Mapping
from functools import cache

from babel.dates import get_month_names

_LOCALES = ("de", "es", "fr", "it", "nl", "pt")
_TODAY, _TOMORROW = r"heute|hoy|aujourd'hui|oggi|vandaag|hoje", r"morgen|ma\u00f1ana|demain|domani|amanh\u00e3"
_NEAR_DAY = re.compile(rf"(?<!\w)(?:(?P<today>{_TODAY})|{_TOMORROW})(?!\w)", re.IGNORECASE)
_DAY_AND_MONTH = re.compile(r"\b(\d{1,2})(?:\.|er|o|\u00ba)?\s(?:de\s)?([^\W\d]+)(?:\sde(?=\s\d{4}\b))?")
"""Matches a day of a month in words: "12. Oktober", "12 de octubre de 2027", "1er mai"."""


def write_english_days(text: str) -> str:
    """Replace "am 12. Oktober" with "am 12 October", and "heute" with "today"."""
    months = _english_months()
    text = _NEAR_DAY.sub(lambda one: "today" if one["today"] else "tomorrow", text)
    return _DAY_AND_MONTH.sub(
        lambda one: f"{one[1]} {months[one[2].lower()]}" if one[2].lower() in months else one[0], text
    )


@cache
def _english_months() -> Mapping[str, str]:
    """Return the English names of months by their names in other languages."""
    months = get_month_names("wide", locale="en")
    return {
        name.lower(): months[number]
        for locale in _LOCALES
        for number, name in get_month_names("wide", locale=locale).items()
    }
