"""Full dates as written in English or in digits, and sorting of several."""

import calendar
import re
from datetime import date, timedelta
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS

_MONTHS = {name.casefold()[:3]: number for number, name in enumerate(calendar.month_name) if name}
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_NAMED = (
    re.compile(rf"{_DAY}[\s-]*{_MONTH}[\s-]*{_YEAR}"),
    re.compile(rf"{_MONTH}[\s-]*{_DAY}[\s-]+{_YEAR}"),
    re.compile(rf"(?P<year>\d{{4}})[\s-]*{_MONTH}[\s-]*{_DAY}"),
)
_YEAR_FIRST = re.compile(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})|(\d{4})(\d{2})(\d{2})")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/. ])(\d{1,2})\2(\d{4}|\d{2})")
_NOISE = re.compile(r"\b(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?\b\.?|\b(?:the|of)\b|[,.](?=\s|$)")
_CENTURY_TURN = 69

WrittenDate = Annotated[
    str,
    About("Date as written: 3rd of May 2024, May 3, 2024, 03/05/2024, 3.5.24", "3rd of May 2024", min_length=6,
          max_length=60),
]  # fmt: skip
Order = Annotated[
    Literal["day_first", "month_first"],
    About("Interpretation of 03/05/2024: 3 May (day_first) or March 5 (month_first, American)"),
]


class ReadDate(TypedDict):
    """A parsed date."""

    date: Annotated[str, About("Date as YYYY-MM-DD")]
    weekday: str
    long: Annotated[str, About("Such as 3 May 2024")]
    ambiguous: Annotated[bool, About("Whether the other order of day and month would give another date")]


class SortedDates(TypedDict):
    """Sorted dates."""

    sorted: Annotated[list[str], About("Earliest first, as YYYY-MM-DD")]
    as_written: Annotated[list[str], About("The same order in the given notations")]
    earliest: str
    latest: str
    days_between: Annotated[int, About("From the earliest to the latest")]
    midpoint: Annotated[str, About("Date halfway between earliest and latest; the earlier of two middle days")]
    median: Annotated[str, About("Median of the sorted dates; the earlier of two")]


def _read(text: str, order: str) -> date:
    """Parse a written date. Raises `ToolError`."""
    year, month, day = _parts(text, order)
    try:
        return date(year, month, day)
    except ValueError as error:
        raise ToolError(f"{text} is not a valid date. Correct the day or the month.") from error


def _parts(text: str, order: str) -> tuple[int, int, int]:
    """Return year, month and day as written."""
    plain = " ".join(_NOISE.sub(" ", text.casefold()).split())
    for pattern in _NAMED:
        if found := pattern.fullmatch(plain):
            return _full_year(found["year"]), _MONTHS[found["month"]], int(found["day"])
    if found := _YEAR_FIRST.fullmatch(plain):
        year, month, day = (int(part) for part in found.groups() if part)
        return year, month, day
    if found := _YEAR_LAST.fullmatch(plain):
        return _full_year(found[4]), *_month_and_day(int(found[1]), int(found[3]), found[2], order)
    raise ToolError(
        f"{text} is not a full date. Write day, month and year, such as 3 May 2024, 2024-05-03 or 03/05/2024."
    )


def _month_and_day(first: int, second: int, mark: str, order: str) -> tuple[int, int]:
    """Return month and day: with points the day is first, and a number above 12 is always the day."""
    month_first = (order == "month_first" and mark != "." and first <= 12) or second > 12
    return (first, second) if month_first else (second, first)


def _full_year(digits: str) -> int:
    """Two digits stand for 1969 to 2068, as in POSIX."""
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (1900 if year >= _CENTURY_TURN else 2000)


