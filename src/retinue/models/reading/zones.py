"""Time zones that a request names: cities, countries, abbreviations and offsets."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from retinue.core.zone_names import is_abbreviation, zone_called
from retinue.models.reading.bounds import read

_WORD = re.compile(r"[^\s,;?!()\"'\u2019]+")
_BREAKS = re.compile(r"[,;?!()\"]")
_EXAMPLE = re.compile(r"[A-Z][a-z]+/[A-Z]\w+")
_LONGEST = 3
"""Words of a name."""
_SHORTEST = 4
"""Letters from which a name may be written small, unless it is an abbreviation: `art` and `west` are words."""


def is_zone(schema: Mapping[str, Any]) -> bool:
    """Whether an argument is a time zone, by its example."""
    return any(_EXAMPLE.fullmatch(str(one)) for one in schema.get("examples") or ())


@lru_cache(64)
def zones_in(request: str) -> tuple[str, ...]:
    """The zones that a request names, as it names them, each once; none of a very long one."""
    return tuple(dict.fromkeys(_zones(read(request))))


def _zones(request: str) -> Iterator[str]:
    """From left to right the longest names; none begins within another."""
    words = list(_WORD.finditer(request))
    place = 0
    while place < len(words):
        for last in range(min(place + _LONGEST, len(words)), place, -1):
            name = request[words[place].start() : words[last - 1].end()].rstrip(".:")
            if _may_be_a_name(name) and zone_called(name):
                yield name
                place = last
                break
        else:
            place += 1


def _may_be_a_name(name: str) -> bool:
    is_offset = name[:1] in {"+", "-"} and ":" in name
    is_word = name[:1].isalpha() and (name.isupper() or (len(name) >= _SHORTEST and not is_abbreviation(name)))
    return (is_offset or is_word) and not _BREAKS.search(name)
