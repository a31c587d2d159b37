"""Simple interest, and day-count conventions."""

from calendar import isleap
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_MOST = 1e15


class SimpleInterest(TypedDict):
    """A loan or deposit at simple interest."""

    interest: float
    total: Annotated[float, About("Principal and interest: total to repay")]
    principal: float
    annual_rate_percent: float
    years: float
    interest_per_day: Annotated[float, About("Interest per day, based on the given days per year")]


_RULES: tuple[Rule, ...] = (
    ("interest", lambda principal, rate, years: principal * rate / 100 * years),
    ("principal", lambda interest, rate, years: interest * 100 / (rate * years)),
    ("rate", lambda interest, principal, years: interest * 100 / (principal * years)),
    ("years", lambda interest, principal, rate: interest * 100 / (principal * rate)),
)


@tool(
    tags="simple interest loan deposit note principal rate time years months days late payment lent owe flat",
    use_when=(
        "Simple interest on 5,000 at 4% for 3 years",
        "I lent 1,800 at 5 percent simple interest: what is owed after 30 months?",
        "Interest for 90 days on 12,000 at 4%, a year of 360 days",
        "At what simple rate do 5,000 earn 900 in 4 years?",
    ),
    examples=(
        Example(
            {"principal": 5000, "annual_rate_percent": 4, "years": 3},
            {"interest": 600.0, "total": 5600.0},
            source="by hand: 5000 * 0.04 * 3",
        ),
        Example(
            {"principal": 12000, "annual_rate_percent": 4, "days": 90, "days_of_year": 360},
            {"interest": 120.0, "years": 0.25},
            source="by hand: 12000 * 0.04 / 4",
        ),
        Example(
            {"principal": 5000, "interest": 900, "years": 4}, {"annual_rate_percent": 4.5}, source="900 / (5000 * 4)"
        ),
        Refusal({"principal": 5000, "annual_rate_percent": 4}, "Too few values are given to compute interest, years"),
        Refusal({"principal": 5000, "annual_rate_percent": 4, "years": 1, "months": 6}, "one of years"),
    ),
    reply=("{principal} at {annual_rate_percent} % for {years|year} brings {interest} of interest, {total} in all."),
)
def interest_solve_simple(
    principal: Annotated[float | None, About("Principal", 5000, minimum=1e-9, maximum=_MOST)] = None,
    annual_rate_percent: Annotated[
        float | None, About("Interest rate per year in percent", 4, minimum=1e-9, maximum=1e6)
    ] = None,
    years: Annotated[float | None, About("Time in years", 3, minimum=1e-9, maximum=1e6)] = None,
    months: Annotated[float | None, About("Time in months, instead of years", 18, minimum=1e-9, maximum=1e7)] = None,
    days: Annotated[float | None, About("Time in days, instead of years", 90, minimum=1e-9, maximum=1e8)] = None,
    interest: Annotated[float | None, About("Total interest", 600, minimum=1e-9, maximum=_MOST)] = None,
    days_of_year: Annotated[int, About("Days per year", 365, minimum=360, maximum=366)] = 365,
) -> SimpleInterest:
    """Solve simple interest (I = P r t) from any three of principal, yearly rate, time and interest.

    Use it for loans between friends, notes and late payments, where interest does not bear interest. Returns the total.
    """
    values = {
        "principal": principal,
        "rate": annual_rate_percent,
        "years": _years(years, months, days, days_of_year),
        "interest": interest,
    }
    found = complete(values, _RULES)
    return {
        "interest": tidy(found["interest"]),
        "total": tidy(found["principal"] + found["interest"]),
        "principal": tidy(found["principal"]),
        "annual_rate_percent": tidy(found["rate"]),
        "years": tidy(found["years"]),
        "interest_per_day": tidy(found["principal"] * found["rate"] / 100 / days_of_year),
    }


def _years(years: float | None, months: float | None, days: float | None, days_of_year: int) -> float | None:
    spans = [one for one in (years, months and months / 12, days and days / days_of_year) if one is not None]
    if len(spans) > 1:
        raise ToolError("Give one of years, months and days.")
    return spans[0] if spans else None


Convention = Literal["30/360", "30E/360", "actual/360", "actual/365", "actual/actual"]
_LAST = 30


class DayCount(TypedDict):
    """A period under a day-count convention."""

    days: Annotated[int, About("Days under the convention")]
    actual_days: int
    year_fraction: float
    interest: Annotated[float | None, About("Simple interest on the amount at the rate, if both are given")]


def _thirty_us(start: date, end: date) -> int:
    """30/360 bond basis: a 31st becomes a 30th; at the end only if the start is a 30th too."""
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
    reply={
        "interest": "It is {days|day} under the convention, or {year_fraction} years; the interest is {interest}.",
        "": "It is {days|day} under the convention, or {year_fraction} years.",
    },
)
def daycount_measure_period(
    start: Date,
    end: Date,
    convention: Annotated[Convention, About("30/360 is that of US bonds; 30E/360 is the European one")],
    amount: Annotated[float | None, About("Principal", 12000, minimum=0, maximum=1e15)] = None,
    rate_percent: Annotated[float | None, About("Interest per year in percent", 4, minimum=0, maximum=1000)] = None,
) -> DayCount:
    """Count the days between two dates under a day-count convention of interest (30/360, actual/360 …), also as a
    fraction of a year.

    Use it for bonds, loans and accrued interest. With amount and rate it returns the simple interest.
    """
    first, last = _day(start), _day(end)
    if last < first:
        raise ToolError("The end must be after the start.")
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
        raise ToolError(f"{text} is not a valid date.") from error


def _of_actual_years(start: date, end: date) -> float:
    """ISDA: the days in each year divided by the length of that year."""
    return sum(
        (min(end, date(year + 1, 1, 1)) - max(start, date(year, 1, 1))).days / (366 if isleap(year) else 365)
        for year in range(start.year, min(end.year, date.max.year - 1) + 1)
    )
