"""Cron expressions as people say them."""

import re

from retinue.schedules.cron import NICKNAMES

_DAYS = ("Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SHORT = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_STEP = re.compile(r"\*/(\d{1,2})")


def cron_words(expression: str) -> str:
    """Return an expression in words, such as `Weekdays at 08:00`. One that is not common stays as it is."""
    fields = NICKNAMES.get(expression, expression).upper().replace("?", "*").split()
    if len(fields) != 5:
        return expression
    minute, hour, day, month, weekday = fields
    days = _date(day, month, weekday) if month != "*" else _days(day, weekday)
    time = _time(minute, hour)
    if not days or not time:
        return expression
    return time if days == "Every day" and not time.startswith("at") else f"{days} {time[0].lower()}{time[1:]}"


def _time(minute: str, hour: str) -> str:
    step = _STEP.fullmatch(minute)
    if hour == "*" and (minute == "*" or step):
        return f"Every {step[1]} minutes" if step else "Every minute"
    if not minute.isdecimal():
        return ""
    if hour == "*":
        return "Every hour" if int(minute) == 0 else f"Every hour, {int(minute)} minutes past"
    if step := _STEP.fullmatch(hour):
        return f"Every {step[1]} hours" if int(minute) == 0 else ""
    hours = hour.split(",")
    return "at " + _join([f"{int(one):02}:{int(minute):02}" for one in hours]) if _are_numbers(hours) else ""


def _days(day: str, weekday: str) -> str:
    if day != "*":
        return f"On day {int(day)} of each month" if weekday == "*" and day.isdecimal() else ""
    for number, name in enumerate(_SHORT):
        weekday = weekday.replace(name, str(number))
    if weekday in ("*", "1-5"):
        return "Every day" if weekday == "*" else "Weekdays"
    numbers = weekday.split(",")
    return _join([_DAYS[int(one)] for one in numbers]) if _are_numbers(numbers) else ""


def _date(day: str, month: str, weekday: str) -> str:
    months = {number: name for at, name in enumerate(_MONTHS, 1) for number in (str(at), name[:3].upper())}
    if weekday != "*" or not day.isdecimal() or month not in months:
        return ""
    return f"Every {int(day)} {months[month]}"


def _are_numbers(texts: list[str]) -> bool:
    return all(text.isdecimal() for text in texts)


def _join(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
