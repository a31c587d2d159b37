"""Writes days that depend on today as ISO 8601, and completes a period of which a request names one end.

Small models copy dates correctly, but they cannot compute them.
"""

import calendar
import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from retinue.models.base import Candidate
from retinue_assistant.text_parsing.holidays import write_holidays
from retinue_assistant.text_parsing.iso_dates import MONTH_NAMES, month_number, write_iso_dates

_NEIGHBOURS = {"day before yesterday": -2, "yesterday": -1, "tomorrow": 1, "day after tomorrow": 2}
_DAYS = {**_NEIGHBOURS, "today": 0}
_QUESTION = re.compile(
    r"^\W*(?:(?:and|so|then|please)\W+)*(?:what|which|when|how|is|are|was|were|will|do|the|show|list|report)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"\u201c\u201e:]|(?<!\w)'")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTH_NAMES}(?!\w|,? \d{{4}})", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b{MONTH_NAMES} (\d{{1,2}})(?:st|nd|rd|th)?\b(?!,? \d{{4}}|\.\d)", re.IGNORECASE)
_DAY_OF_MONTH = re.compile(
    r"\b((?:on|by|until|till?|before|due|since) )the (\d{1,2})(?:st|nd|rd|th)(?=\W*$|[,;.]| at\b)", re.IGNORECASE
)
"""Matches `by the 15th` without a month."""
_YEAR_BEHIND = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH_NAMES})"
    rf"|(?P<first_month>{MONTH_NAMES}) (?P<later_day>\d{{1,2}})(?:st|nd|rd|th)?)"
    r"(?P<to> (?:and|to|till?|until|through) (?:the )?|\s?[-\u2013]\s?)(?P<end>(?P<year>\d{4})-\d\d-\d\d)\b",
    re.IGNORECASE,
)
"""Matches `1 January and 2026-08-15`, after the second date was written as ISO 8601."""
_PAST = re.compile(r"\b(?:since|ago|last|passed|elapsed|was|were|born)\b", re.IGNORECASE)
_PERIOD = re.compile(
    r"\b(?:ago|away|before|birth|born|elapsed|how (?:long|old)|from now|left|passed|since|till?|to go|until)\b",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?\b")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(
    rf"\b(?P<before>(?:on|by|until|till|before|due|for|since) )?(?P<which>(?:this|next|coming|last) )?"
    rf"(?P<day>{'|'.join(WEEKDAYS)})\b(?!,? (?:the )?\d|,? {MONTH_NAMES}\b| of\b| in\b)",
    re.IGNORECASE,
)
"""Matches `on Friday` and `next Friday`, but not `Friday 8 May` and `the last Friday of May`."""
_STEPS = {"last": -1, "this": 0, "next": 1}
_WEEK = re.compile(r"\b(?:in |for |on |during )?(last|this|next) week(?:'s)?\b(?! of\b)", re.IGNORECASE)
_MONTH = re.compile(r"\b(?:in |for |during )?(last|this|next) month('s)?\b(?! of\b)", re.IGNORECASE)
_YEAR_LEFT = re.compile(r"\b(left|remaining|remain|to go)(?: in| of)? (?:this|the) year\b", re.IGNORECASE)
_RECURRING = re.compile(r"\b(?:every|each|daily|weekly|monthly|yearly|recurr\w*|repeat\w*|rrule)\b", re.IGNORECASE)
_RELATIVE = re.compile(
    rf"\b(?:today|tomorrow|yesterday|(?:next|last|on) (?:{'|'.join(WEEKDAYS)}))\b(?!\":)", re.IGNORECASE
)
_DAY_AND_CLOCK = re.compile(
    r"\b(\d{4}-\d\d-\d\d),? at (?:(noon|midnight)|(\d{1,2})(?:[:.]([0-5]\d))?(?: ?o'?clock)?)\b(?![.,:]?\d)",
    re.IGNORECASE,
)
_CLOCK_FIRST = re.compile(
    r"\bat (noon|midnight|\d{1,2}(?:[:.][0-5]\d)?)(?: ?o'?clock)?,? (?:on )?(\d{4}-\d\d-\d\d)\b", re.IGNORECASE
)
_TRAILING_DATE = re.compile(
    r"(?<=\S)[,;:]? (?:(?:due|on|by|for|until) ){0,3}(?P<day>\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?)[.!]?\Z"
)
_CLOCK = re.compile(r"(?<![\w:.+-])([01]?\d|2[0-3]):([0-5]\d)(?![:\d])")
_ANY_DATE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\d[./]\d|\b(?:{'|'.join(WEEKDAYS)})\b|\b{MONTH_NAMES}(?!\w)", re.IGNORECASE
)
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00)?)?")
"""Matches a day without a clock time, or with that of its beginning."""
_HOURS = 24
_MONTHS_WITH_ALL_DAYS = 4
"""Months of which at least one later than the first has 31 days."""
_LEAP_YEARS = 8
"""Maximum number of years between two 29 February."""


