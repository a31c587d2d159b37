"""Durations: conversion, addition, scaling and comparison."""

import re
from fractions import Fraction
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool

_ISO = re.compile(
    r"(?P<sign>-)?P(?:(?P<w>\d+(?:[.,]\d+)?)W)?(?:(?P<d>\d+(?:[.,]\d+)?)D)?"
    r"(?:T(?:(?P<h>\d+(?:[.,]\d+)?)H)?(?:(?P<m>\d+(?:[.,]\d+)?)M)?(?:(?P<s>\d+(?:[.,]\d+)?)S)?)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?P<sign>-)?(?P<h>\d{1,6})[:h](?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?")
_WORD = re.compile(
    r"(\d+(?:\.\d+)?)\s*(weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s|milliseconds?|ms)(?![a-z])",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_IN_WORDS = (
    (re.compile(r"\bhalf an hour\b"), "30 minutes"),
    (re.compile(r"\b(?:a )?quarter of an hour\b"), "15 minutes"),
    (re.compile(r"\ban hour and a half\b"), "90 minutes"),
    (re.compile(r"\bone and a half hours\b"), "90 minutes"),
    (re.compile(r"\b(?:an?|one) (?=(?:week|day|hour|minute|second)\b)"), "1 "),
)
"""Common phrases for durations, and their equivalents in digits."""
_SECONDS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
_LONGEST = 10**13

DurationText = Annotated[
    str, About("Duration: PT1H30M, 1:30, 1:30:00, 1h 30m or 90 minutes", "PT1H30M", min_length=1, max_length=80)
]


class Duration(TypedDict):
    """A duration in several forms."""

    seconds: float
    clock: Annotated[str, About("Hours, minutes and seconds as 26:30:00")]
    words: Annotated[str, About("English words")]
    minutes: float
    hours: float
    days: float
    iso: Annotated[str, About("ISO 8601, such as P1DT2H30M")]


def duration_forms(seconds: Fraction) -> Duration:
    """Return a duration of this many seconds in all forms."""
    return {
        "seconds": float(round(seconds, 6)),
        "clock": _clock(seconds),
        "words": _words(seconds),
        "minutes": float(round(seconds / 60, 6)),
        "hours": float(round(seconds / 3600, 6)),
        "days": float(round(seconds / 86400, 6)),
        "iso": _iso(seconds),
    }


def _parts(seconds: Fraction) -> tuple[int, int, int, str]:
    """Return days, hours, minutes and seconds of the absolute value; seconds are text with up to six decimals."""
    micros = round(abs(seconds) * 10**6)
    whole, rest = divmod(micros, 60 * 10**6)
    minutes, days = whole % 60, whole // 1440
    text = f"{rest // 10**6}.{rest % 10**6:06d}".rstrip("0").rstrip(".")
    return days, whole // 60 % 24, minutes, text


def _iso(seconds: Fraction) -> str:
    days, hours, minutes, rest = _parts(seconds)
    date = f"{days}D" if days else ""
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "") + (f"{rest}S" if rest != "0" else "")
    body = date + (f"T{time}" if time else "") or "T0S"
    return ("-" if seconds < 0 else "") + "P" + body


def _clock(seconds: Fraction) -> str:
    days, hours, minutes, rest = _parts(seconds)
    whole, point, decimals = rest.partition(".")
    return f"{'-' if seconds < 0 else ''}{days * 24 + hours}:{minutes:02d}:{int(whole):02d}{point}{decimals}"


def _words(seconds: Fraction) -> str:
    days, hours, minutes, rest = _parts(seconds)
    counts = [(str(days), "day"), (str(hours), "hour"), (str(minutes), "minute"), (rest, "second")]
    text = ", ".join(f"{value} {name}{'' if value == '1' else 's'}" for value, name in counts if value != "0")
    return ("minus " if seconds < 0 else "") + (text or "0 seconds")


def seconds_of(text: str) -> Fraction:
    """Parse a duration to seconds. Raises `ToolError`."""
    plain = text.strip().replace("\N{MINUS SIGN}", "-").removeprefix("+")
    found = _ISO.fullmatch(plain) or _CLOCK.fullmatch(plain)
    numbered = found is not None and any(found.groupdict().get(key) for key in _SECONDS)
    seconds = _sum_groups(found) if found and numbered else _speak(plain)
    if abs(seconds) > _LONGEST:
        raise ToolError("The duration is longer than 10^13 seconds.")
    return seconds


