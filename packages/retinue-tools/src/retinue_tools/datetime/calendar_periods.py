"""Calendar periods: date ranges, months and fiscal years."""

import calendar
import datetime
from datetime import timedelta
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, Year, day_of
from retinue_tools.datetime.calendar_days import Month, Weekday
from retinue_tools.datetime.dates import shift

_MOST_DATES = 2000


class DateList(TypedDict):
    """Dates in order."""

    dates: list[str]
    count: int


@tool(
    tags="date range list every step weekly monthly days between series",
    use_when=(
        "List every second Friday from 2026-01-02 to 2026-03-31",
        "All month ends of 2026",
        "Give me every weekday between two dates",
    ),
    examples=(
        Example(
            {"start": "2026-01-31", "end": "2026-04-30", "unit": "months"},
            {"dates": ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"], "count": 4},
            source="month ends by calendar",
        ),
        Example(
            {"start": "2026-11-20", "end": "2026-11-24", "unit": "weekdays"},
            {"dates": ["2026-11-20", "2026-11-23", "2026-11-24"]},
            source="2026-11-21 is a Saturday",
        ),
        Refusal({"start": "2000-01-01", "end": "2026-11-24"}, "2000"),
    ),
    reply="That makes {count|date}: {dates}",
)
def date_list_range(
    start: Date,
    end: Date,
    unit: Annotated[
        Literal["days", "weekdays", "weeks", "months", "years"], About("Unit of the step; weekdays skip weekends")
    ] = "days",
    step: Annotated[int, About("Units between dates", 1, minimum=1, maximum=10000)] = 1,
) -> DateList:
    """List the dates from start to end, both included, in steps of days, weekdays, weeks, months or years.

    Use it for plans and series. Months are counted from the start, so that month ends stay month ends. At most 2,000
    dates.
    """
    first, last = day_of(start), day_of(end)
    dates: list[datetime.date] = []
    place = 0
    while (day := _step(first, unit, place)) <= last:
        if unit != "weekdays" or day.weekday() < 5:
            dates.append(day)
        place += 1 if unit == "weekdays" else step
        if len(dates) > _MOST_DATES * (step if unit == "weekdays" else 1):
            break
    chosen = dates[::step] if unit == "weekdays" else dates
    if len(chosen) > _MOST_DATES:
        raise ToolError(f"There are more than {_MOST_DATES} dates. Choose a shorter range or a larger step.")
    return {"dates": [day.isoformat() for day in chosen], "count": len(chosen)}


def _step(first: datetime.date, unit: str, count: int) -> datetime.date:
    try:
        if unit in ("months", "years"):
            return shift(first, count * (12 if unit == "years" else 1))
        return first + timedelta(days=count * (7 if unit == "weeks" else 1))
    except (ValueError, OverflowError):
        return datetime.date.max


class MonthPage(TypedDict):
    """Calendar page of a month."""

    text: Annotated[str, About("Calendar page in fixed-width text")]
    weeks: Annotated[list[list[int]], About("Days of each week; 0 means a day of another month")]


@tool(
    tags="month calendar page draw print text weeks",
    use_when=(
        "Draw a calendar of November 2026",
        "Show February 2026 with Sunday as first day",
        "Print a month calendar with week rows",
        "Print a calendar",
    ),
    examples=(
        Example(
            {"year": 2026, "month": 2},
            {
                "weeks": [
                    [0, 0, 0, 0, 0, 0, 1],
                    [2, 3, 4, 5, 6, 7, 8],
                    [9, 10, 11, 12, 13, 14, 15],
                    [16, 17, 18, 19, 20, 21, 22],
                    [23, 24, 25, 26, 27, 28, 0],
                ]
            },
            source="1 February 2026 is a Sunday",
        ),
        Example(
            {"year": 2026, "month": 2, "first_weekday": "Sunday"},
            {
                "weeks": [
                    [1, 2, 3, 4, 5, 6, 7],
                    [8, 9, 10, 11, 12, 13, 14],
                    [15, 16, 17, 18, 19, 20, 21],
                    [22, 23, 24, 25, 26, 27, 28],
                ]
            },
            source="1 February 2026 is a Sunday",
        ),
        Refusal({"year": 2026, "month": 13}, "month"),
    ),
    reply="The calendar page: {text}",
)
def date_draw_month(year: Year, month: Month, first_weekday: Weekday = "Monday") -> MonthPage:
    """Draw the calendar page of a month as text and as weeks of day numbers.

    Use it to display a month. The week begins on Monday or any other weekday.
    """
    page = calendar.TextCalendar(WEEKDAYS.index(first_weekday))
    return {"text": page.formatmonth(year, month), "weeks": page.monthdayscalendar(year, month)}


class Fiscal(TypedDict):
    """A date in a fiscal year."""

    fiscal_year: Annotated[int, About("Named after the calendar year in which it ends")]
    quarter: int
    period: Annotated[int, About("Month of the fiscal year, 1 to 12")]
    label: Annotated[str, About("Such as FY2027 Q1")]
    year_start: str
    year_end: str
    quarter_start: str
    quarter_end: str


@tool(
    tags="fiscal year quarter period financial accounting date",
    use_when=(
        "Which fiscal quarter is 2026-11-21 when the year starts in October?",
        "When does the fiscal year starting in April end?",
        "What is FY and Q of a date for a July year start?",
    ),
    examples=(
        Example(
            {"date": "2026-11-21", "start_month": 10},
            {"label": "FY2027 Q1", "period": 2, "year_start": "2026-10-01", "year_end": "2027-09-30"},
            source="fiscal year 2027 of the United States begins on 1 October 2026",
        ),
        Example(
            {"date": "2026-03-31", "start_month": 1},
            {"label": "FY2026 Q1", "quarter_end": "2026-03-31"},
            source="calendar year",
        ),
        Refusal({"date": "2026-03-31", "start_month": 0}, "start_month"),
    ),
    reply=("{args.date} is in {label}, from {quarter_start} to {quarter_end}; the fiscal year ends on {year_end}."),
)
def date_find_fiscal_period(date: Date, start_month: Month) -> Fiscal:
    """Find the fiscal year, quarter and period of a date for a year that begins in any month.

    Use it for reports. The year is named after the calendar year in which it ends.
    """
    day = day_of(date)
    month = (day.month - start_month) % 12
    begin = shift(day.replace(day=1), -month)
    quarter = shift(begin, month // 3 * 3)
    end = shift(begin, 12) - timedelta(days=1)
    return {
        "fiscal_year": end.year,
        "quarter": month // 3 + 1,
        "period": month + 1,
        "label": f"FY{end.year} Q{month // 3 + 1}",
        "year_start": begin.isoformat(),
        "year_end": end.isoformat(),
        "quarter_start": quarter.isoformat(),
        "quarter_end": (shift(quarter, 3) - timedelta(days=1)).isoformat(),
    }
