"""Quantities for rooms: paint and tiles."""

from math import ceil
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e9
_NEARLY = 1e-9
"""Tolerance, in fractions of a piece, for floating-point errors."""


class Paint(TypedDict):
    """Amount of paint for a room."""

    litres: float
    area: Annotated[float, About("Painted area, without openings, single coat")]
    cans: Annotated[int | None, About("Whole cans, if their size is given")]


@tool(
    tags="paint litres room walls area coats coverage cans doors windows decorate ceiling gallons",
    use_when=(
        "How much paint for walls of 48 m2 less 6 m2 of windows, two coats, 10 m2 a litre?",
        "Paint for a room 5 by 4 m, 2.5 m high, one coat, a litre covers 9 m2",
        "How much paint for my living room?",
    ),
    examples=(
        Example(
            {"area": 48, "openings": 6, "coats": 2, "coverage": 10, "can_size": 2.5},
            {"litres": 8.4, "area": 42.0, "cans": 4},
            source="by hand: 84 m2 at 10",
        ),
        Example(
            {"length": 5, "width": 4, "height": 2.5, "coverage": 9},
            {"litres": 5.0, "area": 45.0},
            source="18 * 2.5 / 9",
        ),
        Refusal({"coverage": 9}, "Give"),
    ),
    reply={
        "cans": "You need {litres} litres of paint for {area} m\u00b2, that is {cans|can}.",
        "": "You need {litres} litres of paint for an area of {area}.",
    },
)
def paint_compute_amount(
    coverage: Annotated[float, About("Coverage: area per litre (or gallon)", 10, minimum=0.01, maximum=1e6)],
    area: Annotated[float | None, About("Area to paint", 48, minimum=0, maximum=_MOST)] = None,
    length: Annotated[float | None, About("Length of a room, instead of an area", 5, minimum=0, maximum=1e6)] = None,
    width: Annotated[float | None, About("Width of the room", 4, minimum=0, maximum=1e6)] = None,
    height: Annotated[float | None, About("Height of the walls", 2.5, minimum=0, maximum=1e6)] = None,
    openings: Annotated[float, About("Area of doors and windows to exclude", 6, minimum=0, maximum=_MOST)] = 0,
    coats: Annotated[int, About("Number of coats", 2, minimum=1, maximum=20)] = 1,
    can_size: Annotated[float | None, About("Content of a can", 2.5, minimum=0.001, maximum=1e6)] = None,
) -> Paint:
    """Compute how much paint the walls of a room or an area need, with coats, openings and whole cans."""
    walls = area
    if walls is None and length is not None and width is not None and height is not None:
        walls = 2 * (length + width) * height
    if walls is None or walls < openings:
        raise ToolError("Give the area, or length, width and height of the room; openings must be smaller.")
    litres = (walls - openings) * coats / coverage
    return {
        "litres": tidy(litres),
        "area": tidy(walls - openings),
        "cans": ceil(litres / can_size - _NEARLY) if can_size else None,
    }


class Tiles(TypedDict):
    """Number of tiles for an area."""

    tiles: Annotated[int, About("Whole tiles, including spare ones")]
    area_m2: float
    exact: Annotated[float, About("Number of tiles before spare ones and rounding")]
    packs: Annotated[int | None, About("Whole packs, if their size is given")]


@tool(
    tags="tiles floor wall bathroom laminate boards area count waste spare packs square metres cm",
    use_when=(
        "How many 30 x 30 cm tiles for a bathroom of 2.4 by 3.1 m, with 10 % spare?",
        "Laminate packs of 2.22 m2 for a room of 4.35 x 3.80 m, 8 % waste",
        "How many tiles for the bathroom floor?",
    ),
    examples=(
        Example(
            {"length_m": 2.4, "width_m": 3.1, "tile_length_cm": 30, "tile_width_cm": 30, "waste_percent": 10},
            {"tiles": 91, "exact": 82.6666666667},
            source="7.44 / 0.09 * 1.1 = 90.9",
        ),
        Example(
            {"length_m": 4.35, "width_m": 3.8, "waste_percent": 8, "pack_m2": 2.22},
            {"packs": 9, "area_m2": 16.53},
            source="16.53 * 1.08 / 2.22 = 8.04",
        ),
        Refusal({"length_m": 2, "width_m": 3}, "Give"),
    ),
    reply={
        "packs": "You need {packs|pack} for {area_m2} m\u00b2.",
        "": "You need {tiles|tile} for {area_m2} m\u00b2.",
    },
)
def tiles_count_pieces(
    length_m: Annotated[float, About("Length of the area in metres", 2.4, minimum=0.001, maximum=1e6)],
    width_m: Annotated[float, About("Width of the area in metres", 3.1, minimum=0.001, maximum=1e6)],
    tile_length_cm: Annotated[float | None, About("Length of a tile in cm", 30, minimum=0.1, maximum=1e5)] = None,
    tile_width_cm: Annotated[
        float | None, About("Width of a tile in cm; default: square", 30, minimum=0.1, maximum=1e5)
    ] = None,
    waste_percent: Annotated[float, About("Spare tiles in percent", 10, minimum=0, maximum=500)] = 0,
    pack_m2: Annotated[float | None, About("Area that a pack covers, in m2", 2.22, minimum=0.001, maximum=1e5)] = None,
    tiles_per_pack: Annotated[int | None, About("Tiles in a pack", 12, minimum=1, maximum=100_000)] = None,
) -> Tiles:
    """Count the tiles, boards or packs that a rectangular area needs, with spare ones.

    Use it for floors and walls. It uses the area, not a laying plan.
    """
    area = length_m * width_m
    if tile_length_cm is None and pack_m2 is None:
        raise ToolError("Give the size of a tile, or the area that a pack covers.")
    one = (tile_length_cm or 0.0) * (tile_width_cm or tile_length_cm or 0.0) / 10_000 or pack_m2 or 0.0
    exact = area / one
    needed = ceil(exact * (1 + waste_percent / 100) - _NEARLY)
    packs = ceil(needed * one / pack_m2 - _NEARLY) if pack_m2 else tiles_per_pack and ceil(needed / tiles_per_pack)
    return {"tiles": needed, "area_m2": tidy(area), "exact": tidy(exact), "packs": packs}
