"""Time zones: conversion, world clock and meetings."""

import datetime as calendar
from datetime import UTC, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from typing_extensions import TypedDict

from retinue.sdk import About, Date, DateTime, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import MONTHS, WEEKDAYS, Clock, clock_of, day_of, moment_of, offset_text, zone_of

Zones = Annotated[
    list[TimeZone],
    About(
        "Time zones, cities or offsets", ["Europe/Berlin", "America/New_York", "Asia/Tokyo"], min_items=1, max_items=30
    ),
]


class LocalTime(TypedDict):
    """A moment in a zone."""

    time: Annotated[str, About("Local time in ISO 8601 with offset")]
    words: Annotated[str, About("Local time in words, such as 19:10 on Sunday, 29 November 2026")]
    weekday: str
    iso_week: Annotated[int, About("Number of the calendar week (ISO 8601)")]
    timezone: str
    abbreviation: Annotated[str, About("Abbreviation of the time zone, such as CEST")]
    utc_offset: str
    daylight_saving: bool


def local_time(moment: datetime, zone: ZoneInfo) -> LocalTime:
    there = moment.astimezone(zone)
    return {
        "time": there.isoformat(),
        "words": f"{there:%H:%M} on {WEEKDAYS[there.weekday()]}, {there.day} {MONTHS[there.month - 1]} {there.year}",
        "weekday": WEEKDAYS[there.weekday()],
        "iso_week": there.isocalendar().week,
        "timezone": str(zone),
        "abbreviation": there.tzname() or "",
        "utc_offset": offset_text(there),
        "daylight_saving": is_daylight_saving(there),
    }


def is_daylight_saving(local: datetime) -> bool:
    """Return whether clocks are ahead of winter time. In Dublin, winter time is one hour behind standard time: summer
    then has no offset, and winter a negative one.
    """
    none = timedelta()
    shift = local.dst() or none
    probes = (local.replace(month=month, day=15).dst() or none for month in (1, 7))
    return shift > none or (shift == none and any(probe < none for probe in probes))


class Conversion(TypedDict):
    """A moment in two zones."""

    target: LocalTime
    source: LocalTime
    difference_hours: Annotated[float, About("Offset of the target minus offset of the source")]
    ambiguous: Annotated[
        bool, About("Whether the source time occurs twice because clocks go back; the earlier one is used")
    ]
    nonexistent: Annotated[bool, About("Whether the source time is skipped because clocks go forward")]


@tool(
    tags="timezone convert time zone local clock offset utc dst",
    use_when=(
        "What time is 15:00 in Berlin for New York on 2026-03-20?",
        "Convert 2026-11-21T09:00 Tokyo time to London",
        "When is 18:00 UTC in Sydney?",
        "What is 15:00 at UTC+2 in UTC-5 on 10 March 2026?",
        "5 pm EST on 9 December 2026 in IST",
        "What time is it in Tokyo when it is noon in Berlin?",
    ),
    examples=(
        Example(
            {"time": "2026-03-20T15:00", "source": "Europe/Berlin", "target": "America/New_York"},
            {"target": {"time": "2026-03-20T10:00:00-04:00", "daylight_saving": True}, "difference_hours": -5.0},
            source="United States change on 8 March 2026, Europe on 29 March: 5 hours apart between",
        ),
        Example(
            {"time": "2026-03-29T02:30", "source": "Europe/Berlin", "target": "UTC"},
            {"nonexistent": True, "ambiguous": False},
            source="Directive 2000/84/EC: clocks go from 02:00 to 03:00",
        ),
        Example(
            {"time": "2026-03-20T15:00", "source": "Berlin", "target": "new york"},
            {
                "target": {"time": "2026-03-20T10:00:00-04:00", "words": "10:00 on Friday, 20 March 2026"},
                "source": {"words": "15:00 on Friday, 20 March 2026"},
            },
            source="the same by cities",
        ),
        Example(
            {"time": "2026-07-01T15:00", "source": "UTC+5:30", "target": "PST"},
            {"target": {"time": "2026-07-01T01:30:00-08:00"}, "difference_hours": -13.5},
            source="by hand: 09:30 UTC, and Pacific standard time is 8 hours behind",
        ),
        Refusal({"time": "2026-03-20T15:00", "source": "Berlim", "target": "UTC"}, "not an IANA time zone"),
    ),
    reply={
        "nonexistent": (
            "That time does not exist in {args.source}, as the clocks go forward; in "
            "{args.target} it is {target.words}."
        ),
        "ambiguous": (
            "That time occurs twice in {args.source}, as the clocks go back; the "
            "first time it is {target.words} in {args.target}."
        ),
        "": "In {args.target} it is {target.words}.",
    },
)
def time_convert_timezone(time: DateTime, source: TimeZone, target: TimeZone) -> Conversion:
    """Convert a time from one time zone to another, with daylight saving of that date.

    Use it for calls and travel. Zones may be cities, abbreviations such as EST or offsets such as UTC+2. If the time
    has an offset, it is used. The result shows whether the local time occurs twice or is skipped by a clock change.
    """
    here, there = zone_of(source), zone_of(target)
    moment = moment_of(time, here)
    return {
        "target": local_time(moment, there),
        "source": local_time(moment, here),
        "difference_hours": (_offset(moment, there) - _offset(moment, here)) / timedelta(hours=1),
        "ambiguous": moment.tzinfo is here and _exists(moment) and _twice(moment),
        "nonexistent": moment.tzinfo is here and not _exists(moment),
    }