def _sum_groups(found: re.Match[str]) -> Fraction:
    values = {key: value for key, value in found.groupdict().items() if value and key != "sign"}
    total = sum((Fraction(value.replace(",", ".")) * _SECONDS[key] for key, value in values.items()), Fraction())
    return -total if found["sign"] else total


def _speak(text: str) -> Fraction:
    negative, body = text.startswith("-"), _in_digits(text.removeprefix("-"))
    parts = _WORD.findall(body)
    rest = re.sub(r"[\s,]|and", "", _WORD.sub("", body))
    if not parts or rest:
        raise ToolError(
            f"{text} is not a duration. Write it as PT1H30M, 1:30 (hours and minutes), 1h 30m or 90 minutes; "
            "years and months have no fixed length."
        )
    total = Fraction()
    for number, unit in parts:
        name = unit.lower()
        total += Fraction(number) * (Fraction(1, 1000) if name.startswith(("ms", "milli")) else _SECONDS[name[0]])
    return -total if negative else total


def _in_digits(text: str) -> str:
    """Replace common number words by digits, and remove thousands separators."""
    plain = _THOUSANDS.sub("", text)
    for words, digits in _IN_WORDS:
        plain = words.sub(digits, plain)
    return plain


@tool(
    tags="duration parse format iso 8601 hours minutes seconds convert human readable multiply divide times factor "
    "share equal parts scale",
    use_when=(
        "How many seconds are PT1H30M?",
        "Write 93784 seconds as days and hours",
        "What is 2h 45m in ISO 8601?",
        "Multiply 2 h 35 min by 7",
        "Divide 1 h 24 min 36 s by 12",
        "How long do 7 lessons of 45 minutes take?",
        "What is half of 3:45 hours?",
    ),
    examples=(
        Example(
            {"duration": "P1DT2H3M4S"},
            {
                "seconds": 93784.0,
                "clock": "26:03:04",
                "words": "1 day, 2 hours, 3 minutes, 4 seconds",
                "days": 1.085463,
            },
            source="ISO 8601, by hand: 86,400 + 7,200 + 180 + 4",
        ),
        Example({"duration": "90 minutes"}, {"iso": "PT1H30M", "hours": 1.5}, source="by hand"),
        Example({"duration": "93,784 s"}, {"iso": "P1DT2H3M4S"}, source="by hand"),
        Example({"duration": "an hour and a half"}, {"minutes": 90.0}, source="by hand"),
        Example(
            {"duration": "2 h 35 min", "operation": "multiply", "number": 7},
            {
                "clock": "18:05:00",
                "hours": 18.083333,
                "minutes": 1085.0,
                "days": 0.753472,
                "iso": "PT18H5M",
                "words": "18 hours, 5 minutes",
            },
            source="by hand: 7 * 155 = 1,085 minutes",
        ),
        Example(
            {"duration": "1 h 24 min 36 s", "operation": "divide", "number": 12},
            {"clock": "0:07:03", "seconds": 423.0},
            source="by hand: 5,076 / 12",
        ),
        Refusal({"duration": "a while"}, "not a duration"),
        Refusal({"duration": "1 h", "operation": "divide", "number": 0}, "divided by zero"),
    ),
    reply="It is {words}: {clock} on the clock, {seconds|second}, or {iso} in ISO 8601.",
    aliases=(Alias("duration_scale_factor"),),
)
def duration_convert_format(
    duration: DurationText,
    operation: Annotated[Literal["multiply", "divide"], About("Multiply or divide by the number")] = "multiply",
    number: Annotated[
        float, About("Factor or divisor; 1 leaves the duration unchanged", 7, minimum=-1e9, maximum=1e9)
    ] = 1,
) -> Duration:
    """Convert a duration between ISO 8601, clock notation, words and plain seconds, or multiply or divide it.

    Use it to convert times such as PT1H30M, 1:30, 2h 45m or 5400 s, and for repeated tasks and equal shares. A clock
    with one colon is hours and minutes. Returns all forms.
    """
    if operation == "divide" and number == 0:
        raise ToolError("A duration cannot be divided by zero. Give another number.")
    factor = Fraction(repr(number))
    seconds = seconds_of(duration) * (factor if operation == "multiply" else 1 / factor)
    if number != 1 and abs(seconds) > _LONGEST:
        raise ToolError("The result exceeds 10^13 seconds. Use a smaller number.")
    return duration_forms(seconds)


