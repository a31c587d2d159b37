"""Recurring times: cron expressions and iCalendar recurrence rules (RFC 5545)."""

from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from croniter import CroniterError, croniter
from dateutil.rrule import rrulestr
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Moment, Refusal, ToolError, Zone, tool
from retinue_tools.datetime._moments import WEEKDAYS, Clock, clock_of, moment_of, zone_of

_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

Cron = Annotated[
    str, About("Five fields: minute, hour, day, month, weekday", "30 9 * * 1-5", min_length=1, max_length=200)
]
Rule = Annotated[str, About("RRULE of RFC 5545", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5", min_length=1, max_length=500)]
Days = Annotated[
    list[Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]],
    About("Weekdays", ["Monday", "Wednesday"], max_items=7),
]


class Runs(TypedDict):
    """When something recurs."""

    times: Annotated[list[str], About("In ISO 8601 with offset")]
    count: int


@tool(
    tags="cron next runs schedule previous times crontab",
    use_when=(
        "When does '30 9 * * 1-5' run next after 2026-11-21?",
        "Show the next five runs of this crontab line in Berlin time",
        "When did '0 0 1 * *' last run?",
    ),
    examples=(
        Example(
            {"expression": "30 9 * * 1-5", "after": "2026-11-20T12:00", "timezone": "Europe/Berlin", "count": 2},
            {"times": ["2026-11-23T09:30:00+01:00", "2026-11-24T09:30:00+01:00"]},
            source="by hand: 2026-11-20 is a Friday",
        ),
        Example(
            {"expression": "0 0 1 * *", "after": "2026-11-21", "count": 1, "direction": "previous"},
            {"times": ["2026-11-01T00:00:00+00:00"], "count": 1},
            source="by hand",
        ),
        Refusal({"expression": "61 * * * *", "after": "2026-11-21"}, "not a cron expression"),
    ),
)
def cron_list_runs(
    expression: Cron,
    after: Moment,
    timezone: Zone = "UTC",
    count: Annotated[int, About("How many runs", 5, minimum=1, maximum=200)] = 5,
    direction: Annotated[Literal["next", "previous"], About("Runs after or before the moment")] = "next",
) -> Runs:
    """List the next or previous runs of a cron expression from a moment, on the clock of a time zone.

    Use it to check a schedule. The moment is local time of the zone unless it has an offset.
    """
    zone = zone_of(timezone)
    runs = _croniter(expression, moment_of(after, zone).astimezone(zone))
    step = runs.get_next if direction == "next" else runs.get_prev
    try:
        times = [step(datetime).isoformat() for _ in range(count)]
    except (CroniterError, OverflowError) as error:
        raise ToolError("The expression has no more runs within 50 years: check day and month.") from error
    return {"times": times, "count": len(times)}


def _croniter(expression: str, start: datetime) -> Any:
    if len(expression.split()) != 5 and not expression.startswith("@"):
        raise ToolError("This is not a cron expression of five fields: minute, hour, day, month, weekday.")
    try:
        return croniter(expression, start)
    except (CroniterError, ValueError, KeyError, OverflowError) as error:
        raise ToolError(f"This is not a cron expression: {error}. Write it as '30 9 * * 1-5'.") from error


class CronWords(TypedDict):
    """A cron expression explained."""

    words: Annotated[str, About("What the expression means, in English")]
    minutes: str
    hours: str
    days_of_month: str
    months: str
    weekdays: str


@tool(
    tags="cron explain validate check crontab meaning describe",
    use_when=(
        "What does '*/15 8-18 * * 1-5' mean?",
        "Is '0 25 * * *' a valid cron expression?",
        "Explain this crontab line in words",
    ),
    examples=(
        Example(
            {"expression": "30 9 * * 1-5"},
            {
                "words": "at 09:30, on Monday, Tuesday, Wednesday, Thursday and Friday",
                "weekdays": "Monday, Tuesday, Wednesday, Thursday, Friday",
            },
            source="crontab(5): weekdays 1 to 5 are Monday to Friday",
        ),
        Example(
            {"expression": "*/15 * 1 1 *"},
            {"minutes": "0, 15, 30, 45", "hours": "every", "months": "January", "days_of_month": "1"},
            source="crontab(5)",
        ),
        Refusal({"expression": "0 25 * * *"}, "not a cron expression"),
    ),
)
def cron_explain_expression(expression: Cron) -> CronWords:
    """Check a cron expression of five fields and explain it in plain English.

    Use it to read or validate a crontab line. When both days and weekdays are given, either may match, as in
    crontab(5).
    """
    fields = _croniter(expression, moment_of("2026-01-01")).expanded
    minutes, hours, days, months, weekdays = ([value for value in field if value != "*"] for field in fields[:5])
    parts = [_clock_words(minutes, hours)]
    day = f"on day {_list(days)} of the month" if days else ""
    names = sorted({(int(value) - 1) % 7 for value in weekdays if str(value).isdigit()})
    week = f"on {_list([WEEKDAYS[place] for place in names])}" if names else ""
    parts.append(f"{day} or {week}" if day and week else day or week)
    named = [_MONTHS[int(value) - 1] for value in months]
    parts.append(f"in {_list(named)}" if named else "")
    return {
        "words": ", ".join(part for part in parts if part) + ("" if day or week or named else ", every day"),
        "minutes": _values(minutes),
        "hours": _values(hours),
        "days_of_month": _values(days),
        "months": _values(named),
        "weekdays": _values([WEEKDAYS[place] for place in names]),
    }


def _values(values: list[Any]) -> str:
    return ", ".join(map(str, values)) or "every"


def _list(values: list[Any]) -> str:
    texts = [str(value) for value in values]
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def _clock_words(minutes: list[Any], hours: list[Any]) -> str:
    if minutes and hours and len(minutes) * len(hours) <= 6:
        return "at " + _list([f"{hour:02d}:{minute:02d}" for hour in hours for minute in minutes])
    first = f"at minute {_list(minutes)}" if minutes else "every minute"
    return first + (f" of hour {_list(hours)}" if hours else " of every hour" if minutes else "")


class CronText(TypedDict):
    """A cron expression."""

    expression: str


@tool(
    tags="cron build create expression schedule crontab every daily weekly monthly",
    use_when=(
        "Make a cron expression for weekdays at 9:30",
        "Crontab for every 15 minutes",
        "How do I write 'first of every month at 02:00' in cron?",
    ),
    examples=(
        Example(
            {"every": "week", "at": "09:30", "weekdays": ["Monday", "Friday"]},
            {"expression": "30 9 * * 1,5"},
            source="crontab(5)",
        ),
        Example({"every": "minutes", "interval": 15}, {"expression": "*/15 * * * *"}, source="crontab(5)"),
        Example({"every": "month", "at": "02:00"}, {"expression": "0 2 1 * *"}, source="crontab(5)"),
        Example(
            {"every": "minutes", "interval": 30, "weekdays": ["Monday"], "first_hour": 9, "last_hour": 17},
            {"expression": "*/30 9-17 * * 1"},
            source="crontab(5)",
        ),
        Refusal({"every": "minutes", "interval": 7}, "divide 60"),
        Refusal({"every": "month", "weekdays": ["Monday"]}, "Leave the weekdays out"),
        Refusal({"every": "hours", "first_hour": 9, "last_hour": 8}, "come before"),
    ),
)
def cron_build_expression(
    every: Annotated[Literal["minutes", "hours", "day", "week", "month", "year"], About("Rhythm")],
    at: Clock = "00:00",
    interval: Annotated[int, About("For minutes and hours: every how many", 15, minimum=1, maximum=59)] = 1,
    weekdays: Days | None = None,
    day_of_month: Annotated[int, About("For month and year: which day", 1, minimum=1, maximum=31)] = 1,
    month: Annotated[int, About("For year: which month", 1, minimum=1, maximum=12)] = 1,
    first_hour: Annotated[int, About("For minutes and hours: from which hour on", 9, minimum=0, maximum=23)] = 0,
    last_hour: Annotated[int, About("For minutes and hours: the last hour", 17, minimum=0, maximum=23)] = 23,
) -> CronText:
    """Build a cron expression of five fields from a rhythm, a time and days.

    Use it to schedule a job. Intervals must divide 60 minutes or 24 hours, since cron begins anew each hour and day.
    """
    whole = {"minutes": 60, "hours": 24}.get(every, interval)
    if whole % interval:
        raise ToolError(f"The interval must divide {whole}, since cron begins anew there.")
    if every == "week" and not weekdays:
        raise ToolError("A weekly rhythm needs weekdays.")
    if every in ("month", "year") and weekdays:
        raise ToolError("Cron runs on a day of the month or on a weekday, not only on both. Leave the weekdays out.")
    if last_hour < first_hour:
        raise ToolError("The last hour must not come before the first one.")
    time = clock_of(at)
    days = ",".join(str((place + 1) % 7) for place in sorted(WEEKDAYS.index(day) for day in weekdays or [])) or "*"
    hours = "*" if last_hour - first_hour == 23 else f"{first_hour}-{last_hour}"
    start, step = f"{time.minute} {time.hour}", f"/{interval}" if interval > 1 else ""
    texts = {
        "minutes": f"*{step} {hours} * * {days}",
        "hours": f"{time.minute} {hours}{step} * * {days}",
        "day": f"{start} * * {days}",
        "week": f"{start} * * {days}",
        "month": f"{start} {day_of_month} * *",
        "year": f"{start} {day_of_month} {month} *",
    }
    return {"expression": texts[every]}


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
)
def rrule_expand_times(
    rule: Rule,
    start: Moment,
    timezone: Zone = "UTC",
    limit: Annotated[int, About("How many occurrences at most", 20, minimum=1, maximum=1000)] = 100,
) -> Runs:
    """Expand an iCalendar recurrence rule to its occurrences from a start.

    Use it for repeating events. Local time stays the same across clock changes, as RFC 5545 asks.
    """
    zone = zone_of(timezone)
    begin = moment_of(start, zone).astimezone(zone).replace(tzinfo=None)
    times = [time.replace(tzinfo=zone).isoformat() for time in islice(_parse(rule, begin, zone), limit)]
    return {"times": times, "count": len(times)}


