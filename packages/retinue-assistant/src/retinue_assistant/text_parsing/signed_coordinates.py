"""Writes coordinates with a hemisphere, "53.48 N, 2.24 W", as signed degrees: "53.48, -2.24"."""

import re

_COORDINATES = re.compile(
    r"(?<![\w.])(\d{1,2}(?:\.\d{1,12})?)\s?\u00b0?\s?([NS])\b,?\s{0,3}(\d{1,3}(?:\.\d{1,12})?)\s?\u00b0?\s?([EW])\b"
)


def write_signed_coordinates(text: str) -> str:
    """Replace each latitude and longitude in decimal degrees with signed numbers: south and west are negative."""
    return _COORDINATES.sub(_degrees, text)


def _degrees(match: re.Match[str]) -> str:
    latitude, vertical, longitude, horizontal = match.groups()
    return f"{'-' * (vertical == 'S')}{latitude}, {'-' * (horizontal == 'W')}{longitude}"
