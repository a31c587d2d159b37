"""Time stamps: Unix time and the epochs of other systems."""

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, moment_of, zone_of

_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}


class Stamp(TypedDict):
    """A time stamp as a date."""

    utc: str
    local: Annotated[str, About("Local time in the time zone")]
    weekday: Annotated[str, About("Weekday in the time zone")]
    unit: Annotated[str, About("Unit in which the number was interpreted")]
    unix_seconds: Annotated[float, About("Seconds since 1970-01-01 UTC")]


@tool(
    tags="unix timestamp epoch convert date seconds milliseconds posix",
    use_when=(
        "Which date is the timestamp 1234567890?",
        "Convert 1700000000000 milliseconds to a date in Berlin",
        "What time does this epoch value stand for?",
    ),
    examples=(
        Example(
            {"timestamp": 1234567890},
            {"utc": "2009-02-13T23:31:30+00:00", "unit": "seconds", "weekday": "Friday", "unix_seconds": 1234567890.0},
            source="GNU date -u -d @1234567890",
        ),
        Example(
            {"timestamp": 1700000000000, "timezone": "Europe/Berlin"},
            {"local": "2023-11-14T23:13:20+01:00", "unit": "milliseconds"},
            source="GNU date -u -d @1700000000: 22:13:20, one hour earlier",
        ),
        Refusal({"timestamp": 1e18, "unit": "seconds"}, "years 1 to 9999"),
    ),
    reply={
        "args.timezone": "It is {weekday}, {local}.",
        "": "It is {weekday}, {utc}.",
    },
)
def time_read_timestamp(
    timestamp: Annotated[float, About("The number", 1234567890, minimum=-1e20, maximum=1e20)],
    unit: Annotated[
        Literal["auto", "seconds", "milliseconds", "microseconds", "nanoseconds"],
        About("Unit of the number; auto guesses by its size"),
    ] = "auto",
    timezone: TimeZone = "UTC",
) -> Stamp:
    """Read a Unix time stamp as date and time in UTC and a time zone.

    Use it for numbers in logs, tokens and APIs. With auto, numbers from 10^11 on are milliseconds, from 10^14 on
    microseconds, and from 10^17 on nanoseconds.
    """
    zone = zone_of(timezone)
    chosen = _guess(abs(timestamp)) if unit == "auto" else unit
    # The digits that were given, not the binary number: 0.123 is a little less in binary, and would become .122999.
    moment = _at(_UNIX, Fraction(repr(timestamp)) / _UNITS[chosen])
    try:
        local = moment.astimezone(zone)
    except OverflowError as error:
        raise ToolError("The local time is outside the years 1 to 9999.") from error
    return {
        "utc": moment.isoformat(),
        "local": local.isoformat(),
        "weekday": WEEKDAYS[local.weekday()],
        "unit": chosen,
        "unix_seconds": float(Fraction((moment - _UNIX) // _MICROSECOND, 10**6)),
    }


def _guess(size: float) -> str:
    limits = ((1e11, "seconds"), (1e14, "milliseconds"), (1e17, "microseconds"))
    return next((unit for limit, unit in limits if size < limit), "nanoseconds")


def _at(epoch: datetime, seconds: Fraction) -> datetime:
    try:
        return epoch + timedelta(microseconds=math.floor(seconds * 10**6))
    except OverflowError as error:
        raise ToolError("The number is outside the years 1 to 9999. Check its unit.") from error


class Unix(TypedDict):
    """A date as Unix time."""

    seconds: int
    milliseconds: int
    microseconds: int
    nanoseconds: Annotated[str, About("Text, because it may exceed 2^53")]
    hexadecimal: Annotated[str, About("Seconds in base 16")]


@tool(
    tags="unix timestamp epoch from date to seconds milliseconds posix",
    use_when=(
        "What is the Unix timestamp of 2026-11-21T12:00 in Berlin?",
        "Epoch milliseconds of 2001-09-09T01:46:40Z",
        "Unix timestamp for 1 June 2026, 12:00 UTC",
        "Convert a date to seconds since 1970",
    ),
    examples=(
        Example(
            {"time": "2001-09-09T01:46:40Z"},
            {
                "seconds": 1000000000,
                "milliseconds": 1000000000000,
                "hexadecimal": "0x3b9aca00",
                "microseconds": 1000000000000000,
                "nanoseconds": "1000000000000000000",
            },
            source="GNU date -u -d @1000000000",
        ),
        Example(
            {"time": "2009-02-14T00:31:30", "timezone": "Europe/Berlin"},
            {"seconds": 1234567890},
            source="GNU date -u -d @1234567890, an hour later in Berlin",
        ),
        Refusal({"time": "2001-13-01"}, "not a date and time"),
    ),
    reply="The time stamp is {seconds} in seconds, or {milliseconds} in milliseconds.",
)
def time_make_timestamp(time: DateTime, timezone: TimeZone = "UTC") -> Unix:
    """Make the Unix time stamp of a date and time in seconds, milliseconds, microseconds and nanoseconds.

    Use it for APIs, tokens and queries. The zone applies to a time without an offset.
    """
    micros = (moment_of(time, zone_of(timezone)) - _UNIX) // _MICROSECOND
    return {
        "seconds": micros // 10**6,
        "milliseconds": micros // 10**3,
        "microseconds": micros,
        "nanoseconds": str(micros * 1000),
        "hexadecimal": hex(micros // 10**6),
    }


System = Literal[
    "unix",
    "windows_filetime",
    "dotnet_ticks",
    "excel",
    "mac_hfs",
    "apple_cocoa",
    "ntp",
    "webkit",
    "gps",
    "julian_day",
    "modified_julian_day",
    "ordinal",
]
_SYSTEMS: dict[str, tuple[tuple[int, int, int, int], Fraction]] = {
    "unix": ((1970, 1, 1, 0), Fraction(1)),
    "windows_filetime": ((1601, 1, 1, 0), Fraction(1, 10**7)),
    "dotnet_ticks": ((1, 1, 1, 0), Fraction(1, 10**7)),
    "excel": ((1899, 12, 30, 0), Fraction(86400)),
    "mac_hfs": ((1904, 1, 1, 0), Fraction(1)),
    "apple_cocoa": ((2001, 1, 1, 0), Fraction(1)),
    "ntp": ((1900, 1, 1, 0), Fraction(1)),
    "webkit": ((1601, 1, 1, 0), Fraction(1, 10**6)),
    "gps": ((1980, 1, 6, 0), Fraction(1)),
    "modified_julian_day": ((1858, 11, 17, 0), Fraction(86400)),
}
_JULIAN_DAY_OF_UNIX = Fraction(4881175, 2)
_LEAPS = tuple(
    datetime(year, month, 1, tzinfo=UTC)
    for year, month in (
        (1981, 7),
        (1982, 7),
        (1983, 7),
        (1985, 7),
        (1988, 1),
        (1990, 1),
        (1991, 1),
        (1992, 7),
        (1993, 7),
        (1994, 7),
        (1996, 1),
        (1997, 7),
        (1999, 1),
        (2006, 1),
        (2009, 1),
        (2012, 7),
        (2015, 7),
        (2017, 1),
    )
)
"""Moments from which UTC was one second further behind GPS time (IERS Bulletin C); none since 2017."""


class EpochValues(TypedDict):
    """A moment in the time scales of all systems."""

    utc: str
    values: Annotated[dict[str, str], About("Exact decimal text by system")]


@tool(
    tags="epoch filetime ticks excel serial date julian day ntp gps webkit cocoa hfs convert",
    use_when=(
        "Which date is the Windows FILETIME 128166372003061629?",
        "Convert the Excel serial date 44197.5",
        "What is the Julian day of 2000-01-01T12:00?",
        "Read a Chrome history time value",
    ),
    examples=(
        Example(
            {"value": "116444736000000000", "system": "windows_filetime"},
            {"utc": "1970-01-01T00:00:00+00:00", "values": {"unix": "0", "excel": "25569", "julian_day": "2440587.5"}},
            source="Microsoft's documentation of FILETIME and of Excel dates",
        ),
        Example(
            {"value": "2451545", "system": "julian_day"},
            {"utc": "2000-01-01T12:00:00+00:00", "values": {"modified_julian_day": "51544.5"}},
            source="J2000.0 (Meeus, Astronomical Algorithms)",
        ),
        Example(
            {"value": "1025136015", "system": "gps"},
            {"utc": "2012-07-01T00:00:00+00:00"},
            source="leap second of 2012-06-30: GPS is 16 seconds ahead of UTC afterwards",
        ),
        Refusal({"value": "9e9", "system": "unix"}, "value"),
    ),
    reply="That is {utc}. In all systems: {values}",
)
def time_convert_epochs(
    value: Annotated[
        str,
        About("Number as text", "116444736000000000", pattern=r"^-?[0-9]{1,25}(\.[0-9]{1,15})?$", max_length=42),
    ],
    system: Annotated[System, About("System of the number")],
) -> EpochValues:
    """Convert a time value of Windows, .NET, Excel, Mac, NTP, WebKit, GPS or Julian days to a date and all others.

    Use it for numbers in files, registries and browsers' databases. GPS time takes leap seconds into account; all
    others count days of 86,400 seconds.
    """
    seconds = _to_unix(Fraction(Decimal(value)), system)
    moment = _at(_UNIX, seconds)
    values = {name: _exact(_from_unix(seconds, name)) for name in (*_SYSTEMS, "julian_day", "ordinal")}
    return {"utc": moment.isoformat(), "values": values}


def _to_unix(value: Fraction, system: str) -> Fraction:
    if system == "julian_day":
        return (value - _JULIAN_DAY_OF_UNIX) * 86400
    if system == "ordinal":
        return (value - _UNIX.toordinal()) * 86400
    epoch, unit = _SYSTEMS[system]
    seconds = value * unit + _offset(epoch)
    return seconds - _leaps_before_gps(seconds) if system == "gps" else seconds


def _from_unix(seconds: Fraction, system: str) -> Fraction:
    if system == "julian_day":
        return seconds / 86400 + _JULIAN_DAY_OF_UNIX
    if system == "ordinal":
        return seconds / 86400 + _UNIX.toordinal()
    epoch, unit = _SYSTEMS[system]
    if system == "gps":
        seconds += sum(_unix(leap) <= seconds for leap in _LEAPS)
    return (seconds - _offset(epoch)) / unit


def _leaps_before_gps(seconds: Fraction) -> int:
    return sum(_unix(leap) + number <= seconds for number, leap in enumerate(_LEAPS, 1))


def _offset(epoch: tuple[int, int, int, int]) -> int:
    year, month, day, hour = epoch
    return _unix(datetime(year, month, day, hour, tzinfo=UTC))


def _unix(moment: datetime) -> int:
    return (moment - _UNIX) // timedelta(seconds=1)


def _exact(value: Fraction) -> str:
    """Format as decimal text with at most nine places."""
    rounded = Decimal(round(value * 10**9)).scaleb(-9)
    text = f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