def _parse(rule: str, begin: datetime, zone: Any) -> Any:
    """The rule in local time; an UNTIL in UTC is put on the local clock first."""
    parts = _fields(rule)
    until = parts.get("UNTIL", "")
    if until.endswith("Z"):
        try:
            local = datetime.strptime(until[:-1] + "+0000", "%Y%m%dT%H%M%S%z").astimezone(zone)
        except (ValueError, OverflowError) as error:
            raise ToolError("UNTIL is not a UTC time such as 20261231T235959Z.") from error
        parts["UNTIL"] = local.strftime("%Y%m%dT%H%M%S")
    if parts.get("FREQ") == "SECONDLY" or "\n" in rule:
        raise ToolError("Rules of seconds and of several lines are not supported. Give one RRULE.")
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
)
def rrule_build_rule(
    frequency: Annotated[Literal["daily", "weekly", "monthly", "yearly"], About("Rhythm")],
    interval: Annotated[int, About("Every how many days, weeks, months or years", 2, minimum=1, maximum=1000)] = 1,
    weekdays: Days | None = None,
    weekday_number: Annotated[
        int, About("For monthly: which of these weekdays, 1 first, -1 last, 0 all", -1, minimum=-5, maximum=5)
    ] = 0,
    count: Annotated[int, About("End after so many times; 0 for no end", 10, minimum=0, maximum=10000)] = 0,
    until: Annotated[
        str, About("Last date as YYYY-MM-DD", "2026-12-31", pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$", max_length=10)
    ] = "",
) -> RuleText:
    """Build an iCalendar recurrence rule from rhythm, weekdays and end.

    Use it to make an event repeat. Returns the RRULE value and what it means in words.
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
    """A rule explained."""

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
)
def rrule_describe_rule(rule: Rule) -> RuleWords:
    """Describe an iCalendar recurrence rule in plain English.

    Use it to understand a repeating event. Parts that words cannot hold shortly are quoted as they are.
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
        text += " on " + _list([_day_words(day) for day in fields["BYDAY"].split(",")])
    if "BYMONTHDAY" in fields:
        text += f" on day {_list(fields['BYMONTHDAY'].split(','))}"
    if "BYMONTH" in fields:
        text += " in " + _list([_MONTHS[int(month) - 1] for month in fields["BYMONTH"].split(",")])
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