@tool(
    tags="date read parse written text iso format month name day first american convert notation",
    use_when=(
        "Write the 3rd of May 2024 as an ISO date",
        "What is 03/04/2025 in ISO format, if the month comes first?",
        "Convert 'March 5, 2021' to YYYY-MM-DD",
        "25.12.23 in ISO 8601",
    ),
    examples=(
        Example(
            {"text": "Friday, the 3rd of May, 2024"},
            {"date": "2024-05-03", "weekday": "Friday", "ambiguous": False},
            source="calendar of 2024",
        ),
        Example(
            {"text": "03/04/2025", "order": "month_first"},
            {"date": "2025-03-04", "ambiguous": True, "long": "4 March 2025"},
            source="by hand: American notation",
        ),
        Example({"text": "25.12.69"}, {"date": "1969-12-25"}, source="POSIX, strptime %y: 69 to 99 are of the 1900s"),
        Refusal({"text": "31 April 2024"}, "not a valid date"),
        Refusal({"text": "May 2024"}, "not a full date"),
    ),
    reply={
        "ambiguous": "It is {weekday}, {long} ({date}), if day and month are in this order.",
        "": "It is {weekday}, {long} ({date}).",
    },
)
def date_read_written(text: WrittenDate, order: Order = "day_first") -> ReadDate:
    """Read a full date in any usual notation, with English month names or digits, and write it in ISO 8601.

    Use it to convert dates to YYYY-MM-DD. Words such as tomorrow are parsed by time_parse_natural.
    """
    day = _read(text, order)
    return {
        "date": day.isoformat(),
        "weekday": WEEKDAYS[day.weekday()],
        "long": f"{day.day} {calendar.month_name[day.month]} {day.year}",
        "ambiguous": _other_reading(text, order) != day,
    }


def _other_reading(text: str, order: str) -> date:
    """Return the date with the other order of day and month."""
    return _read(text, "day_first" if order == "month_first" else "month_first")


@tool(
    tags="dates sort order oldest newest earliest latest midpoint halfway middle compare chronological first last",
    use_when=(
        "Sort these dates from oldest to newest: 10 March 2025, 3 May 2024, 25/12/2023",
        "Which is the earliest of 12 Jan 2025, 2024-12-30 and 3 Feb 2025?",
        "Which date is halfway between 1 March 2025 and 20 October 2025?",
        "Put these birthdays in chronological order",
    ),
    examples=(
        Example(
            {"dates": ["10 March 2025", "3 May 2024", "25/12/2023"]},
            {
                "sorted": ["2023-12-25", "2024-05-03", "2025-03-10"],
                "as_written": ["25/12/2023", "3 May 2024", "10 March 2025"],
                "earliest": "2023-12-25",
                "latest": "2025-03-10",
                "median": "2024-05-03",
            },
            source="by hand",
        ),
        Example(
            {"dates": ["2025-01-01", "Jan 11, 2025"]},
            {"midpoint": "2025-01-06", "days_between": 10},
            source="by hand: five days on either side",
        ),
        Refusal({"dates": ["10 March 2025", "yesterday"]}, "not a full date"),
    ),
    reply="In order: {as_written}",
)
def date_sort_list(
    dates: Annotated[
        list[WrittenDate],
        About("Dates as written, in any notation", ["10 March 2025", "2024-05-03"], min_items=2, max_items=2000),
    ],
    order: Order = "day_first",
) -> SortedDates:
    """Sort dates in any usual notation, and find the earliest, the latest and the date halfway between these.

    Use it to compare dates or put them in chronological order.
    """
    read = sorted(((_read(text, order), text) for text in dates), key=lambda pair: pair[0])
    first, last = read[0][0], read[-1][0]
    days = (last - first).days
    return {
        "sorted": [day.isoformat() for day, _ in read],
        "as_written": [text for _, text in read],
        "earliest": first.isoformat(),
        "latest": last.isoformat(),
        "days_between": days,
        "midpoint": (first + timedelta(days=days // 2)).isoformat(),
        "median": read[(len(read) - 1) // 2][0].isoformat(),
    }
