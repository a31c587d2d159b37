"""Places on Earth as people write them: `53.35, -6.26`, `55.95 N 3.19 W`."""

import re
from collections.abc import Collection
from itertools import chain

from retinue.models.reading.bounds import read

_DEGREES = r"-?\d{1,3}(?:\.\d{1,12})?"
_PAIR = re.compile(
    rf"(?<![\w.,-])\(?(?P<latitude>{_DEGREES})\u00b0?\s?(?P<south>[NS]\b)?(?P<between>\s*,\s*|\s+)"
    rf"(?P<longitude>{_DEGREES})\u00b0?\s?(?P<west>[EW]\b)?(?![\w.]*\d)"
)
_FEWEST_DECIMALS = 2
"""So many has a coordinate without a letter behind it: 4, 5 is a list."""


def coordinates_in(request: str) -> list[tuple[float, float]]:
    """Latitudes and longitudes in degrees, north and east positive, in the order of the request."""
    return [_degrees(pair) for pair in _PAIR.finditer(read(request)) if _is_place(pair)]


def stated_coordinates(names: Collection[str], request: str) -> dict[str, float]:
    """The arguments that are latitudes and longitudes, where a request has as many places as they are."""
    wanted = [name for name in names if name.endswith(("latitude", "longitude"))]
    places = coordinates_in(request)
    told = chain.from_iterable(places)
    return dict(zip(wanted, told, strict=True)) if _in_pairs(wanted) and len(wanted) == 2 * len(places) else {}


def _in_pairs(names: list[str]) -> bool:
    kinds = [name.rpartition("_")[2] for name in names]
    return bool(names) and kinds == ["latitude", "longitude"] * (len(names) // 2)


def _is_place(pair: re.Match[str]) -> bool:
    latitude, longitude = _degrees(pair)
    with_letters = bool(pair["south"] and pair["west"])
    decimals = min(len(pair[name].partition(".")[2]) for name in ("latitude", "longitude"))
    with_comma = "," in pair["between"] and decimals >= _FEWEST_DECIMALS
    return abs(latitude) <= 90 and abs(longitude) <= 180 and (with_letters or with_comma)


def _degrees(pair: re.Match[str]) -> tuple[float, float]:
    latitude, longitude = float(pair["latitude"]), float(pair["longitude"])
    return (
        -latitude if pair["south"] == "S" else latitude,
        -longitude if pair["west"] == "W" else longitude,
    )