def write_named_days(text: str, today: date) -> str:
    """Replace `until Christmas` with `until 2026-12-25`: the next one, or after "since" the last one.

    In a question without quotations, `tomorrow`, `this week`, `last month` and their like are replaced, too.
    """
    if _QUESTION.match(text) and not _QUOTED.search(text):
        text = _write_near_days(text, today, _NEIGHBOURS)
        text = _WEEK.sub(lambda one: _write_week(one, today), text)
        text = _MONTH.sub(lambda one: _write_month(one, today), text)
        text = _YEAR_LEFT.sub(rf"\1 until {today.year}-12-31", text)
    return write_holidays(text, today)


def takes_dates(candidate: Candidate) -> bool:
    """Return whether an argument of a tool is a date, unless its examples show that it reads words like `tomorrow`
    itself.
    """
    properties = candidate.tool.input_schema.get("properties", {})
    is_dated = any(_is_date(schema) or _has_date_example(schema) for schema in properties.values())
    return is_dated and not any(_RELATIVE.search(arguments) for _, arguments in candidate.examples)


@lru_cache(16)  # Several steps of one call read the same request.
def write_relative_dates(text: str, today: date) -> str:
    """Replace dates in words with ISO dates, also `tomorrow`, `on Friday` and days without a year.

    These become the next such day, or the last one in a text about the past. A day that no month has stays as it is,
    and so do the weekdays of a text about recurring days.
    """
    text = write_iso_dates(text)
    text = _write_near_days(text, today, _DAYS)
    text = _YEAR_BEHIND.sub(_share_year, text)
    past = _is_past(text)
    if not _RECURRING.search(text):
        text = _WEEKDAY.sub(lambda one: _write_weekday(one, today), text)
        text = _DAY_OF_MONTH.sub(lambda one: _write_day_of_month(one, today), text)
    text = _DAY_FIRST.sub(lambda one: _nearest(month_number(one[2]), int(one[1]), today, past) or one[0], text)
    return _MONTH_FIRST.sub(lambda one: _nearest(month_number(one[1]), int(one[2]), today, past) or one[0], text)


def write_moments(text: str, candidate: Candidate) -> str:
    """Replace `2026-11-30 at 9` with `2026-11-30T09:00` for a tool with an argument that takes a date or time."""
    properties = candidate.tool.input_schema.get("properties", {})
    if not any(_has_date_example(one) and "time" in one.get("description", "") for one in properties.values()):
        return text
    return _DAY_AND_CLOCK.sub(_write_moment, _CLOCK_FIRST.sub(r"\2 at \1", text))


