"""Recurrence rules of iCalendar (RFC 5545): building, describing and expanding."""

import re
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from dateutil.rrule import rrulestr
from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import MONTHS, WEEKDAYS, moment_of, zone_of
from retinue_tools.datetime.cron_expressions import Days, Runs, join_words

_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

Rule = Annotated[str, About("RRULE of RFC 5545", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5", min_length=1, max_length=500)]


@tool(
    tags="rrule expand recurrence rule ical occurrences dates rfc5545",
    use_when=(
        "Which dates has FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5 from 2026-11-23?",
        "List the occurrences of a recurring event",
        "When is every last Friday of the month in 2026?",
    ),
    examples=(
        Example(
            {"rule": "FREQ=MONTHLY;COUNT=3;BYDAY=1FR", "start": "1997-09-05T09:00", "timezone": "America/New_York"},
            {"times": ["1997-09-05T09:00:00-04:00", "1997-10-03T09:00:00-04:00", "1997-11-07T09:00:00-05:00"]},
            source="RFC 5545, section 3.8.5.3: monthly on the first Friday",
        ),
        Example(
            {"rule": "RRULE:FREQ=DAILY;INTERVAL=2", "start": "1997-09-02T09:00", "limit": 2},
            {"times": ["1997-09-02T09:00:00+00:00", "1997-09-04T09:00:00+00:00"], "count": 2},
            source="RFC 5545, section 3.8.5.3: every other day",
        ),
        Refusal({"rule": "FREQ=NEVER", "start": "1997-09-02T09:00"}, "not a recurrence rule"),
    ),
    reply={
        "times": "The times are {times}.",
        "times, times": "The times: {times}",
        "": "The rule gives no times.",
    },
)
def rrule_expand_times(
    rule: Rule,
    start: DateTime,
    timezone: TimeZone = "UTC",
    limit: Annotated[int, About("Maximum number of occurrences", 20, minimum=1, maximum=1000)] = 100,
) -> Runs:
    """Expand an iCalendar recurrence rule to its occurrences from a start.

    Use it for repeating events. Local time stays the same across clock changes, as RFC 5545 requires.
    """
    zone = zone_of(timezone)
    begin = moment_of(start, zone).astimezone(zone).replace(tzinfo=None)
    times = [time.replace(tzinfo=zone).isoformat() for time in islice(_parse(rule, begin, zone), limit)]
    return {"times": times, "count": len(times)}


def _parse(rule: str, begin: datetime, zone: Any) -> Any:
    """Parse the rule in local time. An UNTIL in UTC is converted to local time first, one without a time includes its
    day.
    """
    parts = _fields(rule)
    until = parts.get("UNTIL", "")
    if until.endswith("Z"):
        try:
            local = datetime.strptime(until[:-1] + "+0000", "%Y%m%dT%H%M%S%z").astimezone(zone)
        except (ValueError, OverflowError) as error:
            raise ToolError("UNTIL is not a UTC time such as 20261231T235959Z.") from error
        parts["UNTIL"] = local.strftime("%Y%m%dT%H%M%S")
    elif re.fullmatch(r"\d{8}", until):
        parts["UNTIL"] = f"{until}T235959"  # A bare date means the whole day; dateutil ends at its midnight.
    if parts.get("FREQ") == "SECONDLY" or "\n" in rule:
        raise ToolError("Rules with seconds or several lines are not supported. Give one RRULE.")
    try:
        return rrulestr(";".join(f"{key}={value}" for key, value in parts.items()), dtstart=begin)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError) as error:
        raise ToolError("This is not a recurrence rule. Write it as FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5.") from error


def _fields(rule: str) -> dict[str, str]:
    body = rule.strip().upper().removeprefix("RRULE:")
    pairs = [part.partition("=") for part in body.split(";") if part]
    if not all(key and mark and value for key, mark, value in pairs):
        raise ToolError("This is not a recurrence rule. Write it as FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5.")
    return {key: value for key, _, value in pairs}


class RuleText(TypedDict):
    """A recurrence rule."""

    rule: Annotated[str, About("Value of an RRULE property")]
    words: str


@tool(
    tags="rrule build create recurrence rule repeat event weekly monthly ical",
    use_when=(
        "Make an RRULE for every second Monday, ten times",
        "Recurrence rule for the last Friday of each month",
        "Write 'yearly until 2030-12-31' as RRULE",
    ),
    examples=(
        Example(
            {"frequency": "weekly", "interval": 2, "weekdays": ["Monday"], "count": 10},
            {"rule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=10", "words": "every 2 weeks on Monday, 10 times"},
            source="RFC 5545, section 3.3.10",
        ),
        Example(
            {"frequency": "monthly", "weekdays": ["Friday"], "weekday_number": -1},
            {"rule": "FREQ=MONTHLY;BYDAY=-1FR", "words": "every month on the last Friday"},
            source="RFC 5545, section 3.3.10",
        ),
        Refusal({"frequency": "daily", "count": 3, "until": "2026-12-31"}, "not both"),
    ),
    reply="The rule is {rule}: {words}.",
)
def rrule_build_rule(
    frequency: Annotated[Literal["daily", "weekly", "monthly", "yearly"], About("Frequency")],
    interval: Annotated[int, About("Interval in days, weeks, months or years", 2, minimum=1, maximum=1000)] = 1,
    weekdays: Days | None = None,
    weekday_number: Annotated[
        int, About("For monthly: position of the weekday, 1 first, -1 last, 0 all", -1, minimum=-5, maximum=5)
    ] = 0,
    count: Annotated[int, About("Number of occurrences; 0 for no end", 10, minimum=0, maximum=10000)] = 0,
    until: Annotated[
        str, About("Last date as YYYY-MM-DD", "2026-12-31", pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$", max_length=10)
    ] = "",
) -> RuleText:
    """Build an iCalendar recurrence rule from frequency (rhythm), weekdays and end.

    Use it to make an event repeat. Returns the RRULE value and its meaning in words.
    """
    if count and until:
        raise ToolError("A rule ends after a count or on a date, not both. Leave one out.")
    if weekday_number and (frequency != "monthly" or not weekdays):
        raise ToolError("weekday_number is for monthly rules with weekdays.")
    number = str(weekday_number) if weekday_number else ""
    days = ",".join(number + _CODES[WEEKDAYS.index(day)] for day in weekdays or [])
    end = f"{moment_of(until):%Y%m%d}" if until else ""
    fields = {
        "FREQ": frequency.upper(),
        "INTERVAL": str(interval) if interval > 1 else "",
        "BYDAY": days,
        "COUNT": str(count) if count else "",
        "UNTIL": end,
    }
    rule = ";".join(f"{key}={value}" for key, value in fields.items() if value)
    return {"rule": rule, "words": _rule_words(_fields(rule))}


class RuleWords(TypedDict):
    """Explanation of a rule."""

    words: str
    ends: Annotated[bool, About("Whether the rule has a count or a last date")]


@tool(
    tags="rrule describe explain recurrence rule words meaning ical",
    use_when=(
        "What does FREQ=MONTHLY;BYDAY=-1FR mean?",
        "Explain the repetition of this event",
        "Does this RRULE ever end?",
    ),
    examples=(
        Example(
            {"rule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=10"},
            {"words": "every 2 weeks on Monday and Wednesday, 10 times", "ends": True},
            source="RFC 5545, section 3.3.10",
        ),
        Example(
            {"rule": "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH"},
            {"words": "every year on the 4th Thursday in November", "ends": False},
            source="RFC 5545: Thanksgiving Day",
        ),
        Refusal({"rule": "every monday"}, "not a recurrence rule"),
    ),
    reply={
        "ends": "It happens {words}.",
        "": "It happens {words}, without an end.",
    },
)
def rrule_describe_rule(rule: Rule) -> RuleWords:
    """Describe an iCalendar recurrence rule in plain English.

    Use it to understand a repeating event. Parts that cannot be described briefly are quoted literally.
    """
    _parse(rule, moment_of("2026-01-01").replace(tzinfo=None), zone_of("UTC"))
    fields = _fields(rule)
    return {"words": _rule_words(fields), "ends": "COUNT" in fields or "UNTIL" in fields}


_UNITS = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_PLACES = {"1": "1st", "2": "2nd", "3": "3rd", "-1": "last", "-2": "last but one"}


def _rule_words(fields: dict[str, str]) -> str:
    unit, step = _UNITS[fields["FREQ"]], fields.get("INTERVAL", "1")
    text = f"every {unit}" if step == "1" else f"every {step} {unit}s"
    if "BYDAY" in fields:
        text += " on " + join_words([_day_words(day) for day in fields["BYDAY"].split(",")])
    if "BYMONTHDAY" in fields:
        text += f" on day {join_words(fields['BYMONTHDAY'].split(','))}"
    if "BYMONTH" in fields:
        text += " in " + join_words([MONTHS[int(month) - 1] for month in fields["BYMONTH"].split(",")])
    known = {"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "COUNT", "UNTIL", "WKST"}
    rest = [f"{key}={value}" for key, value in fields.items() if key not in known]
    text += f" ({'; '.join(rest)})" if rest else ""
    if "COUNT" in fields:
        text += f", {fields['COUNT']} times"
    if "UNTIL" in fields:
        end = fields["UNTIL"]
        text += f", until {end[:4]}-{end[4:6]}-{end[6:8]}"
    return text


def _day_words(code: str) -> str:
    day, number = WEEKDAYS[_CODES.index(code[-2:])], code[:-2].removeprefix("+")
    return f"the {_PLACES.get(number, number + 'th')} {day}" if number else day
