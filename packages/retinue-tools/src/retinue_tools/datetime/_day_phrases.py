"""Phrases for days relative to a base day: next Friday, Thursday week, the last day of next month."""

import calendar
import re
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

import babel
from babel.dates import get_day_names, get_month_names

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
_NEXT = r"next|nächste[nrms]?|kommende[nrms]?|prochaine?|próxim[oa]|prossim[oa]|que vem|次の"
_LAST = r"last|letzte[nrms]?|vergangene[nrms]?|dernière?|dernier|pasad[oa]|scors[oa]|passad[oa]|前の"
_THIS = r"this|the|current|diese[nrms]?|des|ce|este|questo"
_MONTH, _YEAR = r"months?|monats?|mois|mes|mese|mês", r"years?|jahre?s?|année|an|año|anno|ano"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "1st": 1, "2nd": 2, "3rd": 3}
_OF = r"of|des|de|du|del|di|do|da|in"
_EDGE = r"(?:the )?(?:(?:last|first) day|end|beginning)|ende|anfang|fin|fine|fim"
_ARTICLES = re.compile(r"^(?:on|am|den|der|dem|le|el|il|no dia|em|o dia|the|o|a)\s+", re.IGNORECASE)


class Day(NamedTuple):
    """A day, and the assumption made to find it, empty if there was none."""

    date: date
    assumed: str = ""


def without_article(text: str) -> str:
    """Remove a leading "on" or "am" from a text."""
    return _ARTICLES.sub("", text.strip(" ,."))


def read_day(text: str, base: date) -> Day | None:
    """Return the day that a phrase refers to, or None if it is not recognised."""
    plain = " ".join(without_article(text).casefold().split())
    return _weekday(plain, base) or _edge(plain, base) or _nth(plain, base)


def _weekday(plain: str, base: date) -> Day | None:
    """Parse next Friday, vendredi prochain, Thursday week."""
    forward, back = rf"(?:\b(?:{_NEXT}))", rf"(?:\b(?:{_LAST}))"
    bare = re.sub(rf"{forward}|{back}|\b(?:el|il|la|le|na|no)\b", " ", plain.replace("次の", " ")).strip()
    name, week = (bare.removesuffix(" week"), 7) if bare.endswith(" week") else (bare, 0)
    weekday = _weekdays().get(name)
    if weekday is None or plain == name:
        return None
    if re.search(back, plain):
        return Day(base - timedelta((base.weekday() - weekday - 1) % 7 + 1))
    ahead = (weekday - base.weekday() - 1) % 7 + 1
    near = not week and ahead <= 6 - base.weekday()
    return Day(base + timedelta(ahead + week), f"{plain} is taken for the first after the base" if near else "")


def _edge(plain: str, base: date) -> Day | None:
    """Parse the last day of next month, end of the month, Ende des Jahres."""
    match = re.fullmatch(rf"(?P<edge>{_EDGE}) (?:{_OF}) (?P<span>.+)", plain)
    months = _span(match["span"], base) if match else None
    if match is None or months is None:
        return None
    first, last = months
    return Day(first if re.search("first|beginning|anfang", match["edge"]) else last)


def _nth(plain: str, base: date) -> Day | None:
    """Parse the first Monday of January."""
    match = re.fullmatch(rf"(?:the )?(?P<nth>{'|'.join(_ORDINALS)}) (?P<day>\w+) (?:of|in) (?P<span>.+)", plain)
    weekday = _weekdays().get(match["day"]) if match else None
    months = _span(match["span"], base) if match else None
    if match is None or weekday is None or months is None:
        return None
    first, last = months
    nth = _ORDINALS[match["nth"]]
    found = first + timedelta((weekday - first.weekday()) % 7 + 7 * (nth - 1))
    if nth < 0:
        found = last - timedelta((last.weekday() - weekday) % 7)
    return Day(found) if found <= last else None


def _span(plain: str, base: date) -> tuple[date, date] | None:
    """Return the first and last day of next month, this year, January, January 2027."""
    plain = re.sub(rf"^(?:{_THIS})\s+(?!(?:{_NEXT}|{_LAST})\b)", "", plain)
    step = 1 if re.search(rf"\b(?:{_NEXT})\b", plain) else -1 if re.search(rf"\b(?:{_LAST})\b", plain) else 0
    unit = re.sub(rf"\b(?:{_NEXT}|{_LAST}|l')\b", "", plain).strip()
    if re.fullmatch(_YEAR, unit):
        return date(base.year + step, 1, 1), date(base.year + step, 12, 31)
    if re.fullmatch(_MONTH, unit):
        months = base.year * 12 + base.month - 1 + step
        return _month(months // 12, months % 12 + 1)
    match = re.fullmatch(r"(?P<name>[^\W\d]+)(?:,? (?P<year>\d{4}))?", unit)
    month = _months().get(match["name"]) if match else None
    if match is None or month is None:
        return None
    return _month(int(match["year"]) if match["year"] else base.year + (month < base.month), month)


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


@cache
def _weekdays() -> dict[str, int]:
    """Names of weekdays in all languages, numbered from Monday as 0."""
    names = {
        name.casefold(): number
        for language in (*LANGUAGES, "ja")
        for width in ("wide", "abbreviated")
        for number, name in get_day_names(width, locale=babel.Locale(language)).items()
    }
    return names | {name.removesuffix("-feira"): number for name, number in names.items()}


@cache
def _months() -> dict[str, int]:
    return {
        name.casefold(): number
        for language in LANGUAGES
        for width in ("wide", "abbreviated")
        for number, name in get_month_names(width, locale=babel.Locale(language)).items()
    }
