"""Business days and business hours between two dates, and days added."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, DateTime, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, Clock, clock_of, day_of, moment_of
from retinue_tools.datetime.public_holidays import Holiday, Region, check_range, days_between, holidays_of

HolidaysOf = Annotated[
    str,
    About(
        "ISO 3166 code of the country whose public holidays count; default: no holidays",
        "DE",
        pattern="^[A-Z]{2}$",
        max_length=2,
    ),
]

DaysOff = Annotated[
    list[Date] | None,
    About("Additional days off, such as leave or company holidays", ["2026-05-04"], max_items=500),
]


def _with_days_off(calendar: Any, days_off: list[str] | None) -> Any:
    """Return the calendar with these days as additional holidays."""
    for day in days_off or ():
        calendar.append({day_of(day): "Day off"})
    return calendar


class BusinessDay(TypedDict):
    """A working day."""

    date: str
    weekday: str
    skipped: Annotated[list[Holiday], About("Skipped holidays on weekdays")]


@tool(
    tags="business days add working days skip holidays deadline due date next previous",
    use_when=(
        "Which date is 10 working days after 2026-12-18 in Germany?",
        "What is the last business day before 2026-05-01 in France?",
        "When is a payment due in 5 banking days?",
        "Which date is ten working days from now?",
    ),
    memory_mb=768,
    examples=(
        Example(
            {"date": "2026-12-23", "days": 2, "country": "DE"},
            {
                "date": "2026-12-28",
                "weekday": "Monday",
                "skipped": [{"date": "2026-12-25", "weekday": "Friday", "name": "Christmas Day"}],
            },
            source="by hand: Thursday 24, then Friday 25 is a holiday, the weekend follows",
        ),
        Example(
            {"date": "2026-05-03", "days": 0, "country": "DE", "direction": "backward"},
            {"date": "2026-04-30", "weekday": "Thursday"},
            source="by hand: 1 May 2026 is a Friday and a holiday",
        ),
        Example(
            {"date": "2026-12-23", "days": 2},
            {"date": "2026-12-25", "weekday": "Friday"},
            source="by hand: Thursday 24, Friday 25, since no holidays count",
        ),
        Example(
            {"date": "2026-12-23", "days": 2, "days_off": ["2026-12-24"]},
            {"date": "2026-12-28", "weekday": "Monday"},
            source="by hand: Friday 25, Monday 28",
        ),
        Refusal({"date": "2026-02-30", "days": 2, "country": "DE"}, "is not a valid date"),
    ),
    reply={
        "skipped": "It is {weekday}, {date}. These holidays were skipped: {skipped}",
        "": "It is {weekday}, {date}.",
    },
)
def business_days_add(
    date: Date,
    days: Annotated[
        int,
        About(
            "Number of working days; 0 finds the date itself or the nearest working day", 10, minimum=0, maximum=2500
        ),
    ],
    country: HolidaysOf | None = None,
    region: Region = "",
    direction: Annotated[Literal["forward", "backward"], About("Direction to count")] = "forward",
    days_off: DaysOff = None,
) -> BusinessDay:
    """Add or subtract working days to a date, skipping weekends, and optionally public holidays of a country.

    Use it for deadlines and due dates. The weekend is that of the country; the start date itself is not counted.
    """
    day = check_range(day_of(date))
    step = timedelta(days=1 if direction == "forward" else -1)
    years = range(max(1950, day.year - 11), min(2100, day.year + 11) + 1)
    table = _with_days_off(holidays_of(country, region, years), days_off)
    skipped: list[Holiday] = []
    left = days
    while True:
        weekend = day.weekday() in table.weekend
        if day in table and not weekend:
            skipped.append({"date": day.isoformat(), "weekday": WEEKDAYS[day.weekday()], "name": table[day]})
        if left == 0 and not weekend and day not in table:
            break
        day = check_range(day + step)
        left -= left > 0 and day.weekday() not in table.weekend and day not in table
    return {"date": day.isoformat(), "weekday": WEEKDAYS[day.weekday()], "skipped": skipped}


class BusinessCount(TypedDict):
    """Working days of a period."""

    business_days: int
    weekend_days: int
    holidays: Annotated[list[Holiday], About("Holidays that fall on working weekdays")]


@tool(
    tags="business days count working days between holidays network days",
    use_when=(
        "How many working days are in December 2026 in Germany?",
        "Count business days between 2026-05-01 and 2026-05-31 in France",
        "How many days of leave do I need for two weeks?",
        "How many working days are there this month?",
    ),
    memory_mb=768,
    examples=(
        Example(
            {"start": "2026-05-01", "end": "2026-05-31", "country": "FR"},
            {"business_days": 17, "weekend_days": 10},
            source="by hand: 21 weekdays less 1, 8, 14 and 25 May",
        ),
        Example(
            {"start": "2026-03-02", "end": "2026-03-08", "country": "DE", "region": "BY"},
            {"business_days": 5},
            source="a week without holidays",
        ),
        Example(
            {"start": "2026-05-01", "end": "2026-05-31"},
            {"business_days": 21, "weekend_days": 10, "holidays": []},
            source="by hand: four weeks of five weekdays and Friday 1",
        ),
        Example(
            {"start": "2026-05-01", "end": "2026-05-08", "days_off": ["2026-05-04", "2026-05-09"]},
            {"business_days": 5, "holidays": [{"date": "2026-05-04", "weekday": "Monday", "name": "Day off"}]},
            source="by hand: Friday 1 and Tuesday to Friday; the 9th is a Saturday after the end",
        ),
        Refusal({"start": "2026-05-31", "end": "2026-05-01", "country": "FR"}, "before"),
        Refusal({"start": "2026-05-01", "end": "2026-05-31", "region": "BY"}, "Specify the country"),
    ),
    reply={
        "holidays": "It is {business_days|working day}. These public holidays are not counted: {holidays}",
        "": "It is {business_days|working day} and {weekend_days|weekend day}.",
    },
)
def business_days_count(
    start: Date, end: Date, country: HolidaysOf | None = None, region: Region = "", days_off: DaysOff = None
) -> BusinessCount:
    """Count the working days from start to end, both included, without weekends and, optionally, public holidays of a
    country.

    Use it for leave, pay and project plans. Also returns the weekend days and the holidays in between.
    """
    first, last = check_range(day_of(start)), check_range(day_of(end))
    if last < first:
        raise ToolError("The start must be before the end.")
    table = _with_days_off(holidays_of(country, region, range(first.year, last.year + 1)), days_off)
    weekdays = [day for day in days_between(first, last) if day.weekday() not in table.weekend]
    rows: list[Holiday] = [
        {"date": day.isoformat(), "weekday": WEEKDAYS[day.weekday()], "name": table[day]}
        for day in weekdays
        if day in table
    ]
    return {
        "business_days": len(weekdays) - len(rows),
        "weekend_days": (last - first).days + 1 - len(weekdays),
        "holidays": rows[:500],
    }


_MOST_DAYS = 4000
_WORKDAYS = WEEKDAYS[:5]

Workdays = Annotated[
    list[Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]],
    About("Working weekdays; default: Monday to Friday", ["Monday", "Saturday"], min_items=1, max_items=7),
]


class WorkingHours(TypedDict):
    """Time within working hours."""

    hours: float
    text: Annotated[str, About("Hours and minutes, such as 22:30")]
    minutes: float
    days_touched: Annotated[int, About("Days with any working time")]


@tool(
    tags="working hours business office between two moments opening service level response elapsed 9 to 5",
    use_when=(
        "How many working hours, 9 to 17, Monday to Friday, lie between Monday 11:00 and Thursday 15:00?",
        "Count the office hours between 2025-03-10T11:00 and 2025-03-13T15:00",
        "A ticket came Friday 16:00 and was solved Tuesday 10:00: how many business hours?",
    ),
    examples=(
        Example(
            {"start": "2025-03-10T11:00", "end": "2025-03-13T15:00"},
            {"hours": 28.0, "text": "28:00", "days_touched": 4},
            source="by hand: 6 + 8 + 8 + 6",
        ),
        Example(
            {"start": "2025-03-14T16:30", "end": "2025-03-17T09:15", "day_start": "08:30", "day_end": "17:00"},
            {"minutes": 75.0},
            source="by hand: 30 minutes of Friday and 45 of Monday",
        ),
        Refusal({"start": "2025-03-14T16:30", "end": "2025-03-13T09:00"}, "before the start"),
    ),
    reply="It is {hours|working hour} in between.",
)
def business_hours_count(
    start: DateTime,
    end: DateTime,
    day_start: Clock = "09:00",
    day_end: Clock = "17:00",
    weekdays: Workdays | None = None,
) -> WorkingHours:
    """Count the working hours between two moments, Monday to Friday unless other weekdays are given.

    Use it for response times and work on tickets. The clock is that of the start. Public holidays are not excluded.
    """
    clock = moment_of(start).tzinfo
    first, last = (moment_of(text).astimezone(clock).replace(tzinfo=None) for text in (start, end))
    opens, closes = clock_of(day_start), clock_of(day_end)
    if last < first or opens >= closes or last - first > timedelta(days=_MOST_DAYS):
        raise ToolError(
            "The end must not be before the start or more than 4,000 days after it, and day_end must not be before "
            "day_start."
        )
    days = (first.date() + timedelta(days=number) for number in range((last.date() - first.date()).days + 1))
    worked = [
        min(last, datetime.combine(day, closes)) - max(first, datetime.combine(day, opens))
        for day in days
        if _works(day, weekdays)
    ]
    minutes = sum(max(span, timedelta()) / timedelta(minutes=1) for span in worked)
    return {
        "hours": round(minutes / 60, 6),
        "text": f"{int(minutes) // 60}:{int(minutes) % 60:02d}",
        "minutes": round(minutes, 4),
        "days_touched": sum(span > timedelta() for span in worked),
    }


def _works(day: date, weekdays: Workdays | None) -> bool:
    return WEEKDAYS[day.weekday()] in (weekdays or _WORKDAYS)
