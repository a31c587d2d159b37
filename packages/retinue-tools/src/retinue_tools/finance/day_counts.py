"""Conventions of counting days for interest."""

from calendar import isleap
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

Convention = Literal["30/360", "30E/360", "actual/360", "actual/365", "actual/actual"]
_LAST = 30


class DayCount(TypedDict):
    """A time as interest counts it."""

    days: Annotated[int, About("Days by the convention")]
    actual_days: int
    year_fraction: float
    interest: Annotated[float | None, About("Simple interest on the amount at the rate, where both were given")]


def _thirty_us(start: date, end: date) -> int:
    """30/360 bond basis: a 31st is a 30th; at the end only where the start is one, too."""
    first = min(start.day, _LAST)
    last = _LAST if end.day > _LAST and first == _LAST else end.day
    return _months_of_thirty(start, end) + last - first


def _thirty_european(start: date, end: date) -> int:
    return _months_of_thirty(start, end) + min(end.day, _LAST) - min(start.day, _LAST)


def _months_of_thirty(start: date, end: date) -> int:
    return 360 * (end.year - start.year) + 30 * (end.month - start.month)


def _actual(start: date, end: date) -> int:
    return (end - start).days


_DAYS: Mapping[str, Callable[[date, date], int]] = {"30/360": _thirty_us, "30E/360": _thirty_european}
_YEARS = {"30/360": 360, "30E/360": 360, "actual/360": 360, "actual/365": 365}


@tool(
    tags="day count convention 30/360 actual/360 actual/365 act/act interest bond accrued year fraction days loan",
    use_when=(
        "Days from 15 March 2023 to 30 September 2024 on a 30/360 basis",
        "Year fraction between two dates, actual/365",
        "Simple interest on 12,000 at 4 % from 10 January to 25 June 2024, act/360",
    ),
    examples=(
        Example(
            {"start": "2023-03-15", "end": "2024-09-30", "convention": "30/360"},
            {"days": 555, "actual_days": 565, "year_fraction": 1.54166666667},
            source="by hand: 360 + 6 * 30 + 15",
        ),
        Example(
            {
                "start": "2024-01-10",
                "end": "2024-06-25",
                "convention": "actual/360",
                "amount": 12000,
                "rate_percent": 4,
            },
            {"days": 167, "interest": 222.67},
            source="by hand: 12000 * 0.04 * 167 / 360",
        ),
        Example(
            {"start": "2023-12-31", "end": "2024-12-31", "convention": "actual/actual"},
            {"year_fraction": 1.00000748559},
            source="ISDA: 1/365 + 365/366",
            tolerance=1e-8,
        ),
        Refusal({"start": "2024-02-01", "end": "2024-01-01", "convention": "30/360"}, "after"),
    ),
)
def daycount_measure_period(
    start: Date,
    end: Date,
    convention: Annotated[Convention, About("30/360 as for US bonds; 30E/360 is the European one")],
    amount: Annotated[float | None, About("Amount that bears interest", 12000, minimum=0, maximum=1e15)] = None,
    rate_percent: Annotated[float | None, About("Interest a year in percent", 4, minimum=0, maximum=1000)] = None,
) -> DayCount:
    """Count the days between two dates by a convention of interest (30/360, actual/360 …), as a part of a year too.

    Use it for bonds, loans and accrued interest. With amount and rate it returns the simple interest.
    """
    first, last = _day(start), _day(end)
    if last < first:
        raise ToolError("The end must lie after the start.")
    days = _DAYS.get(convention, _actual)(first, last)
    fraction = days / _YEARS[convention] if convention in _YEARS else _of_actual_years(first, last)
    interest = None if amount is None or rate_percent is None else amount * rate_percent / 100 * fraction
    return {
        "days": days,
        "actual_days": _actual(first, last),
        "year_fraction": tidy(fraction),
        "interest": interest if interest is None else round(interest, 2),
    }


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is no day of the calendar.") from error


def _of_actual_years(start: date, end: date) -> float:
    """ISDA: the days in each year divided by how many that year has."""
    return sum(
        (min(end, date(year + 1, 1, 1)) - max(start, date(year, 1, 1))).days / (366 if isleap(year) else 365)
        for year in range(start.year, min(end.year, date.max.year - 1) + 1)
    )
