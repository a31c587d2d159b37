"""Public holidays of countries, and long weekends."""

import datetime
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Any

import holidays
from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, day_of

Country = Annotated[str, About("ISO 3166 country code", "DE", pattern="^[A-Z]{2}$", max_length=2)]

Region = Annotated[
    str,
    About(
        "Code of the state or region; empty for national holidays only",
        "BY",
        pattern="^[A-Za-z0-9-]{0,20}$",
        max_length=20,
    ),
]
HolidayYear = Annotated[int, About("Year", 2026, minimum=1950, maximum=2100)]


class Holiday(TypedDict):
    """A public holiday."""

    date: str
    weekday: str
    name: str


class HolidayList(TypedDict):
    """Public holidays in order."""

    holidays: list[Holiday]
    count: int


def holidays_of(country: str | None, region: str, years: range) -> Any:
    """Return holidays by date, with English names if available. Raises `ToolError` for an unknown place.

    Without a country there are no holidays, and the weekend is Saturday and Sunday.
    """
    if country is None:
        if region:
            raise ToolError(f"Specify the country of the region {region} as well, such as DE.")
        return holidays.HolidayBase(years=years)
    try:
        return holidays.country_holidays(country, subdiv=region or None, years=years, language="en_US")
    except NotImplementedError as error:
        known = holidays.list_supported_countries()
        if country not in known:
            raise ToolError(f"No holidays are known for {country}. Use a code such as DE, FR, GB or US.") from error
        raise ToolError(
            f"{region} is not a region of {country}. Known regions: {', '.join(known[country][:60])}."
        ) from error


def _rows(days: Any) -> list[Holiday]:
    return [{"date": day.isoformat(), "weekday": WEEKDAYS[day.weekday()], "name": days[day]} for day in sorted(days)]


@tool(
    tags="public holidays list country region year bank holiday",
    use_when=(
        "Which public holidays has Germany in 2026?",
        "List the bank holidays of Scotland",
        "What are the federal holidays of the US in 2027?",
        "Bank holidays this year",
    ),
    memory_mb=768,
    examples=(
        Example(
            {"country": "DE", "year": 2026},
            {"count": 9},
            source="nine nationwide holidays in Germany: New Year, Good Friday, Easter Monday, 1 May, Ascension, Whit "
            "Monday, 3 October, two Christmas days",
        ),
        Example(
            {"country": "DE", "year": 2026, "region": "BE"},
            {"count": 10},
            source="Berlin adds the International Women's Day",
        ),
        Refusal({"country": "XX", "year": 2026}, "No holidays are known"),
    ),
    reply={
        "holidays": "I found {count|public holiday}: {holidays}",
        "": "There are no public holidays.",
    },
)
def holiday_list_year(country: Country, year: HolidayYear, region: Region = "") -> HolidayList:
    """List the public holidays of a country, or of one of its regions, in a year.

    Use it to plan work and travel. Returns dates with weekday and name, in English where known; they are computed from
    rules, so holidays decreed at short notice may be missing.
    """
    rows = _rows(holidays_of(country, region, range(year, year + 1)))
    return {"holidays": rows, "count": len(rows)}


class HolidayCheck(TypedDict):
    """Result of checking a day."""

    holiday: bool
    name: Annotated[str | None, About("Name of the holiday; null if there is none")]
    weekend: Annotated[bool, About("Whether the day is on the weekend of the country")]
    next_holidays: Annotated[list[Holiday], About("Next three holidays after the date")]


