"""Distances on maps and in reality."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_CM_IN_KM = 100_000


class MapDistance(TypedDict):
    """A distance on a map and in reality."""

    map_cm: Annotated[float, About("On the map, in centimetres")]
    real_m: Annotated[float, About("In reality, in metres")]
    real_km: Annotated[float, About("In reality, in kilometres")]


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
)
def map_convert_scale(
    scale: Annotated[float, About("n of the map's scale 1:n", 25000, exclusive_minimum=0, maximum=1e12)],
    map_cm: Annotated[
        float | None, About("Distance on the map in centimetres", 6.4, exclusive_minimum=0, maximum=1e6)
    ] = None,
    real_km: Annotated[
        float | None, About("Distance in reality in kilometres", 12, exclusive_minimum=0, maximum=1e9)
    ] = None,
) -> MapDistance:
    """Convert a distance on a map or plan of a scale 1:n into the real one, or a real one into that on the map.

    Use it for maps, plans and models. Give either the one or the other.
    """
    if (map_cm is None) == (real_km is None):
        raise ToolError("Give either map_cm or real_km.")
    on_map = real_km * _CM_IN_KM / scale if map_cm is None and real_km is not None else map_cm or 0.0
    real = on_map * scale
    return {"map_cm": tidy(on_map), "real_m": tidy(real / 100), "real_km": tidy(real / _CM_IN_KM)}
