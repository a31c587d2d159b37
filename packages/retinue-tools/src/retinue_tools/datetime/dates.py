"""Calendar arithmetic in the Gregorian calendar: intervals, days of the year, and weekdays in a period."""

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, Year

Years = Annotated[int, About("Years to add, negative to subtract", 1, minimum=-9999, maximum=9999)]
Months = Annotated[int, About("Months to add, negative to subtract", 1, minimum=-99_999, maximum=99_999)]
Weeks = Annotated[int, About("Weeks to add, negative to subtract", 2, minimum=-500_000, maximum=500_000)]
Days = Annotated[int, About("Days to add, negative to subtract", 90, minimum=-3_650_000, maximum=3_650_000)]


class DateDifference(TypedDict):
    """Difference between two dates in several units."""

    days: Annotated[int, About("Days from start to end; negative if the end is earlier")]
    weeks: Annotated[int, About("Full weeks")]
    years: Annotated[int, About("Full years")]
    months: Annotated[int, About("Full months beyond the years")]
    remaining_days: Annotated[int, About("Days beyond years and months")]
    working_days: Annotated[int, About("Mondays to Fridays from start up to, but excluding, end")]
    words: Annotated[str, About("Years, months and days in words, without a sign")]


class DateResult(TypedDict):
    """A date and its weekday."""

    date: Annotated[str, About("Date as YYYY-MM-DD")]
    weekday: Annotated[str, About("English name of the weekday")]