@tool(
    tags="holiday check is public day off next bank holiday",
    use_when=(
        "Is 2026-10-03 a public holiday in Germany?",
        "When is the next holiday in France after 2026-11-21?",
        "Are banks closed on 2026-07-03 in the US?",
    ),
    memory_mb=768,
    examples=(
        Example(
            {"country": "FR", "date": "2026-07-14"},
            {"holiday": True, "weekend": False},
            source="Code du travail, article L3133-1",
        ),
        Example(
            {"country": "DE", "date": "2026-10-04"},
            {"holiday": False, "name": None, "weekend": True},
            source="a Sunday after the Day of German Unity",
        ),
        Refusal({"country": "US", "date": "2026-07-04", "region": "QQ"}, "not a region"),
    ),
    reply={
        "holiday, name": "Yes, {args.date} is a public holiday: {name}.",
        "holiday": "Yes, {args.date} is a public holiday.",
        "weekend, next_holidays": (
            "No, {args.date} is not a public holiday, but on the weekend. The next ones: {next_holidays}"
        ),
        "next_holidays": "No, {args.date} is not a public holiday. The next ones: {next_holidays}",
        "": "No, {args.date} is not a public holiday.",
    },
)
def holiday_check_date(country: Country, date: Date, region: Region = "") -> HolidayCheck:
    """Check whether a date is a public holiday of a country or region, and find the next ones.

    Use it for opening times and deadlines. Also returns whether the day is on the weekend there.
    """
    day = check_range(day_of(date))
    days = holidays_of(country, region, range(day.year, day.year + 2))
    rows = [row for row in _rows(days) if row["date"] > date]
    return {
        "holiday": day in days,
        "name": days.get(day),
        "weekend": day.weekday() in days.weekend,
        "next_holidays": rows[:3],
    }


def check_range(day: datetime.date) -> datetime.date:
    if not 1950 <= day.year <= 2100:
        raise ToolError("Holidays are known for the years 1950 to 2100.")
    return day


class LongWeekend(TypedDict):
    """Consecutive days off."""

    start: str
    end: str
    days: int
    leave_days: Annotated[list[str], About("Required days of leave; empty for none")]


class LongWeekends(TypedDict):
    """Long weekends of a year."""

    long_weekends: list[LongWeekend]


@tool(
    tags="long weekend bridge day leave vacation holiday plan",
    use_when=(
        "Which long weekends has Germany in 2026?",
        "Which bridge days should I take off in 2027?",
        "How do I get most free days out of one day of leave?",
        "When should I take days off?",
    ),
    memory_mb=768,
    examples=(
        Example(
            {"country": "DE", "year": 2026, "leave_days": 0},
            {
                "long_weekends": [
                    {"start": "2026-04-03", "end": "2026-04-06", "days": 4, "leave_days": []},
                    {"start": "2026-05-01", "end": "2026-05-03", "days": 3},
                    {"start": "2026-05-23", "end": "2026-05-25", "days": 3},
                    {"start": "2026-12-25", "end": "2026-12-27", "days": 3},
                ]
            },
            source="calendar of 2026: Easter, Friday 1 May, Whit Monday 25 May, Friday 25 December",
        ),
        Example(
            {"country": "FR", "year": 2026, "leave_days": 1},
            {
                "long_weekends": [
                    {"start": "2026-01-01", "end": "2026-01-04", "leave_days": ["2026-01-02"]},
                    {"start": "2026-04-04", "end": "2026-04-06", "leave_days": []},
                    {"start": "2026-05-01", "days": 3},
                    {"start": "2026-05-08", "days": 3},
                    {"start": "2026-05-14", "days": 4, "leave_days": ["2026-05-15"]},
                    {"start": "2026-05-23", "days": 3},
                    {"start": "2026-07-11", "days": 4, "leave_days": ["2026-07-13"]},
                    {"start": "2026-12-25", "days": 3},
                ]
            },
            source="the eleven holidays of article L3133-1 on a calendar of 2026",
        ),
        Refusal({"country": "DE", "year": 1900}, "year"),
    ),
    reply={
        "long_weekends": "The long weekends: {long_weekends}",
        "": "There are no long weekends.",
    },
)
def holiday_find_long_weekends(
    country: Country,
    year: HolidayYear,
    region: Region = "",
    leave_days: Annotated[int, About("Maximum number of bridge days for each", 1, minimum=0, maximum=3)] = 1,
) -> LongWeekends:
    """Find long weekends of three or more free days around public holidays, with up to three bridge days.

    Use it to plan leave. Each result contains a holiday; leave days are the working days to take off.
    """
    days = holidays_of(country, region, range(year - 1, year + 2))
    free = {
        day
        for number in range(-10, 376)
        if (day := datetime.date(year, 1, 1) + timedelta(days=number)).weekday() in days.weekend or day in days
    }
    runs = {run for day in sorted(free) if day.year == year and day in days for run in _runs(day, free, leave_days)}
    return {
        "long_weekends": [
            {
                "start": start.isoformat(),
                "end": end.isoformat(),
                "days": (end - start).days + 1,
                "leave_days": [day.isoformat() for day in days_between(start, end) if day not in free],
            }
            for start, end in sorted(runs)
            if (end - start).days >= 2
        ]
    }


