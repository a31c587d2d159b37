"""Days by their number in the year."""

import re
from datetime import date, timedelta
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, Year

_CODE = re.compile(r"(\d{4}|\d{2})-?(\d{3})")
_CENTURY_TURN = 69


class OrdinalDay(TypedDict):
    """A day."""

    date: str
    weekday: str
    days_left: Annotated[int, About("Days that the year still has after it")]


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
)
def date_find_ordinal(
    year: Year | None = None,
    day: Annotated[int | None, About("Number of the day in the year", 183, minimum=1, maximum=366)] = None,
    code: Annotated[str | None, About("Both as YYYY-DDD or YYDDD", "2025-183", max_length=8)] = None,
) -> OrdinalDay:
    """Find the date of a day by its number in the year (ordinal date, often called Julian date on packages)."""
    number, place = _of_code(code) if code is not None else (year, day)
    if number is None or place is None:
        raise ToolError("Give year and day, or a code as 2025-183.")
    length = (date(number + 1, 1, 1) - date(number, 1, 1)).days
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