@tool(
    tags="date days between difference elapsed age countdown duration calendar dates from until since count birth",
    use_when=(
        "How many days are between 2026-01-15 and 2026-11-21?",
        "How old is someone born on 1990-05-17?",
        "How many weeks until 2026-12-24?",
        "How many working days are left this month?",
        "How many days are left until New Year?",
        "How old is somebody who was born on 4 May 1990?",
        "Age today by date of birth",
        "How many days till my birthday?",
        "How old am I?",
        "How many days old am I if I was born on 5 May 1990?",
        "How old is somebody born in March 1985?",
        "How many days until my birthday on 3 March?",
    ),
    examples=(
        Example(
            {"start": "1910-04-20", "end": "1986-02-09"},
            {"days": 27689, "weeks": 3955, "working_days": 19778},
            source="Meeus, Astronomical Algorithms, chapter 7: two passages of Halley's comet",
        ),
        Example(
            {"start": "2024-01-15", "end": "2026-03-01"},
            {"years": 2, "months": 1, "remaining_days": 14, "days": 776, "words": "2 years, 1 month and 14 days"},
            source="counted on a calendar",
        ),
        Refusal({"start": "2026-02-30", "end": "2026-03-01"}, "is not a valid date"),
    ),
    reply={
        "years": "From {args.start} to {args.end} it is {days|day}, that is {words}.",
        "months": "From {args.start} to {args.end} it is {days|day}, that is {words}.",
        "": "From {args.start} to {args.end} it is {days|day}.",
    },
)
def date_compute_difference(start: Date, end: Date) -> DateDifference:
    """Compute the time between two dates.

    Use it for ages, deadlines and durations. Returns days, full weeks, years with months and days, and working days.
    """
    first, last = parse(start), parse(end)
    sign = 1 if last >= first else -1
    early, late = min(first, last), max(first, last)
    months = (late.year - early.year) * 12 + late.month - early.month
    months -= shift(early, months) > late
    rest = (late - shift(early, months)).days
    return {
        "days": (last - first).days,
        "weeks": sign * ((late - early).days // 7),
        "years": sign * (months // 12),
        "months": sign * (months % 12),
        "remaining_days": sign * rest,
        "working_days": sign * working_days(early, late),
        "words": _in_words(months // 12, months % 12, rest),
    }


def _in_words(years: int, months: int, days: int) -> str:
    """Format a span as `34 years, 6 months and 17 days`."""
    counts = ((years, "year"), (months, "month"), (days, "day"))
    parts = [f"{count} {unit}{'s' if count != 1 else ''}" for count, unit in counts if count] or ["0 days"]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


@tool(
    tags="date add subtract later ago deadline due calendar weekday after before weeks days",
    use_when=(
        "Which date is 90 days after 2026-11-21?",
        "What is the date six weeks from 2026-03-01?",
        "When does a contract of 18 months from 2026-01-31 end?",
        "What weekday was 1000 days ago?",
    ),
    examples=(
        Example(
            {"date": "1991-07-11", "days": 10000},
            {"date": "2018-11-26", "weekday": "Monday"},
            source="Meeus, Astronomical Algorithms, chapter 7",
        ),
        Example(
            {"date": "2026-01-31", "months": 1}, {"date": "2026-02-28"}, source="the month's last day, by calendar"
        ),
        Refusal({"date": "9999-12-31", "days": 1}, "years 1 to 9999"),
    ),
    reply="It is {weekday}, {date}.",
)
def date_add_interval(date: Date, years: Years = 0, months: Months = 0, weeks: Weeks = 0, days: Days = 0) -> DateResult:
    """Add years, months, weeks and days to a date, or subtract them.

    Years and months are added first, and the day is limited to the end of shorter months. Returns the new date and its
    weekday.
    """
    try:
        result = shift(parse(date), 12 * years + months) + timedelta(weeks=weeks, days=days)
    except (ValueError, OverflowError) as error:
        raise ToolError("The result is outside the years 1 to 9999.") from error
    return {"date": result.isoformat(), "weekday": calendar.day_name[result.weekday()]}


def parse(text: str) -> date:
    """Parse an ISO 8601 date. Raises `ToolError`."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a valid date. Write it as YYYY-MM-DD.") from error


def shift(day: date, months: int) -> date:
    """Return the same day of another month, or its last day. Raises `ValueError` outside the years 1 to 9999."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year}")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def working_days(first: date, last: date) -> int:
    """Count Mondays to Fridays from `first` up to, but excluding, `last`."""
    weeks, rest = divmod((last - first).days, 7)
    return weeks * 5 + sum((first.weekday() + offset) % 7 < 5 for offset in range(rest))


_CODE = re.compile(r"(\d{4}|\d{2})-?(\d{3})")
_CENTURY_TURN = 69


class OrdinalDay(TypedDict):
    """A day of a year."""

    date: str
    weekday: str
    days_left: Annotated[int, About("Remaining days of the year")]


@tool(
    tags="day of year number ordinal date julian day code yyddd calendar which date",
    use_when=(
        "Which date is day 183 of 2025?",
        "What is 2025-183 as a calendar date?",
        "Best before code 25120 (YYDDD)",
    ),
    examples=(
        Example(
            {"year": 2025, "day": 183}, {"date": "2025-07-02", "weekday": "Wednesday", "days_left": 182}, "the calendar"
        ),
        Example({"code": "24366"}, {"date": "2024-12-31", "days_left": 0}, source="2024 has 366 days"),
        Refusal({"year": 2025, "day": 366}, "365 days"),
        Refusal({"day": 5}, "Give"),
    ),
    reply="It is {weekday}, {date}.",
)
def date_find_ordinal(
    year: Year | None = None,
    day: Annotated[int | None, About("Day number in the year", 183, minimum=1, maximum=366)] = None,
    code: Annotated[str | None, About("Ordinal date as YYYY-DDD or YYDDD", "2025-183", max_length=8)] = None,
) -> OrdinalDay:
    """Find the date of a day by its number in the year (ordinal date, often called Julian date on packages)."""
    number, place = _of_code(code) if code is not None else (year, day)
    if number is None or place is None:
        raise ToolError("Give year and day, or a code such as 2025-183.")
    length = 366 if calendar.isleap(number) else 365
    if not 1 <= place <= length:
        raise ToolError(f"The year {number} has {length} days.")
    found = date(number, 1, 1) + timedelta(days=place - 1)
    return {"date": found.isoformat(), "weekday": WEEKDAYS[found.weekday()], "days_left": length - place}


def _of_code(code: str) -> tuple[int, int]:
    match = _CODE.fullmatch(code.strip())
    if match is None:
        raise ToolError(f"{code} is not an ordinal date. Write it as 2025-183 or 25183.")
    year = int(match[1])
    if len(match[1]) == 2:
        year += 1900 if year >= _CENTURY_TURN else 2000
    return max(year, 1), int(match[2])


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST_DAYS = 400 * 366
_SHOWN = 1000
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class WeekdayCount(TypedDict):
    """Occurrences of weekdays in a period."""

    count: int
    dates: Annotated[list[str], About(f"The first {_SHOWN} dates")]
    counts: Annotated[dict[str, int], About("Number of occurrences of each weekday in the period")]


@tool(
    tags="count weekdays mondays fridays sundays period between dates how many list friday 13th day of month",
    use_when=(
        "How many Mondays are there in 2026?",
        "List the Fridays between 3 March and 20 April 2025",
        "How many Friday the 13ths has 2026?",
    ),
    examples=(
        Example(
            {"start": "2026-01-01", "end": "2026-12-31", "weekday": "monday"}, {"count": 52}, source="the calendar"
        ),
        Example(
            {"start": "2026-01-01", "end": "2026-12-31", "weekday": "friday", "day_of_month": 13},
            {"count": 3, "dates": ["2026-02-13", "2026-03-13", "2026-11-13"]},
            source="the calendar",
        ),
        Refusal({"start": "2026-02-01", "end": "2026-01-01", "weekday": "monday"}, "before"),
    ),
    reply={
        "dates": "There are {count} in this period: {dates}",
        "": "There are {count} in this period.",
    },
)
def weekday_count_period(
    start: Date,
    end: Date,
    weekday: Annotated[Weekday, About("Weekday")],
    day_of_month: Annotated[int | None, About("Only dates on this day of the month", 13, minimum=1, maximum=31)] = None,
) -> WeekdayCount:
    """Count and list a weekday between two dates, both included, such as all Mondays or Friday the 13ths."""
    days = _days(_day(start), _day(end))
    place = _DAYS.index(weekday)
    found = [one for one in days if one.weekday() == place and day_of_month in {None, one.day}]
    return {
        "count": len(found),
        "dates": [one.isoformat() for one in found[:_SHOWN]],
        "counts": {name: sum(one.weekday() == number for one in days) for number, name in enumerate(_DAYS)},
    }


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a valid date.") from error


def _days(start: date, end: date) -> Sequence[date]:
    count = (end - start).days + 1
    if not 0 < count <= _MOST_DAYS:
        raise ToolError("The start must not be after the end, or more than 400 years before it.")
    return [start + timedelta(days=number) for number in range(count)]