def move_trailing_date(found: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Move a date from the end of a text, as in "buy milk 2026-11-30", to the optional date that has no value."""
    dates = [name for name, one in schema.get("properties", {}).items() if _is_date(one) or _has_date_example(one)]
    empty = [name for name in dates if name not in found and name not in schema.get("required", ())]
    texts = {
        name: match
        for name, value in found.items()
        if name not in dates and isinstance(value, str) and (match := _TRAILING_DATE.search(value))
    }
    if len(empty) != 1 or len(texts) != 1:
        return {**found}
    ((name, match),) = texts.items()
    return {**found, name: found[name][: match.start()], empty[0]: match["day"]}


def add_stated_date(found: Mapping[str, Any], schema: Mapping[str, Any], request: str) -> dict[str, Any]:
    """Set the only date of a tool to the only date of a request, with its time, if the arguments do not have it."""
    properties = schema.get("properties", {})
    dates = [name for name, one in properties.items() if _is_date(one) or _has_date_example(one)]
    stated = {*_MOMENT.findall(request)}
    if len(dates) != 1 or len(stated) != 1 or any(_ISO_DATE.search(str(value)) for value in found.values()):
        return {**found}
    return {**found, dates[0]: stated.pop()}


def add_stated_time(
    found: Mapping[str, Any], schema: Mapping[str, Any], request: str, today: date, after: datetime | None = None
) -> dict[str, Any]:
    """Complete the only moment of a call: a date with the only clock time of the request, and a clock time with today.

    "14:05 in New York on 2026-03-03" has its time apart from its date, and "call mum at 17:00" has no date: one that
    the model adds is replaced. With `after`, a clock time that has passed by then is one of tomorrow.
    """
    properties = schema.get("properties", {})
    moments = [
        name for name, one in properties.items() if _has_date_example(one) and "time" in one.get("description", "")
    ]
    value = str(found.get(moments[0], "")) if len(moments) == 1 else ""
    stated = {one for one in _MOMENT.findall(request) if value and one.startswith(f"{value}T")}
    if len(stated) == 1:
        return {**found, moments[0]: stated.pop()}
    clocks = {f"{int(hour):02}:{minute}" for hour, minute in _CLOCK.findall(request)}
    clock = value.partition("T")[2][:5] if _MOMENT.fullmatch(value[:16]) else value
    is_dated = clock != value and (value[:10] in request or _ANY_DATE.search(request))
    if clock in clocks and not is_dated:
        has_passed = after is not None and clock <= f"{after:%H:%M}"
        return {**found, moments[0]: f"{today + timedelta(days=has_passed)}T{clock}"}
    day = _MIDNIGHT.fullmatch(value)
    return {**found, moments[0]: f"{day[1]}T{clocks.pop()}"} if day and len(clocks) == 1 else {**found}


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


def _has_date_example(schema: Mapping[str, Any]) -> bool:
    return any(isinstance(one, str) and _ISO_DATE.match(one[:10]) for one in schema.get("examples", ()))


def _write_moment(found: re.Match[str]) -> str:
    day, word, hour, minute = found.groups()
    clock = {"noon": 12, "midnight": 0}[word.lower()] if word else int(hour)
    return f"{day}T{clock:02}:{minute or '00'}" if clock < _HOURS else found[0]


def _write_weekday(found: re.Match[str], today: date) -> str:
    """Return the date of a weekday that a preposition, `next` or `last` precedes."""
    before, which = found["before"] or "", (found["which"] or "").strip().lower()
    if not (before or which):
        return found[0]
    past = which == "last" or before.strip().lower() == "since"
    days = (WEEKDAYS.index(found["day"].lower()) - today.weekday()) % 7
    days = (days - 7) if past else (days or 7)
    return f"{before}{today + timedelta(days=days)}"


def _write_day_of_month(found: re.Match[str], today: date) -> str:
    """Return the next day with this number from today on; after "since" the last one up to today."""
    step = -1 if found[1].strip().lower() == "since" else 1
    for months in range(_MONTHS_WITH_ALL_DAYS):
        year, month = divmod(today.year * 12 + today.month - 1 + step * months, 12)
        try:
            day = date(year, month + 1, int(found[2]))
        except ValueError:
            continue
        if (day <= today) if step < 0 else (day >= today):
            return f"{found[1]}{day}"
    return found[0]


def _write_week(found: re.Match[str], today: date) -> str:
    """Return the days of a week. This one and the next end with a Monday, because calendars exclude the last day."""
    step = _STEPS[found[1].lower()]
    monday = today + timedelta(days=7 * step - today.weekday())
    return f"from {monday} to {monday + timedelta(days=6 if step < 0 else 7)}"


def _write_month(found: re.Match[str], today: date) -> str:
    """Return a month as "in October 2026", or without the preposition before the noun of "last month's expenses"."""
    year, month = divmod(today.year * 12 + today.month - 1 + _STEPS[found[1].lower()], 12)
    name = f"{calendar.month_name[month + 1]} {year}"
    return f"{name}'s" if found[2] else f"in {name}"


def _write_near_days(text: str, today: date, days: Mapping[str, int]) -> str:
    names = "|".join(sorted(days, key=len, reverse=True))
    near = re.compile(rf"\b(?:the )?({names})\b(?!'s \d| is \d|: ?\d)", re.IGNORECASE)  # not "today is 2 June"
    return near.sub(lambda found: (today + timedelta(days=days[found[1].lower()])).isoformat(), text)


def _share_year(found: re.Match[str]) -> str:
    """Give the first day of a period the year of the last one, or the year before it if it would come later."""
    month = month_number(found["month"] or found["first_month"])
    day, year, end = int(found["day"] or found["later_day"]), int(found["year"]), date.fromisoformat(found["end"])
    for start in (year, year - 1):
        try:
            first = date(start, month, day)
        except ValueError:
            return found[0]
        if first <= end:
            return f"{first}{found['to']}{end}"
    return found[0]


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
