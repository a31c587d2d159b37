"""Converts durations to the unit that an argument takes: "for 5 years" is 60 for an argument called `months`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from retinue_assistant.text_parsing.numbers import NUMBER_WORDS

_LARGER = {
    "seconds": {"minutes": 60, "hours": 3600, "days": 86_400},
    "minutes": {"hours": 60, "days": 1440},
    "hours": {"days": 24, "weeks": 168},
    "days": {"weeks": 7},
    "months": {"years": 12},
}
"""How many of a unit there are in larger ones."""
_COUNTS = {word: int(count) for word, count in NUMBER_WORDS.items() if isinstance(count, int)}
_COUNT = rf"(?P<count>\d{{1,6}}|{'|'.join(_COUNTS)})[ -]?(?P<unit>second|minute|hour|day|week|month|year)s?\b"
_STATED = re.compile(
    r"(?<![\d.,])(?<!\bin )(?<!\bafter )(?<!\bevery )(?<!\bwithin )(?<!\blast )(?<!\bnext )(?<!\bpast )"
    rf"{_COUNT}(?! ago)",
    re.IGNORECASE,
)
"""Matches a duration, but not a time from now."""
_COUNTED = re.compile(rf"(?<![\d.,]){_COUNT}", re.IGNORECASE)
"""Matches a duration or a time from now: "in two weeks"."""
_OTHER = re.compile(
    r"\b(?:(?:half|quarter of) an? |\d{1,6} ?(?=h\b|hrs?\b|min\b))"
    r"(?:h|hrs?|min|second|minute|hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
"""Matches a duration in words or with an abbreviated unit, which leaves the arguments to the model."""
_SPOKEN = re.compile(
    r"\d ?(?:hrs?|h|min|sec|s|d|w)\b|\b(?:second|minute|hour|day|week|month|year)s?\b(?<!every day)(?<!each day)"
    r"|\b(?:half|quarter|whole|all|full|overnight|until|till|long|lasts?|lasting)\b"
    r"|(?<![\d-])\d{1,2}(?::\d\d)? ?(?:-|\u2013|to) ?\d{1,2}(?![\d-])",
    re.IGNORECASE,
)
"""Matches what may state a duration. The name of a weekday does not."""


def without_unstated_durations(found: Mapping[str, Any], required: Sequence[str], request: str) -> dict[str, Any]:
    """Return the arguments without optional whole numbers of a unit of time if the request speaks of no duration.

    Of 138 example requests with such an argument, none loses it.
    """
    doubtful = [name for name, value in found.items() if name in _LARGER and type(value) is int]
    unstated = [name for name in doubtful if not (name in required or str(found[name]) in request)]
    if not unstated or _SPOKEN.search(request):
        return {**found}
    return {name: value for name, value in found.items() if name not in unstated}


def convert_durations(found: Mapping[str, Any], request: str) -> dict[str, Any]:
    """Return the arguments with numbers of seconds to years computed from the only duration that a request states in
    another unit: a small model copies its number, or guesses.

    An argument stays if the request states a duration in its own unit, or if another argument takes the other one.
    Of 29,622 example requests, this changes none.
    """
    if _OTHER.search(request):
        return {**found}
    stated, counted = _read_durations(_STATED, request), _read_durations(_COUNTED, request)
    units = {name: name.rpartition("_")[2] for name in found}

    def convert(name: str, value: Any) -> Any:
        unit = units[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or any(own == unit for _, own in counted):
            return value
        larger = [(count, own) for count, own in stated if own in _LARGER.get(unit, ())]
        if type(value) is int and len(larger) == 1 and larger[0][1] not in units.values():
            return larger[0][0] * _LARGER[unit][larger[0][1]]
        if len(counted) != 1 or [count for count, _ in counted] != [value]:
            return value
        [(count, own)] = counted
        return value if own in units.values() else _in_unit(count, own, unit)

    return {name: convert(name, value) for name, value in found.items()}


def _read_durations(pattern: re.Pattern[str], request: str) -> set[tuple[int, str]]:
    durations = ((one["count"].lower(), one["unit"].lower()) for one in pattern.finditer(request))
    return {(_COUNTS[count] if count in _COUNTS else int(count), f"{unit}s") for count, unit in durations}


def _in_unit(count: int, own: str, unit: str) -> float:
    """Convert a duration between units; return it as it is if one has no fixed length in the other."""
    if own in _LARGER.get(unit, ()):
        return count * _LARGER[unit][own]
    if unit not in _LARGER.get(own, ()):
        return count
    quotient = count / _LARGER[own][unit]
    return int(quotient) if quotient.is_integer() else quotient
