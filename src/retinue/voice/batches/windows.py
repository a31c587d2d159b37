"""The window in which the calls of a batch may begin: days, hours and a time zone."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, model_validator

from retinue.core.http.envelope import Body
from retinue.language.timezone_aliases import canonical_zone
from retinue.voice.batches.tables import Window

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


class CallWindow(Body):
    """The window in which calls begin. Calls that have begun go on after its end."""

    days: Annotated[list[Day], Field(min_length=1, max_length=7, description="Days of the week.")] = Field(
        default_factory=lambda: list(DAYS)
    )
    start: Annotated[Clock, Field(description="Start on each day, such as `09:00`.")]
    end: Annotated[Clock, Field(description="End on each day, such as `17:30`; `24:00` is midnight.")]
    timezone: (
        Annotated[
            str,
            Field(
                max_length=64,
                description="IANA time zone of the days and times. Defaults to that of the `country` of the batch, or "
                "of the server's own phone numbers, if all of that country has the same time; else UTC.",
            ),
            AfterValidator(_check_zone),
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.start >= self.end:
            raise ValueError("start must be before end")
        return self


def zone_of_country(country: str | None, year: int) -> str:
    """Return the time zone of a country (ISO 3166): UTC for None, and if its clocks differ in a year.

    Must not run on the event loop.
    """
    from babel.core import get_global  # noqa: PLC0415 - a start can do without Babel

    names = get_global("territory_zones").get(country or "", [])
    seasons = [datetime(year, month, 1, tzinfo=UTC) for month in (1, 7)]
    clocks = {tuple(season.astimezone(ZoneInfo(name)).utcoffset() for season in seasons) for name in names}
    return (canonical_zone(names[0]) or "UTC") if len(clocks) == 1 else "UTC"


def next_opening(window: Window | None, moment: datetime) -> datetime:
    """Return `moment` if calls may begin then, or the next time from which they may. None is open at any time."""
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
