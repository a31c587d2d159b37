"""Cron expressions: built, explained, and their next runs."""

from datetime import datetime
from typing import Annotated, Any, Literal

from croniter import CroniterError, croniter
from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import MONTHS, WEEKDAYS, Clock, clock_of, moment_of, zone_of

Cron = Annotated[
    str, About("Five fields: minute, hour, day, month, weekday", "30 9 * * 1-5", min_length=1, max_length=200)
]

Days = Annotated[
    list[Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]],
    About("Weekdays", ["Monday", "Wednesday"], max_items=7),
]


class Runs(TypedDict):
    """Runs of a schedule."""

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
    reply={
        "args.direction": "The runs are at {times}.",
        "": "The next runs are at {times}.",
    },
)
def cron_list_runs(
    expression: Cron,
    after: DateTime,
    timezone: TimeZone = "UTC",
    count: Annotated[int, About("Number of runs", 5, minimum=1, maximum=200)] = 5,
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
    """Explanation of a cron expression."""

    words: Annotated[str, About("Meaning of the expression in English")]
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
    reply="It runs {words}.",
)
def cron_explain_expression(expression: Cron) -> CronWords:
    """Check a cron expression of five fields and explain it in plain English.

    Use it to read or validate a crontab line. If both days and weekdays are given, either may match, as in crontab(5).
    """
    schedule = _croniter(expression, moment_of("2026-01-01"))
    fields = schedule.expanded
    minutes, hours, days, months, weekdays = ([value for value in field if value != "*"] for field in fields[:5])
    parts = [_clock_words(minutes, hours)]
    day = f"on {_day_words(days)} of the month" if days else ""
    names = _weekday_names(weekdays, schedule.nth_weekday_of_month)
    week = f"on {join_words(names)}" if names else ""
    if schedule.nth_weekday_of_month:
        week = f"on the {join_words(names)} of the month"
    parts.append(f"{day} or {week}" if day and week else day or week)
    month_names = [MONTHS[int(value) - 1] for value in months]
    parts.append(f"in {join_words(month_names)}" if month_names else "")
    return {
        "words": ", ".join(part for part in parts if part) + ("" if day or week or month_names else ", every day"),
        "minutes": _values(minutes),
        "hours": _values(hours),
        "days_of_month": _values(["last" if value == "l" else value for value in days]),
        "months": _values(month_names),
        "weekdays": _values(names),
    }


_PLACES = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", "l": "last"}


def _day_words(days: list[Any]) -> str:
    """Return 'day 1 and 15', or 'day 1 and the last day' for 1,L."""
    numbers = [value for value in days if value != "l"]
    last = ["the last day"] if "l" in days else []
    return join_words([*([f"day {join_words(numbers)}"] if numbers else []), *last])


def _weekday_names(weekdays: list[Any], places: dict[int, set[int | str]]) -> list[str]:
    """Return the names from Monday on. `places` holds the positions in the month by weekday: 5#2 is the second
    Friday.
    """
    days = sorted({(int(value) - 1) % 7 for value in weekdays if str(value).isdigit()})
    return [
        f"{words} {WEEKDAYS[day]}" if words else WEEKDAYS[day]
        for day in days
        for words in [_PLACES[place] for place in _PLACES if place in places.get((day + 1) % 7, ())] or [""]
    ]


def _values(values: list[Any]) -> str:
    return ", ".join(map(str, values)) or "every"


def join_words(values: list[Any]) -> str:
    texts = [str(value) for value in values]
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def _clock_words(minutes: list[Any], hours: list[Any]) -> str:
    if minutes and hours and len(minutes) * len(hours) <= 6:
        return "at " + join_words([f"{hour:02d}:{minute:02d}" for hour in hours for minute in minutes])
    first = f"at minute {join_words(minutes)}" if minutes else "every minute"
    return first + (f" of hour {join_words(hours)}" if hours else " of every hour" if minutes else "")


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
        Refusal({"every": "month", "weekdays": ["Monday"]}, "Omit the weekdays"),
        Refusal({"every": "hours", "first_hour": 9, "last_hour": 8}, "be before"),
    ),
    reply="The cron expression is `{expression}`.",
)
def cron_build_expression(
    every: Annotated[Literal["minutes", "hours", "day", "week", "month", "year"], About("Frequency")],
    at: Clock = "00:00",
    interval: Annotated[int, About("For minutes and hours: interval", 15, minimum=1, maximum=59)] = 1,
    weekdays: Days | None = None,
    day_of_month: Annotated[int, About("For month and year: day of the month", 1, minimum=1, maximum=31)] = 1,
    month: Annotated[int, About("For year: month", 1, minimum=1, maximum=12)] = 1,
    first_hour: Annotated[int, About("For minutes and hours: first hour", 9, minimum=0, maximum=23)] = 0,
    last_hour: Annotated[int, About("For minutes and hours: last hour", 17, minimum=0, maximum=23)] = 23,
) -> CronText:
    """Build a cron expression of five fields from a frequency (rhythm), a time and days.

    Use it to schedule a job. Intervals must divide 60 minutes or 24 hours, because cron restarts the interval each hour
    and day.
    """
    whole = {"minutes": 60, "hours": 24}.get(every, interval)
    if whole % interval:
        raise ToolError(f"The interval must divide {whole}, because cron restarts the interval there.")
    if every == "week" and not weekdays:
        raise ToolError("A weekly schedule needs weekdays.")
    if every in ("month", "year") and weekdays:
        raise ToolError(
            "Cron runs if the day of the month or the weekday matches, not only if both do. Omit the weekdays."
        )
    if last_hour < first_hour:
        raise ToolError("The last hour must not be before the first.")
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
