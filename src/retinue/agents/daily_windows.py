"""Windows of time on days of the week, such as the opening hours of an agent, in a time zone."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Literal, Self, TypedDict
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, model_validator

from retinue.core.http.envelope import Body
from retinue.language.timezone_aliases import canonical_zone

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00")


def _check_clock(text: str) -> str:
    if not _CLOCK.fullmatch(text):
        raise ValueError("must be a time such as 09:00 or 17:30")
    return text


def _check_zone(name: str) -> str:
    if (found := canonical_zone(name)) is None:
        raise ValueError("must be the name of an IANA time zone, such as Europe/Berlin or UTC")
    return found


Clock = Annotated[str, Field(max_length=5), AfterValidator(_check_clock)]
Zone = Annotated[str, Field(max_length=64), AfterValidator(_check_zone)]


class DailyWindow(Body):
    """A window of time on days of the week."""

    days: Annotated[list[Day], Field(min_length=1, max_length=7, description="Days of the week.")] = Field(
        default_factory=lambda: list(DAYS)
    )
    start: Annotated[Clock, Field(description="Start on each day, such as `09:00`.")]
    end: Annotated[Clock, Field(description="End on each day, such as `17:30`; `24:00` is midnight.")]

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.start >= self.end:
            raise ValueError("start must be before end")
        return self


class Window(TypedDict):
    """A `DailyWindow` in its time zone."""

    days: Sequence[str]
    start: str
    end: str
    timezone: str


def next_opening(window: Window | None, moment: datetime) -> datetime:
    """Return `moment` if it is within the window, or the next start of it. None is open at any time."""
    if window is None:
        return moment
    zone = ZoneInfo(window["timezone"])
    today = moment.astimezone(zone).date()
    for ahead in range(15):
        day = today + timedelta(days=ahead)
        if DAYS[day.weekday()] not in window["days"]:
            continue
        start, end = _instant(day, window["start"], zone), _instant(day, window["end"], zone)
        if start < end and moment < end:
            return max(moment, start)
    raise AssertionError(f"the window {window} never opens")


def _instant(day: date, clock: str, zone: ZoneInfo) -> datetime:
    """Return the instant of a local time. A time that the change to summer time skips counts as an hour later."""
    if clock == "24:00":
        day, clock = day + timedelta(days=1), "00:00"
    return datetime.combine(day, time.fromisoformat(clock), zone).astimezone(UTC)
