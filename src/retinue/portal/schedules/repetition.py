"""Simple repetitions, such as "weekdays at 09:00", and the cron expressions that they stand for."""

import re
from collections.abc import Mapping

from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm
from retinue.schedules.cron import NICKNAMES

REPETITIONS = {
    "minutes": gettext_noop("Every few minutes"),
    "hourly": gettext_noop("Every hour"),
    "daily": gettext_noop("Every day"),
    "weekdays": gettext_noop("Weekdays"),
    "weekly": gettext_noop("On certain days of the week"),
    "monthly": gettext_noop("On a day of the month"),
    "cron": gettext_noop("Custom (cron)"),
}
"""The choices of a form. The last one shows the expression itself."""

INTERVALS = ("1", "2", "3", "4", "5", "6", "10", "12", "15", "20", "30")
"""Minutes that divide an hour: `*/45` would be due at 0 and 45 minutes past the hour."""

WEEKDAYS = {
    "MON": gettext_noop("Monday"),
    "TUE": gettext_noop("Tuesday"),
    "WED": gettext_noop("Wednesday"),
    "THU": gettext_noop("Thursday"),
    "FRI": gettext_noop("Friday"),
    "SAT": gettext_noop("Saturday"),
    "SUN": gettext_noop("Sunday"),
}

FIRST = "0 9 * * MON-FRI"
"""The expression of a form that nobody has filled in."""

_NUMBERED = {str(number): day for number, day in enumerate(("SUN", *WEEKDAYS))}
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?")
_USUAL = {"every": "15", "past": "0", "time": "09:00", "days": ["MON"], "day": "1"}


def cron_of(form: Form) -> str:
    """Return the cron expression of the chosen repetition. Raises `InvalidForm`."""
    match form.text("repeat"):
        case "minutes":
            return f"*/{_choice(form, 'every', INTERVALS)} * * * *"
        case "hourly":
            return f"{_number(form, 'past', 0, 59)} * * * *"
        case "daily":
            return f"{_time(form)} * * *"
        case "weekdays":
            return f"{_time(form)} * * MON-FRI"
        case "weekly":
            return f"{_time(form)} * * {_days(form)}"
        case "monthly":
            return f"{_time(form)} {_number(form, 'day', 1, 31)} * *"
    return form.text("cron")


def repetition_of(cron: str) -> Mapping[str, object]:
    """Return the fields of the simplest repetition that an expression stands for, and usual values for the others."""
    fields = NICKNAMES.get(cron, cron).upper().replace("?", "*").split()
    if len(fields) != 5 or fields[3] != "*":
        return {**_USUAL, "repeat": "cron"}
    minute, hour, day, _month, weekday = fields
    if (hour, day, weekday) == ("*", "*", "*"):
        return {**_USUAL, **_within_hour(minute)}
    if not (minute.isdecimal() and hour.isdecimal()):
        return {**_USUAL, "repeat": "cron"}
    return {**_USUAL, "time": f"{int(hour):02}:{int(minute):02}", **_on_days(day, weekday)}


def _within_hour(minute: str) -> Mapping[str, object]:
    every = "1" if minute == "*" else minute.removeprefix("*/")
    if minute == "*" or (minute.startswith("*/") and every in INTERVALS):
        return {"repeat": "minutes", "every": every}
    return {"repeat": "hourly", "past": str(int(minute))} if minute.isdecimal() else {"repeat": "cron"}


def _on_days(day: str, weekday: str) -> Mapping[str, object]:
    if day != "*":
        simple = day.isdecimal() and weekday == "*"
        return {"repeat": "monthly", "day": str(int(day))} if simple else {"repeat": "cron"}
    if weekday in ("*", "MON-FRI", "1-5"):
        return {"repeat": "daily" if weekday == "*" else "weekdays"}
    days = [_NUMBERED.get(one, one) for one in weekday.split(",")]
    return {"repeat": "weekly", "days": days} if set(days) <= set(WEEKDAYS) else {"repeat": "cron"}


def _time(form: Form) -> str:
    """Return minute and hour, the first two parts of an expression."""
    found = _TIME.fullmatch(form.text("time"))
    if found is None:
        raise _problem("time", _("Write a time from 00:00 to 23:59, such as 09:30."))
    return f"{int(found[2])} {int(found[1])}"


def _days(form: Form) -> str:
    chosen = [day for day in WEEKDAYS if day in form.list("days")]
    if not chosen:
        raise _problem("days", _("Choose at least one day."))
    return ",".join(chosen)


def _choice(form: Form, name: str, choices: tuple[str, ...]) -> str:
    if (text := form.text(name)) not in choices:
        raise _problem(name, _("Choose one of the values."))
    return text


def _number(form: Form, name: str, least: int, most: int) -> int:
    number = parse_whole_number(form.text(name), most)
    if number is None or number < least:
        raise _problem(name, _("Write a number from {least} to {most}.").format(least=least, most=most))
    return number


def _problem(name: str, text: str) -> InvalidForm:
    return InvalidForm(text, {name: text})