class DurationSum(TypedDict):
    """Sum of durations."""

    total: Duration
    average: Duration
    shortest: str
    longest: str
    count: int


@tool(
    tags="duration sum add average total times hours minutes",
    use_when=(
        "Add 1:45, 2:30 and 0:50",
        "What is the average of these lap times?",
        "How long are all these videos together?",
        "How long are 1h 20m, 45 min and 2h together?",
    ),
    examples=(
        Example(
            {"durations": ["1:45", "2h 30m", "PT50M"]},
            {
                "total": {"clock": "5:05:00"},
                "count": 3,
                "longest": "2:30:00",
                "average": {"clock": "1:41:40"},
                "shortest": "0:50:00",
            },
            source="by hand: 305 minutes",
        ),
        Refusal({"durations": ["1:75"]}, "not a duration"),
    ),
    reply="The total is {total.words}, and the average {average.words}.",
)
def duration_sum_list(
    durations: Annotated[
        list[DurationText], About("Durations in any notation", ["1:45", "2h 30m"], min_items=1, max_items=5000)
    ],
) -> DurationSum:
    """Add up durations in any notation and average them.

    Use it for laps, videos or working times. Negative durations are subtracted. Returns total, average, shortest and
    longest.
    """
    values = [seconds_of(text) for text in durations]
    total = sum(values, Fraction())
    return {
        "total": duration_forms(total),
        "average": duration_forms(total / len(values)),
        "shortest": _clock(min(values)),
        "longest": _clock(max(values)),
        "count": len(values),
    }


class DurationPair(TypedDict):
    """Comparison of two durations."""

    difference: Annotated[Duration, About("First minus second")]
    sum: Duration
    ratio: Annotated[float | None, About("First divided by second")]
    first_percent_of_second: float | None
    longer: Literal["first", "second", "equal"]


@tool(
    tags="duration compare ratio difference percent longer shorter how many times fits subtract minus",
    use_when=(
        "How many times does 25 minutes fit in 5 h 50 min?",
        "What percentage of 8 hours is 1 h 36 min?",
        "How much longer is 2:31:05 than 2:27:40?",
        "4h 10m minus 1h 45m",
    ),
    examples=(
        Example(
            {"first": "5 h 50 min", "second": "25 min"},
            {"ratio": 14.0, "difference": {"clock": "5:25:00"}, "longer": "first"},
            source="by hand: 350 / 25",
        ),
        Example(
            {"first": "1:36", "second": "PT8H"},
            {"first_percent_of_second": 20.0, "sum": {"hours": 9.6}, "longer": "second"},
            source="by hand: 96 of 480 minutes",
        ),
        Refusal({"first": "1 h", "second": "blue"}, "not a duration"),
    ),
    reply={
        "args.first, ratio, args.second, first_percent_of_second": (
            "{args.first} is {ratio} "
            "times {args.second}, or "
            "{first_percent_of_second} "
            "% of it; the difference "
            "is {difference.words}."
        ),
        "": "The difference is {difference.words}.",
    },
)
def duration_compare_pair(
    first: DurationText, second: Annotated[DurationText, About("The other duration", "45 min")]
) -> DurationPair:
    """Compare two durations in any notation: difference, sum, ratio and percentage.

    Use it for remaining time, for shares, and for how often one fits in the other.
    """
    one, other = seconds_of(first), seconds_of(second)
    ratio = one / other if other else None
    return {
        "difference": duration_forms(one - other),
        "sum": duration_forms(one + other),
        "ratio": None if ratio is None else float(round(ratio, 9)),
        "first_percent_of_second": None if ratio is None else float(round(ratio * 100, 6)),
        "longer": "equal" if one == other else "first" if one > other else "second",
    }