def _exists(moment: datetime) -> bool:
    back = moment.astimezone(UTC).astimezone(moment.tzinfo)
    return back.replace(tzinfo=None) == moment.replace(tzinfo=None)


def _twice(moment: datetime) -> bool:
    return moment.utcoffset() != moment.replace(fold=1).utcoffset()


class ClockWall(TypedDict):
    """A moment in several places."""

    clocks: Annotated[list[LocalTime], About("One entry per zone, in the requested order")]


@tool(
    tags="world clock cities time zones now several places",
    use_when=(
        "What time is it in Berlin, New York and Tokyo at 2026-11-21T12:00 UTC?",
        "Show a moment on clocks around the world",
        "Which day is it in Auckland when it is Friday 20:00 in London?",
        "What time is it in New York and in London?",
    ),
    examples=(
        Example(
            {"time": "2026-01-01T00:00Z", "zones": ["Asia/Tokyo", "America/New_York"]},
            {
                "clocks": [
                    {"time": "2026-01-01T09:00:00+09:00", "words": "09:00 on Thursday, 1 January 2026"},
                    {"time": "2025-12-31T19:00:00-05:00", "weekday": "Wednesday", "abbreviation": "EST"},
                ]
            },
            source="UTC+9 and UTC-5 by hand",
        ),
        Refusal({"time": "yesterday", "zones": ["UTC"]}, "not a date and time"),
    ),
    reply="The clocks: {clocks}",
)
def time_show_world_clock(time: DateTime, zones: Zones) -> ClockWall:
    """Show one moment on the clocks of several time zones.

    Use it to tell people in many places when something happens. A time without an offset is UTC.
    """
    moment = moment_of(time)
    return {"clocks": [local_time(moment, zone_of(name)) for name in zones]}


@tool(
    tags="now current time date today clock timezone",
    use_when=(
        "What time is it now in Tokyo?",
        "Which date is today?",
        "What is the current time in UTC?",
        "What time is it?",
        "What is the date today?",
        "The time, please",
        "What time is it now?",
        "What's the time?",
        "Tell me the time",
        "What week number is it?",
        "Which calendar week is it now?",
        "What week is it?",
        "What time is it in Bielefeld?",
        "What time is it in Leeds right now?",
        "How late is it in Rome?",
        "Time in Lagos",
    ),
    idempotent=False,
    examples=(
        Example({"timezone": "Asia/Tokyo"}, {"timezone": "Asia/Tokyo", "utc_offset": "+09:00"}, source="Japan: UTC+9"),
        Example({}, {"timezone": "UTC", "utc_offset": "+00:00", "daylight_saving": False}, source="by definition"),
        Refusal({"timezone": "Mars/Base"}, "not an IANA time zone"),
    ),
    reply="The time is {words} ({timezone}), in week {iso_week}.",
)
def time_tell_now(timezone: TimeZone = "UTC") -> LocalTime:
    """Tell the current date and time in a time zone, with weekday and offset.

    Use it whenever an answer depends on today. Returns local time in ISO 8601.
    """
    return local_time(datetime.now(UTC).replace(microsecond=0), zone_of(timezone))


class ZoneDifference(TypedDict):
    """How far the clocks of two zones are apart."""

    words: Annotated[str, About("Difference in words, such as 11 hours ahead of")]
    difference_hours: Annotated[float, About("Offset of the second zone minus offset of the first, in hours")]
    first: Annotated[LocalTime, About("Local time in the first zone")]
    second: Annotated[LocalTime, About("Local time in the second zone")]


