"""Calendar days: week and quarter, nth weekday of a month, Easter."""

import calendar
import datetime
from datetime import timedelta
from typing import Annotated, Literal

from dateutil.easter import easter
from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, Year, day_of

_SIGNS = (
    (120, "Capricorn"), (219, "Aquarius"), (321, "Pisces"), (420, "Aries"), (521, "Taurus"), (621, "Gemini"),
    (723, "Cancer"), (823, "Leo"), (923, "Virgo"), (1023, "Libra"), (1122, "Scorpio"), (1222, "Sagittarius"),
    (1232, "Capricorn"),
)  # fmt: skip

Weekday = Annotated[
    Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"], About("Day of the week")
]
Month = Annotated[int, About("Month of the year", 11, minimum=1, maximum=12)]


class DayFacts(TypedDict):
    """Position of a day in the calendar."""

    weekday: str
    iso_week: Annotated[int, About("ISO 8601 week number")]
    iso_week_date: Annotated[str, About("ISO 8601 week date, such as 2026-W47-6")]
    day_of_year: int
    days_left_in_year: int
    quarter: int
    leap_year: bool
    days_in_month: int
    first_of_month: str
    last_of_month: str
    weekday_number_in_month: Annotated[int, About("2 for the second such weekday of its month")]
    star_sign: Annotated[str, About("Western zodiac sign by the usual fixed dates")]


@tool(
    tags="date info weekday iso week day of year quarter leap year month zodiac",
    use_when=(
        "What weekday was 1969-07-20?",
        "Which ISO week is 2026-11-21 in?",
        "What day of the year is 2024-12-31, and is it a leap year?",
        "Which weekday was I born on?",
        "What day is it on 3 May?",
    ),
    examples=(
        Example(
            {"date": "1969-07-20"},
            {
                "weekday": "Sunday",
                "day_of_year": 201,
                "quarter": 3,
                "leap_year": False,
                "star_sign": "Cancer",
                "days_in_month": 31,
                "first_of_month": "1969-07-01",
                "last_of_month": "1969-07-31",
                "weekday_number_in_month": 3,
            },
            source="the first landing on the Moon was a Sunday; day 201 counted by hand",
        ),
        Example(
            {"date": "2008-12-30"},
            {
                "iso_week": 1,
                "iso_week_date": "2009-W01-2",
                "day_of_year": 365,
                "leap_year": True,
                "days_left_in_year": 1,
            },
            source="ISO 8601: 2008-12-30 lies in week 1 of 2009",
        ),
        Refusal({"date": "2026-02-29"}, "is not a valid date"),
    ),
    reply={
        "leap_year": "{args.date} is a {weekday} in week {iso_week}, day {day_of_year} of a leap year.",
        "": "{args.date} is a {weekday} in week {iso_week}, day {day_of_year} of the year.",
    },
)
def date_describe_day(date: Date) -> DayFacts:
    """Describe a date: weekday, ISO week, day of the year, quarter, leap year and position in its month.

    Use it for any question about one date. The Gregorian calendar is used, even before its introduction.
    """
    day = day_of(date)
    length = calendar.monthrange(day.year, day.month)[1]
    year, week, weekday = day.isocalendar()
    days = 365 + calendar.isleap(day.year)
    number = day.timetuple().tm_yday
    return {
        "weekday": WEEKDAYS[day.weekday()],
        "iso_week": week,
        "iso_week_date": f"{year:04d}-W{week:02d}-{weekday}",
        "day_of_year": number,
        "days_left_in_year": days - number,
        "quarter": (day.month + 2) // 3,
        "leap_year": calendar.isleap(day.year),
        "days_in_month": length,
        "first_of_month": day.replace(day=1).isoformat(),
        "last_of_month": day.replace(day=length).isoformat(),
        "weekday_number_in_month": (day.day + 6) // 7,
        "star_sign": next(sign for limit, sign in _SIGNS if day.month * 100 + day.day < limit),
    }


class WeekFacts(TypedDict):
    """An ISO 8601 week."""

    week: Annotated[str, About("Such as 2026-W47")]
    number: Annotated[int, About("Week number in its ISO year")]
    monday: str
    sunday: str
    date: Annotated[str, About("Requested day; Monday if no day was given")]
    weeks_in_year: Annotated[int, About("Number of weeks in this ISO year, 52 or 53")]


@tool(
    tags="iso week date calendar week number kw monday convert",
    use_when=(
        "Which dates are calendar week 47 of 2026?",
        "What is the Monday of 2020-W53?",
        "How many ISO weeks has 2026?",
        "Which ISO week number has 29 September 2026?",
    ),
    examples=(
        Example(
            {"week": "2009-W01-2"},
            {"date": "2008-12-30", "monday": "2008-12-29", "sunday": "2009-01-04"},
            source="ISO 8601: 2008-12-29 is the first day of 2009-W01",
        ),
        Example({"week": "2020W53"}, {"monday": "2020-12-28", "weeks_in_year": 53}, source="2020 has 53 ISO weeks"),
        Example(
            {"date": "2005-01-01"},
            {"week": "2004-W53", "number": 53, "monday": "2004-12-27", "date": "2005-01-01"},
            source="ISO 8601: 2005-01-01 is 2004-W53-6",
        ),
        Refusal({"week": "2021-W53"}, "no week 53"),
        Refusal({"date": "2024-13-45"}, "not a valid date"),
        Refusal({}, "week or a date"),
    ),
    reply="{date} is in week {week}, which runs from Monday, {monday}, to Sunday, {sunday}.",
)
def date_convert_iso_week(
    week: Annotated[
        str | None,
        About("ISO week, with or without day", "2026-W47", pattern="^[0-9]{4}-?W[0-9]{2}(-?[1-7])?$", max_length=10),
    ] = None,
    date: Annotated[Date | None, About("Date as YYYY-MM-DD whose week is returned, instead of a week")] = None,
) -> WeekFacts:
    """Convert an ISO 8601 week, or a day of it, to calendar dates, or find which ISO week a date is in.

    Use it for calendar weeks and their numbers. Returns the week, its Monday and Sunday and the number of weeks in that
    ISO year.
    """
    if (week is None) == (date is None):
        raise ToolError("Give either a week or a date.")
    if date is not None:
        year, number, weekday = day_of(date).isocalendar()
    else:
        digits = str(week).replace("-", "").replace("W", "")
        year, number, weekday = int(digits[:4]), int(digits[4:6]), int(digits[6:] or 1)
    if not 2 <= year <= 9998:
        raise ToolError("The year must be between 2 and 9998.")
    count = datetime.date(year, 12, 28).isocalendar().week
    if not 1 <= number <= count:
        raise ToolError(f"The ISO year {year} has no week {number}: it has {count} weeks.")
    monday = datetime.date.fromisocalendar(year, number, 1)
    return {
        "week": f"{year:04d}-W{number:02d}",
        "number": number,
        "monday": monday.isoformat(),
        "sunday": (monday + timedelta(days=6)).isoformat(),
        "date": (monday + timedelta(days=weekday - 1)).isoformat(),
        "weeks_in_year": count,
    }