def _runs(day: datetime.date, free: set[datetime.date], leave: int) -> Iterator[tuple[datetime.date, datetime.date]]:
    """Return the longest free stretch around a day: leave is used only if it leads to further days off."""
    one = timedelta(days=1)
    start = end = day
    while start - one in free:
        start -= one
    while end + one in free:
        end += one
    for count in range(1, leave + 1):
        if end + one * (count + 1) in free:
            end += one * (count + 1)
            while end + one in free:
                end += one
            break
        if start - one * (count + 1) in free:
            start -= one * (count + 1)
            while start - one in free:
                start -= one
            break
    yield start, end


def days_between(start: datetime.date, end: datetime.date) -> Iterator[datetime.date]:
    return (start + timedelta(days=number) for number in range((end - start).days + 1))


class PlaceHoliday(TypedDict):
    """A holiday and the countries that observe it."""

    date: str
    weekday: str
    free_in: Annotated[list[str], About("Countries with the holiday")]


class Comparison(TypedDict):
    """Holidays of several countries."""

    common_working_days: Annotated[int, About("Days on which all countries work")]
    common_holidays: Annotated[list[str], About("Common holidays, excluding weekends")]
    holidays: Annotated[list[PlaceHoliday], About("Holidays outside weekends in at least one country")]


@tool(
    tags="holidays compare countries common working days international team",
    use_when=(
        "On which days do Germany, France and Poland all work in May 2026?",
        "Which holidays do the US and Canada share?",
        "How many common working days have two countries in 2026?",
    ),
    memory_mb=768,
    examples=(
        Example(
            {"countries": ["DE", "FR"], "start": "2026-05-01", "end": "2026-05-31"},
            {"common_working_days": 17, "common_holidays": ["2026-05-01", "2026-05-14", "2026-05-25"]},
            source="by hand: 21 weekdays less 1, 8 (France), 14 and 25 May",
        ),
        Refusal({"countries": ["DE", "FR"], "start": "2026-05-31", "end": "2026-05-01"}, "before"),
    ),
    reply={
        "holidays": "All work on {common_working_days|day}. The holidays: {holidays}",
        "": "All work on {common_working_days|day}; there are no holidays.",
    },
)
def holiday_compare_countries(
    countries: Annotated[list[Country], About("Countries", ["DE", "FR", "PL"], min_items=2, max_items=15)],
    start: Date,
    end: Date,
) -> Comparison:
    """Compare the public holidays of several countries in a period of up to three years.

    Use it for international teams. Returns the number of days on which all work, common holidays, and the countries
    with each holiday.
    """
    first, last = check_range(day_of(start)), check_range(day_of(end))
    if not timedelta() <= last - first <= timedelta(days=1100):
        raise ToolError("The start must be at most three years before the end.")
    years = range(first.year, last.year + 1)
    places = {code: holidays_of(code, "", years) for code in dict.fromkeys(countries)}
    free = {
        day: [code for code, days in places.items() if day in days and day.weekday() not in days.weekend]
        for day in days_between(first, last)
    }
    working = sum(
        all(day not in days and day.weekday() not in days.weekend for days in places.values()) for day in free
    )
    return {
        "common_working_days": working,
        "common_holidays": [day.isoformat() for day, codes in free.items() if len(codes) == len(places)],
        "holidays": [
            {"date": day.isoformat(), "weekday": WEEKDAYS[day.weekday()], "free_in": codes}
            for day, codes in free.items()
            if codes
        ],
    }
