"""Coordinates and angles in common notations."""

import re
from math import floor, radians
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, tool

_NUMBER = r"\d{1,3}(?:[.,]\d{1,15})?"
_ANGLE = re.compile(
    rf"(?P<before>[NSEW])?\s*(?P<sign>[-+\u2212])?\s*(?P<degrees>{_NUMBER})\s*(?:°|º|deg\w*|d|:|\s|$)?\s*"
    rf"(?:(?P<minutes>{_NUMBER})\s*(?:['\u2032\u2019]|min\w*|m|:|\s|$)\s*)?"
    rf"(?:(?P<seconds>{_NUMBER})\s*(?:[\"\u2033\u201d]|''|sec\w*|s(?![a-z])|\s|$)?\s*)?(?P<after>[NSEW])?",
    re.IGNORECASE,
)


_MARK = re.compile(r"°|º|\bdeg|(?<=\d)\s?d(?:eg|\b)", re.IGNORECASE)


class Notations(TypedDict):
    """A coordinate in the usual notations."""

    latitude: Latitude
    longitude: Longitude
    decimal: Annotated[str, About("Decimal degrees")]
    dms: Annotated[str, About("Degrees, minutes and seconds")]
    ddm: Annotated[str, About("Degrees and decimal minutes, as in navigation")]
    iso_6709: Annotated[str, About("ISO 6709")]
    geo_uri: Annotated[str, About("URI of RFC 5870")]


@tool(
    tags="coordinates parse format dms degrees minutes seconds decimal ddm convert notation iso 6709 geo uri",
    use_when=(
        "Convert 48°51'24\"N 2°21'03\"E to decimal degrees",
        "Write 40.6892, -74.0445 in degrees, minutes and seconds",
        "What is N 52° 31.200 E 013° 24.300 in decimal?",
    ),
    examples=(
        Example(
            {"text": "40°26'46\"N 79°58'56\"W"},
            {
                "latitude": 40.44611111111111,
                "longitude": -79.98222222222222,
                "decimal": "40.446111, -79.982222",
                "iso_6709": "+40.446111-079.982222/",
            },
            source="arithmetic: 40 + 26/60 + 46/3600 and 79 + 58/60 + 56/3600",
        ),
        Example(
            {"text": "-33.8568, 151.2153"},
            {"dms": "33°51'24.48\"S 151°12'55.08\"E", "ddm": "33°51.4080'S 151°12.9180'E"},
            source="arithmetic: .8568 * 60 = 51.408, .408 * 60 = 24.48; .2153 * 60 = 12.918, .918 * 60 = 55.08",
        ),
        Example(
            {"text": "N 52° 30.600 E 013° 24.000"},
            {"latitude": 52.51, "longitude": 13.4, "geo_uri": "geo:52.510000,13.400000"},
            source="arithmetic: 30.6/60 and 24/60",
        ),
        Refusal({"text": "95°N 10°E"}, "latitude"),
        Refusal({"text": "somewhere"}, "two angles"),
        Refusal({"text": "48°12'30\" N"}, "This is a single angle"),
    ),
    reply="The place is {decimal} in decimal degrees and {dms} in degrees, minutes and seconds.",
)
def coordinates_convert_notation(
    text: Annotated[
        str,
        About(
            "Coordinate in any usual notation, latitude first", "48°51'24\"N 2°21'03\"E", min_length=3, max_length=200
        ),
    ],
) -> Notations:
    """Read a coordinate in decimal degrees, DMS or degrees and minutes, and write it in all usual notations.

    Use it for coordinates from maps, charts and documents. It accepts N, S, E and W before or after, and signs.
    """
    latitude, longitude = _parse(text)
    return {
        "latitude": latitude,
        "longitude": longitude,
        "decimal": f"{latitude:.6f}, {longitude:.6f}",
        "dms": f"{_dms(latitude, 'NS')} {_dms(longitude, 'EW')}",
        "ddm": f"{_ddm(latitude, 'NS')} {_ddm(longitude, 'EW')}",
        "iso_6709": f"{latitude:+010.6f}{longitude:+011.6f}/",
        "geo_uri": f"geo:{latitude:.6f},{longitude:.6f}",
    }


class Angle(TypedDict):
    """One angle in the usual notations."""

    degrees: Annotated[float, About("Decimal degrees; south and west are negative")]
    radians: float
    dms: Annotated[str, About("Degrees, minutes and seconds")]
    ddm: Annotated[str, About("Degrees and decimal minutes")]


