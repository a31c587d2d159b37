"""Time zones: search by name, and clock changes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, TimeZone, ToolError, tool
from retinue.sdk.zones import zone_names
from retinue_tools.datetime._moments import clock_of, day_of, moment_of, zone_of
from retinue_tools.datetime.time_zones import LocalTime, is_daylight_saving, local_time


class ZoneList(TypedDict):
    """Time zones found."""

    zones: list[LocalTime]
    found: Annotated[int, About("Total number; at most 100 are listed")]


@tool(
    tags="timezone search list iana name city offset find",
    use_when=(
        "Which IANA time zone is São Paulo in?",
        "List the time zones of Australia",
        "Which zones are at UTC+05:45?",
    ),
    examples=(
        Example(
            {"search": "kolkata", "time": "2026-01-01"},
            {"found": 1, "zones": [{"timezone": "Asia/Kolkata", "utc_offset": "+05:30"}]},
            source="India: UTC+5:30",
        ),
        Example(
            {"utc_offset": "+05:45", "time": "2026-01-01"},
            {"found": 2, "zones": [{"timezone": "Asia/Kathmandu"}, {"timezone": "Asia/Katmandu"}]},
            source="Nepal is the only country at UTC+5:45; the zone has two spellings",
        ),
        Refusal({}, "Give a search word"),
    ),
    reply={
        "zones.1": "I found {found|time zone}: {zones}",
        "zones": "The time zone is {zones.0.timezone} ({zones.0.utc_offset}).",
        "": "I found no such time zone.",
    },
)
def time_search_timezones(
    search: Annotated[str, About("Part of a zone's name: city, country or continent", "sao paulo", max_length=64)] = "",
    utc_offset: Annotated[
        str, About("Offset from UTC at the time", "+05:45", pattern=r"^([+-][0-9]{2}:[0-9]{2})?$", max_length=6)
    ] = "",
    time: Annotated[str, About("Moment: date and time in ISO 8601", "2026-07-01T12:00Z", max_length=40)] = "2026-01-01",
) -> ZoneList:
    """Search IANA time zones by part of the name or by their offset at a moment.

    Use it to find the zone for a city. Returns names with local time and offset; spaces and accents are ignored.
    """
    if not (search.strip() or utc_offset):
        raise ToolError("Give a search word or an offset such as +05:45.")
    moment, word = (
        moment_of(time),
        search.strip().lower().replace(" ", "_").translate(str.maketrans("ãáéíóú", "aaeiou")),
    )
    clocks = (local_time(moment, zone_of(name)) for name in sorted(zone_names()) if word in name.lower())
    found = [clock for clock in clocks if utc_offset in ("", clock["utc_offset"])]
    return {"zones": found[:100], "found": len(found)}


class ClockChange(TypedDict):
    """A change of a zone's offset."""

    utc: Annotated[str, About("Moment of the change, in UTC")]
    before: Annotated[str, About("Local time and offset just before")]
    after: Annotated[str, About("Local time and offset at the change")]
    shift_minutes: Annotated[int, About("Positive if clocks go forward")]
    daylight_saving: Annotated[bool, About("Whether daylight saving applies afterwards")]


class ClockChanges(TypedDict):
    """Clock changes of a period."""

    changes: list[ClockChange]


@tool(
    tags="daylight saving dst clock change transition summer winter time forward back",
    use_when=(
        "When do the clocks change in Germany in 2026?",
        "When does daylight saving end in New York this year?",
        "Does Sydney change its clocks between October and December?",
    ),
    examples=(
        Example(
            {"timezone": "Europe/Berlin", "start": "2026-01-01", "end": "2026-12-31"},
            {
                "changes": [
                    {"utc": "2026-03-29T01:00:00+00:00", "shift_minutes": 60, "daylight_saving": True},
                    {"utc": "2026-10-25T01:00:00+00:00", "shift_minutes": -60, "daylight_saving": False},
                ]
            },
            source="Directive 2000/84/EC: last Sundays of March and October, 01:00 UTC",
        ),
        Example(
            {"timezone": "Asia/Tokyo", "start": "2026-01-01", "end": "2026-12-31"},
            {"changes": []},
            source="Japan has no daylight saving",
        ),
        Refusal({"timezone": "Asia/Tokyo", "start": "2026-01-01", "end": "2099-12-31"}, "more than 20 years"),
    ),
    reply={
        "changes": "The clocks change at these times: {changes}",
        "": "The clocks do not change there in this period.",
    },
)
def time_list_clock_changes(timezone: TimeZone, start: Date, end: Date) -> ClockChanges:
    """List the daylight-saving and other clock changes of a time zone in a period of up to 20 years.

    Use it to know when clocks go forward or back. Returns the exact moments with the local times around them.
    """
    zone = zone_of(timezone)
    low = datetime.combine(day_of(start), clock_of("00:00"), zone).astimezone(UTC)
    high = datetime.combine(day_of(end), clock_of("23:59"), zone).astimezone(UTC)
    if not timedelta() <= high - low <= timedelta(days=20 * 366):
        raise ToolError("The end must not be before the start, or more than 20 years after it.")
    return {"changes": [_change(moment, zone) for moment in _transitions(low, high, zone)]}


def _transitions(low: datetime, high: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    step = timedelta(days=7)
    while low < high:
        left, right = low, min(low + step, high)
        if left.astimezone(zone).utcoffset() != right.astimezone(zone).utcoffset():
            while right - left > timedelta(seconds=1):
                middle = left + (right - left) // 2
                same = middle.astimezone(zone).utcoffset() == left.astimezone(zone).utcoffset()
                left, right = (middle, right) if same else (left, middle)
            yield right.replace(microsecond=0)
        low += step


def _change(moment: datetime, zone: ZoneInfo) -> ClockChange:
    before, after = (moment - timedelta(seconds=1)).astimezone(zone), moment.astimezone(zone)
    shift = (after.utcoffset() or timedelta()) - (before.utcoffset() or timedelta())
    return {
        "utc": moment.isoformat(),
        "before": before.isoformat(),
        "after": after.isoformat(),
        "shift_minutes": round(shift / timedelta(minutes=1)),
        "daylight_saving": is_daylight_saving(after),
    }
