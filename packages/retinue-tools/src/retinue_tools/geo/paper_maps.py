"""Paper maps: scales, and references of the British National Grid (Ordnance Survey)."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_CM_IN_KM = 100_000


class MapDistance(TypedDict):
    """A distance on a map and in reality."""

    map_cm: Annotated[float, About("Distance on the map, in centimetres")]
    real_m: Annotated[float, About("Real distance, in metres")]
    real_km: Annotated[float, About("Real distance, in kilometres")]


@tool(
    tags="map scale distance real paper centimetres kilometres plan model cartography",
    use_when=(
        "On a 1:25,000 map the path is 6.4 cm long. How far is it really?",
        "How many cm are 12 km on a map at 1:50,000?",
        "Real distance for 3.5 cm at a scale of one to 200,000",
    ),
    examples=(
        Example(
            {"scale": 25000, "map_cm": 6.4},
            {"real_m": 1600.0, "real_km": 1.6},
            source="arithmetic: 6.4 cm * 25,000 = 160,000 cm",
        ),
        Example(
            {"scale": 50000, "real_km": 12},
            {"map_cm": 24.0, "real_m": 12000.0},
            source="arithmetic: 1,200,000 cm / 50,000",
        ),
        Refusal({"scale": 25000}, "either"),
        Refusal({"scale": 25000, "map_cm": 1, "real_km": 1}, "either"),
    ),
    reply="{map_cm} cm on the map are {real_km} km ({real_m} m) in reality.",
)
def map_convert_scale(
    scale: Annotated[float, About("n of the scale 1:n", 25000, exclusive_minimum=0, maximum=1e12)],
    map_cm: Annotated[
        float | None, About("Distance on the map in centimetres", 6.4, exclusive_minimum=0, maximum=1e6)
    ] = None,
    real_km: Annotated[float | None, About("Real distance in kilometres", 12, exclusive_minimum=0, maximum=1e9)] = None,
) -> MapDistance:
    """Convert a distance on a map or plan of a scale 1:n into the real one, or a real distance into the one on the map.

    Use it for maps, plans and models. Give one of the two.
    """
    if (map_cm is None) == (real_km is None):
        raise ToolError("Give either map_cm or real_km.")
    on_map = real_km * _CM_IN_KM / scale if map_cm is None and real_km is not None else map_cm or 0.0
    real = on_map * scale
    return {"map_cm": tidy(on_map), "real_m": tidy(real / 100), "real_km": tidy(real / _CM_IN_KM)}


_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Rows of five letters from the north-west, without I."""
_SQUARE_M = 100_000
_REFERENCE = re.compile(r"([HNOST])([A-HJ-Z])((?:\d\d){0,5})")


class GridReference(TypedDict):
    """A location on the grid."""

    reference: Annotated[str, About("Such as SK 300 800")]
    easting: Annotated[int, About("Metres east of the grid's origin, at the square's south-west corner")]
    northing: int
    precision_m: Annotated[int, About("Side of the square in metres")]


@tool(
    tags="ordnance survey os grid reference british national grid easting northing letters map uk",
    use_when=(
        "OS grid letters for easting 430000, northing 380000",
        "Easting and northing of TQ 300 804",
        "Six-figure grid reference of 651409, 313177",
    ),
    examples=(
        Example(
            {"reference": "TG 51409 13177"},
            {"easting": 651409, "northing": 313177, "precision_m": 1},
            source="Ordnance Survey, A guide to coordinate systems in Great Britain",
        ),
        Example(
            {"easting": 651409, "northing": 313177, "figures": 6},
            {"reference": "TG 514 131", "precision_m": 100},
            source="the same",
        ),
        Refusal({"reference": "AB 12 34"}, "not a reference"),
        Refusal({}, "Give"),
    ),
    reply="{reference} is at easting {easting} and northing {northing}.",
)
def grid_convert_reference(
    reference: Annotated[str | None, About("Letters and digits", "TG 514 131", max_length=30)] = None,
    easting: Annotated[int | None, About("Metres east", 651409, minimum=0, maximum=699_999)] = None,
    northing: Annotated[int | None, About("Metres north", 313177, minimum=0, maximum=1_299_999)] = None,
    figures: Annotated[int, About("Number of digits: 6 for 100 m", 6, minimum=0, maximum=10)] = 10,
) -> GridReference:
    """Convert a reference of the British National Grid to easting and northing in metres, or easting and northing to a
    reference.
    """
    if reference is not None:
        return _read(reference)
    if easting is None or northing is None:
        raise ToolError("Give a reference, or easting and northing.")
    return _render(easting, northing, figures // 2)


def _read(text: str) -> GridReference:
    match = _REFERENCE.fullmatch("".join(text.upper().split()))
    if match is None:
        raise ToolError(f"{text} is not a reference of the British National Grid. Write it as TG 514 131.")
    digits = len(match[3]) // 2
    size = 10 ** (5 - digits)
    east, north = (int(part or 0) * size for part in (match[3][:digits], match[3][digits:]))
    column, row = _square(match[1], match[2])
    return _place(column * _SQUARE_M + east, row * _SQUARE_M + north, digits)


def _square(first: str, second: str) -> tuple[int, int]:
    """Return column and row of a 100 km square; the origin is the south-west corner of SV."""
    large, small = _LETTERS.index(first), _LETTERS.index(second)
    return (large - 2) % 5 * 5 + small % 5, 19 - large // 5 * 5 - small // 5


def _render(easting: int, northing: int, digits: int) -> GridReference:
    size = 10 ** (5 - digits)
    return _place(easting // size * size, northing // size * size, digits)


def _place(easting: int, northing: int, digits: int) -> GridReference:
    column, row = easting // _SQUARE_M, northing // _SQUARE_M
    first = _LETTERS[(19 - row) - (19 - row) % 5 + (column + 10) // 5]
    second = _LETTERS[(19 - row) * 5 % 25 + column % 5]
    size = 10 ** (5 - digits)
    parts = [f"{metres % _SQUARE_M // size:0{digits}}" for metres in (easting, northing)] if digits else []
    return {
        "reference": " ".join([first + second, *parts]),
        "easting": easting,
        "northing": northing,
        "precision_m": size,
    }