class WeekdayDates(TypedDict):
    """Dates of a weekday."""

    date: Annotated[str, About("Requested date")]
    all_in_month: list[str]


@tool(
    tags="nth weekday month first last third monday thanksgiving patch tuesday",
    use_when=(
        "When is the fourth Thursday of November 2026?",
        "Which date is the last Friday of this month, November 2026?",
        "List all Mondays of May 2026",
    ),
    examples=(
        Example(
            {"year": 2026, "month": 11, "weekday": "Thursday", "number": 4},
            {"date": "2026-11-26", "all_in_month": ["2026-11-05", "2026-11-12", "2026-11-19", "2026-11-26"]},
            source="Thanksgiving Day of 2026",
        ),
        Example(
            {"year": 2026, "month": 3, "weekday": "Sunday", "number": -1},
            {"date": "2026-03-29"},
            source="clock change of 2026 in the European Union",
        ),
        Refusal({"year": 2026, "month": 11, "weekday": "Thursday", "number": 5}, "only 4"),
    ),
    reply="It is {date}.",
)
def date_find_nth_weekday(
    year: Year,
    month: Month,
    weekday: Weekday,
    number: Annotated[int, About("1 for the first, -1 for the last", 4, minimum=-5, maximum=5)],
) -> WeekdayDates:
    """Find the n-th or last given weekday of a month.

    Use it for holidays and meetings such as the third Tuesday. Negative numbers count from the end.
    """
    first = datetime.date(year, month, 1)
    start = first + timedelta(days=(WEEKDAYS.index(weekday) - first.weekday()) % 7)
    days = [day for week in range(5) if (day := start + timedelta(weeks=week)).month == month]
    if number == 0 or abs(number) > len(days):
        raise ToolError(f"The month has only {len(days)} such weekdays. Give 1 to {len(days)}, or -1 for the last.")
    return {
        "date": days[number - 1 if number > 0 else number].isoformat(),
        "all_in_month": [day.isoformat() for day in days],
    }


class Feasts(TypedDict):
    """Easter and the holidays that depend on it."""

    easter: str
    ash_wednesday: str
    good_friday: str
    easter_monday: str
    ascension: str
    pentecost: str
    corpus_christi: str


@tool(
    tags="easter date feast good friday pentecost ascension carnival orthodox",
    use_when=(
        "When is Easter 2027?",
        "Which date is Orthodox Easter in 2026?",
        "When is Ascension Day 2026?",
        "When is Easter?",
    ),
    examples=(
        Example(
            {"year": 2000},
            {
                "easter": "2000-04-23",
                "good_friday": "2000-04-21",
                "ascension": "2000-06-01",
                "pentecost": "2000-06-11",
                "ash_wednesday": "2000-03-08",
                "easter_monday": "2000-04-24",
                "corpus_christi": "2000-06-22",
            },
            source="Meeus, Astronomical Algorithms, chapter 8",
        ),
        Example({"year": 2024, "church": "orthodox"}, {"easter": "2024-05-05"}, source="Orthodox calendar of 2024"),
        Refusal({"year": 1500}, "year"),
    ),
    reply="Easter is on {easter}, Good Friday on {good_friday} and Pentecost on {pentecost}.",
)
def date_find_easter(
    year: Annotated[int, About("Year", 2027, minimum=1583, maximum=4099)],
    church: Annotated[Literal["western", "orthodox"], About("Western or Orthodox Easter")] = "western",
) -> Feasts:
    """Find the date of Western or Orthodox Easter and of the feasts that depend on it.

    Use it for Good Friday, Ascension, Pentecost and carnival dates. All dates are Gregorian; the other feasts keep
    their Western distance from Easter.
    """
    sunday = easter(year, 3 if church == "western" else 2)
    distances = {"easter": 0, "ash_wednesday": -46, "good_friday": -2, "easter_monday": 1, "ascension": 39}
    dates = {name: (sunday + timedelta(days=days)).isoformat() for name, days in distances.items()}
    return {
        "easter": dates["easter"],
        "ash_wednesday": dates["ash_wednesday"],
        "good_friday": dates["good_friday"],
        "easter_monday": dates["easter_monday"],
        "ascension": dates["ascension"],
        "pentecost": (sunday + timedelta(days=49)).isoformat(),
        "corpus_christi": (sunday + timedelta(days=60)).isoformat(),
    }
