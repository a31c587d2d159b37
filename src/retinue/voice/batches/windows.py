"""The window in which the calls of a batch may begin: days, hours and a time zone."""

from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from retinue.agents.daily_windows import DailyWindow, Zone
from retinue.language.timezone_aliases import canonical_zone


class CallWindow(DailyWindow):
    """The window in which calls begin. Calls that have begun go on after its end."""

    timezone: (
        Annotated[
            Zone,
            Field(
                description="IANA time zone of the days and times. Defaults to that of the `country` of the batch, or "
                "of the server's own phone numbers, if all of that country has the same time; else UTC.",
            ),
        ]
        | None
    ) = None


def zone_of_country(country: str | None, year: int) -> str:
    """Return the time zone of a country (ISO 3166): UTC for None, and if its clocks differ in a year.

    Must not run on the event loop.
    """
    from babel.core import get_global  # noqa: PLC0415 - a start can do without Babel

    names = get_global("territory_zones").get(country or "", [])
    seasons = [datetime(year, month, 1, tzinfo=UTC) for month in (1, 7)]
    clocks = {tuple(season.astimezone(ZoneInfo(name)).utcoffset() for season in seasons) for name in names}
    return (canonical_zone(names[0]) or "UTC") if len(clocks) == 1 else "UTC"
