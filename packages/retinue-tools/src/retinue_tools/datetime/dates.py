"""Calendar arithmetic in the Gregorian calendar."""

import calendar
from datetime import date, timedelta
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool

Years = Annotated[int, About("Years to add, negative to subtract", 1, minimum=-9999, maximum=9999)]
Months = Annotated[int, About("Months to add, negative to subtract", 1, minimum=-99_999, maximum=99_999)]
Weeks = Annotated[int, About("Weeks to add, negative to subtract", 2, minimum=-500_000, maximum=500_000)]
Days = Annotated[int, About("Days to add, negative to subtract", 90, minimum=-3_650_000, maximum=3_650_000)]


class DateDifference(TypedDict):
    """A span of time in several measures."""

    days: Annotated[int, About("All days from start to end; negative if the end is earlier")]
    weeks: Annotated[int, About("Full weeks in these days")]
    years: Annotated[int, About("Full years")]
    months: Annotated[int, About("Full months beyond the years")]
    remaining_days: Annotated[int, About("Days beyond years and months")]
    working_days: Annotated[int, About("Mondays to Fridays from start up to, not including, end")]
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
        Refusal({"start": "2026-02-30", "end": "2026-03-01"}, "2026-02-30 is not a date"),
    ),
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
    """A span as `34 years, 6 months and 17 days`."""
    counts = ((years, "year"), (months, "month"), (days, "day"))
    told = [f"{count} {unit}{'s' if count != 1 else ''}" for count, unit in counts if count] or ["0 days"]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


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
)
def date_add_interval(date: Date, years: Years = 0, months: Months = 0, weeks: Weeks = 0, days: Days = 0) -> DateResult:
    """Add years, months, weeks and days to a date, or subtract them.

    Years and months come first and keep to the end of shorter months. Returns the new date and its weekday.
    """
    try:
        result = shift(parse(date), 12 * years + months) + timedelta(weeks=weeks, days=days)
    except (ValueError, OverflowError) as error:
        raise ToolError("The result lies outside the years 1 to 9999.") from error
    return {"date": result.isoformat(), "weekday": calendar.day_name[result.weekday()]}


def parse(text: str) -> date:
    """A date from its ISO 8601 form, or `ToolError`."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a date of the calendar. Write it as YYYY-MM-DD.") from error


def shift(day: date, months: int) -> date:
    """The same day of another month, or that month's last day. Raises `ValueError` outside the years 1 to 9999."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year}")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def working_days(first: date, last: date) -> int:
    """Mondays to Fridays from `first` up to, not including, `last`."""
    weeks, rest = divmod((last - first).days, 7)
    return weeks * 5 + sum((first.weekday() + offset) % 7 < 5 for offset in range(rest))
