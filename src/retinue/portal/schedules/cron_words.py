"""Cron expressions as people say them, in the language of the page."""

import re
from datetime import date

from retinue.language.translation import SOURCE, current_language, gettext_noop
from retinue.language.translation import gettext as _
from retinue.schedules.cron import NICKNAMES

_DAYS = (
    gettext_noop("Sundays"),
    gettext_noop("Mondays"),
    gettext_noop("Tuesdays"),
    gettext_noop("Wednesdays"),
    gettext_noop("Thursdays"),
    gettext_noop("Fridays"),
    gettext_noop("Saturdays"),
    gettext_noop("Sundays"),
)
_MONTHS = {"JAN": 1, "FEB": 2, "MAR": 3, "APR": 4, "MAY": 5, "JUN": 6} | {
    "JUL": 7, "AUG": 8, "SEP": 9, "OCT": 10, "NOV": 11, "DEC": 12
}  # fmt: skip
_SHORT = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_STEP = re.compile(r"\*/(\d{1,2})")
_LEAP_YEAR = 2024


def cron_words(expression: str) -> str:
    """Return an expression in words, such as `Weekdays at 08:00`. One that is not common stays as it is."""
    fields = NICKNAMES.get(expression, expression).upper().replace("?", "*").split()
    if len(fields) != 5:
        return expression
    minute, hour, day, month, weekday = fields
    days = _date(day, month, weekday) if month != "*" else _days(day, weekday)
    interval = _interval(minute, hour)
    time = interval or _times(minute, hour)
    if not days or not time:
        return expression
    if interval and day == month == weekday == "*":
        return _capitalize(interval)
    return _capitalize(_("{days} {time}").format(days=days, time=time))


def _interval(minute: str, hour: str) -> str:
    """Return an interval, such as "every 15 minutes", or an empty string."""
    step = _STEP.fullmatch(minute)
    if hour == "*" and step:
        return _("every {count} minutes").format(count=step[1])
    if hour == "*" and minute == "*":
        return _("every minute")
    if not minute.isdecimal():
        return ""
    if hour == "*":
        return _("every hour, {count} minutes past").format(count=int(minute)) if int(minute) else _("every hour")
    step = _STEP.fullmatch(hour)
    return _("every {count} hours").format(count=step[1]) if step and int(minute) == 0 else ""


def _times(minute: str, hour: str) -> str:
    """Return times of the day, such as "at 09:00 and 17:00", or an empty string."""
    hours = hour.split(",")
    if not _are_numbers([minute, *hours]):
        return ""
    return _("at {times}").format(times=_join([f"{int(one):02}:{int(minute):02}" for one in hours]))


def _days(day: str, weekday: str) -> str:
    if day != "*":
        return _("on day {day} of each month").format(day=int(day)) if weekday == "*" and day.isdecimal() else ""
    for number, name in enumerate(_SHORT):
        weekday = weekday.replace(name, str(number))
    if weekday in ("*", "1-5"):
        return _("every day") if weekday == "*" else _("weekdays")
    numbers = weekday.split(",")
    return _join([_(_DAYS[int(one)]) for one in numbers]) if _are_numbers(numbers) else ""


def _date(day: str, month: str, weekday: str) -> str:
    number = int(month) if month.isdecimal() else _MONTHS.get(month, 0)
    if weekday != "*" or not day.isdecimal():
        return ""
    try:
        found = date(_LEAP_YEAR, number, int(day))
    except ValueError:
        return ""
    from babel.dates import format_skeleton  # noqa: PLC0415 - only a server that shows pages needs it

    return _("every {date}").format(date=format_skeleton("MMMMd", found, locale=_locale()))


def _are_numbers(texts: list[str]) -> bool:
    return all(text.isdecimal() for text in texts)


def _join(words: list[str]) -> str:
    from babel.lists import format_list  # noqa: PLC0415 - see above

    return format_list(words, locale=_locale())


def _locale() -> str:
    """Return the locale of lists and dates. English ones are British: "1 January", and no comma before "and"."""
    language = current_language.get()
    return "en_GB" if language == SOURCE else language


def _capitalize(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
