"""Dates as text: natural language, patterns, locales."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

import babel
import dateparser
from babel.core import UnknownLocaleError
from babel.dates import format_date, format_datetime, format_time
from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._clock_phrases import read_clock
from retinue_tools.datetime._day_phrases import read_day, without_article
from retinue_tools.datetime._distances import DISTANCE, shift
from retinue_tools.datetime._moments import WEEKDAYS, moment_of, zone_of

_FORMATS = (
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y%m%d", "%d.%m.%y",
    "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%Y-%m",
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%z",
    "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S.%f", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %I:%M %p",
    "%d/%b/%Y:%H:%M:%S %z", "%a, %d %b %Y %H:%M:%S %z", "%a %b %d %H:%M:%S %Y", "%H:%M:%S", "%H:%M", "%I:%M %p",
)  # fmt: skip
_MEANINGS = {
    "Y": "year with century", "y": "year without century, two digits", "m": "month, 01-12", "d": "day of month, 01-31",
    "e": "day of month, space-padded", "H": "hour, 00-23", "I": "hour, 01-12", "M": "minute, 00-59",
    "S": "second, 00-60", "f": "microseconds, six digits", "p": "AM or PM", "z": "offset from UTC as +HHMM",
    "Z": "name of the time zone", "a": "short weekday name", "A": "weekday name", "b": "short month name",
    "B": "month name", "j": "day of year, 001-366", "U": "week of year, weeks from Sunday",
    "W": "week of year, weeks from Monday", "w": "weekday, 0 is Sunday", "u": "weekday, 1 is Monday",
    "G": "ISO year", "V": "ISO week, 01-53", "F": "date as %Y-%m-%d", "T": "time as %H:%M:%S",
    "c": "date and time of the locale", "x": "date of the locale", "X": "time of the locale", "%": "a percent sign",
    "D": "date as %m/%d/%y", "R": "time as %H:%M", "s": "Unix time stamp (not in all systems)",
}  # fmt: skip

_PHRASES = (
    ("übermorgen um 14 Uhr", "2026-11-26T14:00"), ("am 3. Januar um 18 Uhr", "2027-01-03T18:00"),
    ("tomorrow at 9", "2026-11-25T09:00"), ("amanhã às 14h", "2026-11-25T14:00"),
    ("mañana a las 14", "2026-11-25T14:00"), ("domani alle 9", "2026-11-25T09:00"),
    ("demain à 14h30", "2026-11-25T14:30"), ("half past six in the evening", "2026-11-24T18:30"),
    ("last day of next month", "2026-12-31T10:00"), ("end of the month", "2026-11-30T10:00"),
    ("first monday of january", "2027-01-04T10:00"), ("Thursday week", "2026-12-03T10:00"),
    ("次の金曜日", "2026-11-27T10:00"), ("vendredi prochain", "2026-11-27T10:00"),
    ("in zwei Stunden", "2026-11-24T12:00"), ("03.04.2027", "2027-04-03T00:00"),
)  # fmt: skip

LocaleName = Annotated[str, About("Language and country", "de-DE", min_length=2, max_length=20)]


class Understood(TypedDict):
    """A moment parsed from words."""

    time: Annotated[str, About("ISO 8601 with offset")]
    date: str
    weekday: str
    assumed: Annotated[list[str], About("Assumptions for ambiguous words")]


@tool(
    tags="natural language date parse tomorrow yesterday next relative words multilingual",
    use_when=(
        "Which date is 'in 3 days' from 2026-11-21?",
        "What does 'vor zwei Wochen' mean as a date?",
        "Read '21 novembre 2026 à 14h' as a date",
    ),
    memory_mb=1024,
    pace="normal",
    examples=(
        Example(
            {"text": "in 3 days", "base": "2026-11-21T10:00"},
            {"date": "2026-11-24", "weekday": "Tuesday", "time": "2026-11-24T10:00:00+00:00"},
            source="by hand",
        ),
        Example(
            {"text": "21 novembre 2026", "base": "2026-01-01", "languages": ["fr"]},
            {"date": "2026-11-21"},
            source="French, by hand",
        ),
        Example(
            {"text": "03/04/2026", "base": "2026-01-01", "day_first": True},
            {"date": "2026-04-03"},
            source="day first, by hand",
        ),
        *(
            Example({"text": text, "base": "2026-11-24T10:00"}, {"time": f"{time}:00+00:00"}, source="by hand")
            for text, time in _PHRASES
        ),
        Example(
            {"text": "next friday", "base": "2026-11-24T10:00"},
            {"date": "2026-11-27", "assumed": ["next friday is taken for the first after the base"]},
            source="by hand: some mean the Friday of the next week",
        ),
        Refusal({"text": "03/04/2026", "base": "2026-01-01"}, "Give day_first"),
        Refusal({"text": "tomorrow at 25:00", "base": "2026-01-01"}, "not a valid time of day"),
        Refusal({"text": "the colour blue", "base": "2026-01-01"}, "no recognisable date"),
    ),
    reply={
        "assumed": "It is {weekday}, {date}, if this holds: {assumed}",
        "": "It is {weekday}, {time}.",
    },
)
def time_parse_natural(
    text: Annotated[str, About("Date in words", "next friday at 3pm", min_length=1, max_length=200)],
    base: DateTime,
    timezone: TimeZone = "UTC",
    languages: Annotated[
        list[Annotated[str, About("Language code", "en", pattern="^[a-z]{2,3}$", max_length=3)]] | None,
        About("Expected languages; default: all", ["en", "de"], max_items=5),
    ] = None,
    day_first: Annotated[
        bool | None, About("Whether 03/04 is 3 April; if omitted, such dates are rejected", True)
    ] = None,
    prefer: Annotated[Literal["future", "past", "current_period"], About("Preference for ambiguous dates")] = (
        "future"
    ),
) -> Understood:
    """Parse a date or time in words, in any of many languages, relative to a base moment.

    Use it for phrases such as 'tomorrow at 9', 'vor zwei Wochen' or 'last day of next month'. Returns the moment in the
    time zone, and the assumptions made for ambiguous words.
    """
    zone = zone_of(timezone)
    start = moment_of(base, zone).astimezone(zone)
    settings: dict[str, Any] = {
        "RELATIVE_BASE": start.replace(tzinfo=None),
        "TIMEZONE": start.strftime("%z") if str(zone).startswith("UTC") else str(zone),
        "RETURN_AS_TIMEZONE_AWARE": True,
        "DATE_ORDER": _date_order(text, languages, day_first),
        "PREFER_DATES_FROM": prefer,
    }
    try:
        found, assumed = _interpret(text, start, languages, settings)
    except (ValueError, OverflowError) as error:
        raise ToolError("text refers to a day before the year 1 or after 9999, which base does not allow.") from error
    return {
        "time": found.isoformat(),
        "date": found.date().isoformat(),
        "weekday": WEEKDAYS[found.weekday()],
        "assumed": assumed,
    }


_ZONED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d|\b(?:UTC|GMT|[A-Z]{1,3}ST|[A-Z]{1,3}DT|[A-Z]?CET)\b|\d[+-]\d\d:?\d\d\b")
_NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})(?:\2(?:\d{4}|\d\d))?(?![\d./:-])")


def _date_order(text: str, languages: list[str] | None, day_first: bool | None) -> str:
    """Return the order of day and month. With points, the day is first; 03/04 is rejected if the order is unknown."""
    numeric = _NUMERIC.search(text)
    if day_first is not None:
        return "DMY" if day_first else "MDY"
    if numeric is None:
        return "MDY"
    first, second = int(numeric[1]), int(numeric[3])
    if numeric[2] == "." or first > 12 or (languages and "en" not in languages):
        return "DMY"
    if second <= 12 and first != second:
        raise ToolError(f"{numeric[0]} is ambiguous: day {first} or month {first} may come first. Give day_first.")
    return "MDY"


def _interpret(
    text: str, start: datetime, languages: list[str] | None, settings: dict[str, Any]
) -> tuple[datetime, list[str]]:
    """Return the moment of a text, and the assumptions made. Dateparser ignores 'from' and 'before' after a duration,
    so that distance is added here.
    """
    distance = DISTANCE.fullmatch(text.strip(" ,."))
    if distance is None:
        return _find_moment(text, start, languages, settings)
    moment, assumed = _interpret(distance["point"], start, languages, settings)
    sign = -1 if distance["way"].lower() == "before" else 1
    return shift(moment.astimezone(start.tzinfo), distance["length"], sign), assumed


def _find_moment(
    text: str, start: datetime, languages: list[str] | None, settings: dict[str, Any]
) -> tuple[datetime, list[str]]:
    """Return the moment of a text without a distance, and the assumptions made. The time of day is parsed first,
    because dateparser ignores many.
    """
    clock = None if _ZONED.search(text) else read_clock(text)
    if clock is None:
        day = read_day(text, start.date())
        found = start.replace(year=day.date.year, month=day.date.month, day=day.date.day) if day else None
        return found or _parse(text, languages, settings), [day.assumed] if day and day.assumed else []
    hour, minute = clock.time.hour, clock.time.minute
    assumed = [f"{hour}:{minute:02} is taken by the 24-hour clock"] if clock.halves else []
    if not without_article(clock.rest):
        moment = start.replace(hour=hour, minute=minute, second=0, microsecond=0)
        late = settings["PREFER_DATES_FROM"] == "future" and moment < start
        return moment + timedelta(days=late), assumed
    day = read_day(clock.rest, start.date())
    date = day.date if day else _parse(clock.rest, languages, settings).date()
    moment = start.replace(
        year=date.year, month=date.month, day=date.day, hour=hour, minute=minute, second=0, microsecond=0
    )
    return moment, [*([day.assumed] if day and day.assumed else []), *assumed]


def _parse(text: str, languages: list[str] | None, settings: dict[str, Any]) -> datetime:
    """Parse the text with dateparser, without or with the article."""
    try:
        for words in dict.fromkeys((without_article(text), text)):
            # A bare number is not a date, although dateparser interprets it as a day or a year.
            if re.fullmatch(r"\W*\d{1,4}\W*", words):
                continue
            found: datetime | None = dateparser.parse(words, languages=languages, settings=settings)
            if found:
                return found
    except (ValueError, OverflowError, TypeError) as error:
        raise ToolError(f"text cannot be parsed as a date: {error}") from error
    raise ToolError("There is no recognisable date in text. Write only the date, such as 'in 3 days'.")


class LocalText(TypedDict):
    """A moment formatted for a locale."""

    text: str
    date: str
    time: str


@tool(
    tags="date time format locale language babel cldr pattern write localized",
    use_when=(
        "Write 2026-11-21 the German way",
        "How is this date written in Japanese?",
        "Format a time with the pattern EEEE, d. MMMM y",
    ),
    examples=(
        Example(
            {"time": "2026-11-21T14:05", "locale": "de-DE", "style": "full"},
            {"date": "Samstag, 21. November 2026", "time": "14:05:00"},
            source="Unicode CLDR, German",
        ),
        Example(
            {"time": "2026-11-21T14:05", "locale": "en-GB", "pattern": "EEEE d MMMM y"},
            {"text": "Saturday 21 November 2026"},
            source="Unicode TR 35, date format patterns",
        ),
        Refusal({"time": "2026-11-21", "locale": "xx-QQ"}, "not a known locale"),
    ),
    reply={
        "args.pattern": "{text}",
        "date, time": "{date}, {time}",
        "": "{text}",
    },
)
def time_format_locale(
    time: DateTime,
    locale: LocaleName,
    style: Annotated[Literal["short", "medium", "long", "full"], About("Length of the text")] = "medium",
    timezone: TimeZone = "UTC",
    pattern: Annotated[
        str, About("Unicode CLDR pattern to use instead of the style", "EEEE d MMMM y", max_length=80)
    ] = "",
) -> LocalText:
    """Format a date and time for a language and country according to Unicode CLDR, in a style or by a pattern.

    Use it for letters and web pages. The zone applies to a time without an offset, and to the displayed time.
    """
    try:
        place = babel.Locale.parse(locale.replace("-", "_"))
    except (ValueError, TypeError, UnknownLocaleError) as error:
        raise ToolError(f"{locale} is not a known locale. Write it as de-DE or en-GB.") from error
    zone = zone_of(timezone)
    moment = moment_of(time, zone).astimezone(zone)
    try:
        text = format_datetime(moment, pattern or style, tzinfo=zone, locale=place)
    except (ValueError, KeyError, AttributeError) as error:
        raise ToolError("The pattern is not a Unicode CLDR pattern. Write it as EEEE, d. MMMM y HH:mm.") from error
    return {
        "text": text,
        "date": format_date(moment, style, locale=place),
        "time": format_time(moment, style if style in ("short", "medium") else "medium", tzinfo=zone, locale=place),
    }


class Detected(TypedDict):
    """Matching patterns."""

    formats: Annotated[list[str], About("strftime patterns that parse every sample, most usual first")]
    ambiguous: Annotated[bool, About("Whether day and month could be swapped")]
    iso: Annotated[list[str], About("Samples in ISO 8601, parsed with the first pattern")]


@tool(
    tags="date format detect guess strptime strftime pattern ambiguous csv column",
    use_when=(
        "Which format have the dates 21.11.2026 and 03.12.2026?",
        "Is 03/04/2026 day first or month first in this column?",
        "Guess the strptime pattern of these log times",
    ),
    examples=(
        Example(
            {"samples": ["03/04/2026", "21/04/2026"]},
            {"formats": ["%d/%m/%Y"], "ambiguous": False, "iso": ["2026-04-03", "2026-04-21"]},
            source="by hand: no month 21",
        ),
        Example(
            {"samples": ["03/04/2026"]}, {"formats": ["%d/%m/%Y", "%m/%d/%Y"], "ambiguous": True}, source="by hand"
        ),
        Refusal({"samples": ["soon"]}, "No usual format"),
    ),
    reply={
        "ambiguous": "The format cannot be told for certain; possible are {formats}.",
        "formats": "The date format is {formats.0}.",
        "": "No single format fits all these dates.",
    },
)
def date_detect_format(
    samples: Annotated[
        list[Annotated[str, About("Date", "21.11.2026", min_length=1, max_length=60)]],
        About("Dates from one column", ["21.11.2026", "03.12.2026"], min_items=1, max_items=500),
    ],
) -> Detected:
    """Detect the strftime pattern (date format) that reads all given date samples, and whether it is ambiguous.

    Use it before parsing a column of dates. Returns the fitting patterns and the samples in ISO 8601.
    """
    fitting = [pattern for pattern in _FORMATS if all(_read(sample, pattern) for sample in samples)]
    if not fitting:
        raise ToolError("No usual format matches all samples. Give samples of one column, without headings.")
    swaps = {pattern.replace("%d", "#").replace("%m", "#") for pattern in fitting}
    return {
        "formats": fitting,
        "ambiguous": len(swaps) < len(fitting),
        "iso": [_iso(text, fitting[0]) for text in samples],
    }


def _read(text: str, pattern: str) -> datetime | None:
    """Return the moment in UTC, or None; a pattern without an offset is interpreted as UTC."""
    text_zone, zone = ("", "") if "%z" in pattern else (" +0000", " %z")
    try:
        return datetime.strptime(text.strip() + text_zone, pattern + zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _iso(text: str, pattern: str) -> str:
    moment = _read(text, pattern)
    if moment is None:
        return ""
    if "%Y" not in pattern and "%y" not in pattern:
        return moment.time().isoformat()
    if "%H" in pattern or "%I" in pattern:
        return moment.isoformat() if "%z" in pattern else moment.replace(tzinfo=None).isoformat()
    return moment.date().isoformat()


class PatternPart(TypedDict):
    """A piece of a pattern."""

    code: str
    meaning: str


class PatternMeaning(TypedDict):
    """Explanation of a pattern."""

    parts: list[PatternPart]
    example: Annotated[str, About("DateTime formatted with the pattern")]


@tool(
    tags="strftime pattern explain format codes date meaning percent",
    use_when=(
        "What does %d.%m.%Y %H:%M mean?",
        "How does %A, %d %B look for 2026-11-21?",
        "Explain a strftime format",
    ),
    examples=(
        Example(
            {"pattern": "%d.%m.%Y %H:%M", "time": "2026-11-21T14:05"},
            {
                "example": "21.11.2026 14:05",
                "parts": [
                    {"code": "%d", "meaning": "day of month, 01-31"},
                    {"code": "%m"},
                    {"code": "%Y"},
                    {"code": "%H"},
                    {"code": "%M", "meaning": "minute, 00-59"},
                ],
            },
            source="strftime(3)",
        ),
        Example({"pattern": "%G-W%V-%u"}, {"example": "2026-W47-6"}, source="2026-11-21 is a Saturday of week 47"),
        Refusal({"pattern": "%Q"}, "%Q is not"),
    ),
    reply="It looks like {example}. The codes: {parts}",
)
def strftime_explain_pattern(
    pattern: Annotated[str, About("strftime pattern", "%d.%m.%Y %H:%M", min_length=1, max_length=120)],
    time: DateTime = "2026-11-21T14:05:09",
) -> PatternMeaning:
    """Explain a strftime pattern code by code and show a moment written by it.

    Use it to understand or check date formats of programs. Unknown codes are reported by name.
    """
    codes = re.findall(r"%[-_0^#]?(.?)", pattern, re.DOTALL)
    for code in codes:
        if code not in _MEANINGS or not code:
            raise ToolError(f"%{code} is not a code of strftime. Known: {' '.join('%' + key for key in _MEANINGS)}.")
    return {
        "parts": [{"code": f"%{code}", "meaning": _MEANINGS[code]} for code in codes],
        "example": moment_of(time).strftime(pattern),
    }
