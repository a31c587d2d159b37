"""Distances in time, such as two weeks from or one hour before a moment."""

import re
from datetime import UTC, datetime, timedelta

from dateutil.relativedelta import relativedelta

from retinue.sdk import ToolError

_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_LENGTH = rf"(?:\d{{1,5}}|{'|'.join(_COUNTS)})\s+(?:minute|hour|day|week|month|year)s?"
DISTANCE = re.compile(
    rf"(?:in\s+)?(?P<length>{_LENGTH}(?:(?:\s+and|,)?\s+{_LENGTH})*)\s+(?P<way>from|after|before)\s+(?P<point>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""Matches a duration and the moment that it is measured from."""


def shift(moment: datetime, length: str, sign: int) -> datetime:
    """Add a length such as '2 weeks and 3 hours': days and longer units on the local clock, then hours and minutes.

    Raises `ToolError` outside the years 1 to 9999.
    """
    parts = re.findall(r"(\w+)\s+(minute|hour|day|week|month|year)", length.lower())
    amounts = [(f"{unit}s", sign * int(_COUNTS.get(count, count))) for count, unit in parts]
    days = sum((relativedelta(**{unit: n}) for unit, n in amounts if unit not in ("hours", "minutes")), relativedelta())
    hours = sum((timedelta(**{unit: n}) for unit, n in amounts if unit in ("hours", "minutes")), timedelta())
    try:
        day: datetime = moment + days
        return (day.astimezone(UTC) + hours).astimezone(moment.tzinfo)
    except (OverflowError, ValueError) as error:
        raise ToolError("That is before the year 1 or after the year 9999.") from error
