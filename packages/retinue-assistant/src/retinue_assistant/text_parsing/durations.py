"""Converts durations to the unit that an argument takes: "for 5 years" is 60 for an argument called `months`."""

import re
from collections.abc import Mapping
from typing import Any

_LARGER = {
    "seconds": {"minutes": 60, "hours": 3600, "days": 86_400},
    "minutes": {"hours": 60, "days": 1440},
    "hours": {"days": 24, "weeks": 168},
    "days": {"weeks": 7},
    "months": {"years": 12},
}
"""How many of a unit there are in larger ones."""
_STATED = re.compile(
    r"(?<![\d.,])(?P<count>\d{1,6})[ -]?(?P<unit>second|minute|hour|day|week|month|year)s?\b", re.IGNORECASE
)


def convert_durations(found: Mapping[str, Any], request: str) -> dict[str, Any]:
    """Return the arguments with whole numbers of seconds to months converted that a request states in a larger unit,
    as a small model copies them. A number that the request also states in the unit itself stays.
    """
    stated = {(int(one["count"]), f"{one['unit'].lower()}s") for one in _STATED.finditer(request)}

    def convert(name: str, value: Any) -> Any:
        unit = name.rpartition("_")[2]
        if type(value) is not int or unit not in _LARGER or (value, unit) in stated:
            return value
        factors = [factor for larger, factor in _LARGER[unit].items() if (value, larger) in stated]
        return value * factors[0] if len(factors) == 1 else value

    return {name: convert(name, value) for name, value in found.items()}