@tool(
    tags="angle convert dms degrees minutes seconds decimal ddm radians notation latitude longitude bearing",
    use_when=(
        "Convert 48 deg 12' 30\" to decimal degrees",
        "What is 73.9856 degrees in degrees, minutes and seconds?",
        "Decimal degrees of the longitude 151° 12' 55\" E",
    ),
    examples=(
        Example(
            {"text": "48 deg 12' 30\" N"},
            {"degrees": 48.208333333333336, "dms": "48°12'30.00\"", "ddm": "48°12.5000'"},
            source="arithmetic: 48 + 12/60 + 30/3600",
        ),
        Example(
            {"text": "-33.8568"},
            {"degrees": -33.8568, "radians": -0.5909126341892161, "dms": "-33°51'24.48\""},
            source="arithmetic: .8568 * 60 = 51.408, .408 * 60 = 24.48; 33.8568 * pi / 180",
            tolerance=1e-9,
        ),
        Refusal({"text": "north by north-west"}, "one angle"),
        Refusal({"text": "12°75'"}, "less than 60"),
    ),
    reply=(
        "The angle is {degrees}\u00b0 in decimal degrees, {dms} in degrees, minutes and seconds, and {radians} radians."
    ),
)
def angle_convert_notation(
    text: Annotated[str, About("Angle in any usual notation", "48°12'30\"", min_length=1, max_length=60)],
) -> Angle:
    """Read one angle in decimal degrees, DMS or degrees and minutes, and write it in all of them and in radians.

    Use it for a single latitude, longitude, bearing or angle; coordinates_convert_notation takes pairs.
    """
    match = _ANGLE.fullmatch(text.strip())
    if match is None:
        raise ToolError("This is not one angle below 1,000 degrees. Write it as 48.2083, 48°12'30\" or 48°12.5'.")
    value, _ = _angle(match)
    sign = "-" if value < 0 else ""
    return {
        "degrees": value,
        "radians": radians(value),
        "dms": sign + _dms(value, "  ").strip(),
        "ddm": sign + _ddm(value, "  ").strip(),
    }


def _parse(text: str) -> tuple[float, float]:
    if len(_MARK.findall(text)) == 1 and _ANGLE.fullmatch(text.strip()):
        raise ToolError(
            "This is a single angle. Give latitude and longitude, or convert it with angle_convert_notation."
        )
    for first, second in _halves(text):
        one, other = _ANGLE.fullmatch(first.strip()), _ANGLE.fullmatch(second.strip())
        if one and other:
            break
    else:
        raise ToolError("The text does not contain two angles. Write it as 52.52, 13.405 or 52°31'12\"N 13°24'18\"E.")
    (latitude, axis), (longitude, other_axis) = _angle(one), _angle(other)
    if axis == "longitude" or other_axis == "latitude":
        latitude, longitude, axis, other_axis = longitude, latitude, other_axis, axis
    if axis == "longitude" or other_axis == "latitude":
        raise ToolError("Both angles belong to the same axis. One must be N or S, the other E or W.")
    if abs(latitude) > 90 or abs(longitude) > 180:
        raise ToolError("A latitude is at most 90 degrees, a longitude at most 180. Check whether they are swapped.")
    return latitude, longitude


def _halves(text: str) -> list[tuple[str, str]]:
    """Return possible splits of a text in two, most likely first: at a separator, at a letter, in the middle."""
    for mark in (";", ", ", "/", ","):
        if text.count(mark) == 1:
            first, second = text.split(mark)
            return [(first, second)]
    gaps = [
        match.start() for match in re.finditer(r"(?<=[NSEW])(?=[\s\d])|(?=\s[NSEW+\u2212-])|\s+", text, re.IGNORECASE)
    ]
    middle = len(text) / 2
    lettered = [gap for gap in gaps if re.search(r"\d\D*$", text[:gap]) and re.search(r"^\D*\d", text[gap:])]
    return [(text[:gap], text[gap:]) for gap in sorted(lettered, key=lambda gap: abs(gap - middle))]


def _angle(match: re.Match[str]) -> tuple[float, str | None]:
    degrees, minutes, seconds = (
        float((match[part] or "0").replace(",", ".")) for part in ("degrees", "minutes", "seconds")
    )
    if minutes >= 60 or seconds >= 60:
        raise ToolError("Minutes and seconds of an angle are less than 60.")
    letter = (match["before"] or match["after"] or "").upper()
    axis = "latitude" if letter in ("N", "S") else "longitude" if letter else None
    minus = match["sign"] in ("-", "\u2212")
    if minus and letter in ("N", "E"):
        raise ToolError(f"A minus sign contradicts {letter}. Give a sign or a letter: -33.87 is 33.87 S.")
    negative = minus or letter in ("S", "W")
    value = degrees + minutes / 60 + seconds / 3600
    return (-value if negative and value else value), axis


def _dms(value: float, letters: str) -> str:
    hundredths = round(abs(value) * 360_000)
    degrees, rest = divmod(hundredths, 360_000)
    minutes, rest = divmod(rest, 6000)
    return f"{degrees}°{minutes:02}'{rest / 100:05.2f}\"{letters[value < 0]}"


def _ddm(value: float, letters: str) -> str:
    parts = round(abs(value) * 600_000)
    degrees = floor(parts / 600_000)
    return f"{degrees}°{(parts % 600_000) / 10_000:07.4f}'{letters[value < 0]}"
