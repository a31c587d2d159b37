"""How often weekdays come."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST_DAYS = 400 * 366
_SHOWN = 1000
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class WeekdayCount(TypedDict):
    """How often weekdays come in a period."""

    count: int
    dates: Annotated[list[str], About(f"The first {_SHOWN} of them")]
    counts: Annotated[dict[str, int], About("How often each weekday comes in the period")]


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
)
def weekday_count_period(
    start: Date,
    end: Date,
    weekday: Annotated[Weekday, About("Which day of the week")],
    day_of_month: Annotated[int | None, About("Only those on this day of the month", 13, minimum=1, maximum=31)] = None,
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
        raise ToolError(f"{text} is no day of the calendar.") from error


def _days(start: date, end: date) -> Sequence[date]:
    count = (end - start).days + 1
    if not 0 < count <= _MOST_DAYS:
        raise ToolError("The start must not lie after the end, nor 400 years before it.")
    return [start + timedelta(days=number) for number in range(count)]