@tool(
    tags="time difference hours between zones cities apart ahead behind offset",
    use_when=(
        "What's the time difference between London and Sydney?",
        "How many hours is Tokyo ahead of Berlin?",
        "How many hours apart are New York and Paris?",
        "Is Lisbon an hour behind Madrid?",
        "Time difference to India",
    ),
    idempotent=False,
    examples=(
        Example(
            {"first": "London", "second": "Sydney", "date": "2026-12-01"},
            {
                "difference_hours": 11.0,
                "words": "11 hours ahead of",
                "first": {"words": "12:00 on Tuesday, 1 December 2026"},
                "second": {"words": "23:00 on Tuesday, 1 December 2026"},
            },
            source="UTC+11 in the Australian summer",
        ),
        Example(
            {"first": "Asia/Kolkata", "second": "UTC", "date": "2026-12-01"},
            {"difference_hours": -5.5, "words": "5 hours and 30 minutes behind"},
            source="India: UTC+5:30",
        ),
        Example(
            {"first": "Berlin", "second": "Paris"}, {"words": "in the same time zone as"}, source="both central Europe"
        ),
        Refusal({"first": "London", "second": "Atlantis"}, "not an IANA time zone"),
    ),
    reply="{args.second} is {words} {args.first}. In {args.second} it is {second.words}.",
)
def time_compare_zones(first: TimeZone, second: TimeZone, date: Date | None = None) -> ZoneDifference:
    """Tell how many hours two cities or time zones are apart, now or at noon of a date.

    Use it for calls and travel. The difference changes where clocks change on different days.
    """
    here, there = zone_of(first), zone_of(second)
    noon = calendar.time(12)
    moment = datetime.combine(day_of(date), noon, here) if date else datetime.now(UTC).replace(microsecond=0)
    difference = _offset(moment, there) - _offset(moment, here)
    return {
        "words": _compare(difference),
        "difference_hours": difference / timedelta(hours=1),
        "first": local_time(moment, here),
        "second": local_time(moment, there),
    }


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _compare(difference: timedelta) -> str:
    """Return a difference of clocks in words, before the name of the zone that it is compared with."""
    if not difference:
        return "in the same time zone as"
    hours, minutes = divmod(round(abs(difference) / timedelta(minutes=1)), 60)
    parts = [f"{count} {unit}{'s' * (count != 1)}" for count, unit in ((hours, "hour"), (minutes, "minute")) if count]
    return f"{' and '.join(parts)} {'ahead of' if difference > timedelta() else 'behind'}"


class Slot(TypedDict):
    """A common time slot."""

    start_utc: str
    end_utc: str
    minutes: int
    local_starts: Annotated[list[str], About("Local start in each zone")]


class MeetingPlan(TypedDict):
    """Common meeting times of several zones."""

    slots: list[Slot]
    zones_without_overlap: Annotated[bool, About("Whether no slot was found")]


@tool(
    tags="meeting planner time zones overlap office hours schedule call",
    use_when=(
        "When can Berlin and New York meet within office hours on 2026-11-23?",
        "Find a slot for London, Dubai and Singapore between 8 and 18",
        "Is there any common working time between San Francisco and Berlin?",
        "Good time for a call with Australia",
    ),
    examples=(
        Example(
            {"date": "2026-11-23", "zones": ["Europe/Berlin", "America/New_York"]},
            {
                "slots": [
                    {
                        "start_utc": "2026-11-23T14:00:00+00:00",
                        "end_utc": "2026-11-23T16:00:00+00:00",
                        "minutes": 120,
                        "local_starts": ["2026-11-23T15:00:00+01:00", "2026-11-23T09:00:00-05:00"],
                    }
                ]
            },
            source="by hand: 9 to 17 is 08-16 UTC and 14-22 UTC",
        ),
        Example(
            {"date": "2026-11-23", "zones": ["Europe/Berlin", "Pacific/Auckland"], "day_end": "16:00"},
            {"slots": [], "zones_without_overlap": True},
            source="by hand: 12 hours apart",
        ),
        Refusal({"date": "2026-11-23", "zones": ["UTC"], "day_start": "17:00", "day_end": "09:00"}, "before day_end"),
    ),
    reply={
        "slots": "All can meet at these times: {slots}",
        "": "There is no time that day when all are within working hours.",
    },
)
def time_plan_meeting(
    date: Date,
    zones: Zones,
    day_start: Clock = "09:00",
    day_end: Clock = "17:00",
    minutes: Annotated[int, About("Minimum length of the meeting", 60, minimum=5, maximum=720)] = 30,
) -> MeetingPlan:
    """Find the times on a date when all time zones are within working hours.

    Use it to plan calls across the world. The date applies to the first zone; in the others it may be the day before or
    after. Returns common slots of at least the given length, in UTC and local time.
    """
    if clock_of(day_start) >= clock_of(day_end):
        raise ToolError("day_start must be before day_end.")
    places = [zone_of(name) for name in zones]
    day = day_of(date)
    common = [_working_hours(day, places[0], day_start, day_end)]
    for zone in places[1:]:
        hours = [_working_hours(day + timedelta(days=shift), zone, day_start, day_end) for shift in (-1, 0, 1)]
        common = [
            (max(a, c), min(b, d)) for a, b in common for c, d in hours if min(b, d) - max(a, c) >= timedelta(minutes=1)
        ]
    slots: list[Slot] = [
        {
            "start_utc": start.isoformat(),
            "end_utc": end.isoformat(),
            "minutes": round((end - start) / timedelta(minutes=1)),
            "local_starts": [start.astimezone(zone).isoformat() for zone in places],
        }
        for start, end in common
        if end - start >= timedelta(minutes=minutes)
    ]
    return {"slots": slots, "zones_without_overlap": not slots}


def _working_hours(day: calendar.date, zone: ZoneInfo, start: str, end: str) -> tuple[datetime, datetime]:
    return (
        datetime.combine(day, clock_of(start), zone).astimezone(UTC),
        datetime.combine(day, clock_of(end), zone).astimezone(UTC),
    )
