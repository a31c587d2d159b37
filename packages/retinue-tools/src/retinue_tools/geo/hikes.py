"""Hikes: walking time and elevation gain."""

from itertools import pairwise
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, Refusal, tool
from retinue_tools.tidy import tidy

_NAISMITH_KM_H, _NAISMITH_M_H = 5.0, 600.0


class WalkingTime(TypedDict):
    """Estimated walking time."""

    hours: float
    minutes: float
    duration: Annotated[str, About("Time as h:mm")]


@tool(
    tags="hiking time walking naismith din 33466 ascent descent distance mountain tour route duration",
    use_when=(
        "Hiking time for 12 km, 900 m up and 700 m down",
        "Naismith's rule: 15 km with 800 m of climbing",
        "How long is a walk of 12 km?",
    ),
    examples=(
        Example(
            {"distance_km": 15, "ascent_m": 600, "method": "Naismith"},
            {"hours": 4.0, "duration": "4:00"},
            source="15 / 5 + 600 / 600",
        ),
        Example(
            {"distance_km": 12, "ascent_m": 900, "descent_m": 500},
            {"hours": 5.5},
            source="DIN 33466: 3 h across, 3 + 1 h up and down; the longer and half of the shorter",
        ),
        Refusal({"distance_km": -1}, "distance_km"),
    ),
    reply="The walk takes {duration} hours, without rests.",
)
def hike_estimate_time(
    distance_km: Annotated[float, About("Length of the route in km", 12, minimum=0, maximum=10_000)],
    ascent_m: Annotated[float, About("Total ascent in metres", 900, minimum=0, maximum=1e6)] = 0,
    descent_m: Annotated[float, About("Total descent in metres", 700, minimum=0, maximum=1e6)] = 0,
    method: Annotated[
        Literal["DIN 33466", "Naismith"], About("DIN: 4 km, 300 m up or 500 m down per hour. Naismith: 5 km, 600 m up")
    ] = "DIN 33466",
) -> WalkingTime:
    """Estimate how long a walk takes from its length, ascent and descent, without rests."""
    across, steep = distance_km / 4, ascent_m / 300 + descent_m / 500
    hours = max(across, steep) + min(across, steep) / 2
    if method == "Naismith":
        hours = distance_km / _NAISMITH_KM_H + ascent_m / _NAISMITH_M_H
    minutes = round(hours * 60)
    return {"hours": tidy(hours), "minutes": tidy(hours * 60), "duration": f"{minutes // 60}:{minutes % 60:02}"}


class Climbing(TypedDict):
    """Ascent and descent of a sequence of heights."""

    ascent: float
    descent: float
    net: Annotated[float, About("Last height minus the first")]
    highest: float
    lowest: float
    steepest_step: Annotated[float, About("Largest change between consecutive heights, with its sign")]


@tool(
    tags="elevation gain loss ascent descent heights profile sum climb route altitude list",
    use_when=(
        "Total ascent and descent of the heights 540, 900, 1450, 1210 and 1600 m",
        "How many metres do I climb on a trail over 812, 760, 1005 and 990?",
    ),
    examples=(
        Example(
            {"heights": [540, 900, 1450, 1210]},
            {"ascent": 910.0, "descent": 240.0, "net": 670.0, "steepest_step": 550.0},
            source="by hand",
        ),
        Refusal({"heights": [5]}, "heights"),
    ),
    reply=(
        "The ascent is {ascent} in total and the descent {descent}, from {lowest} at the "
        "lowest to {highest} at the highest point."
    ),
)
def elevation_sum_heights(
    heights: Annotated[
        list[BoundedNumber], About("Heights along the route", [540, 900, 1450, 1210], min_items=2, max_items=100_000)
    ],
) -> Climbing:
    """Sum up the ascent and descent of a route (up and down) from the heights along it. Use it for hikes and rides."""
    steps = [after - before for before, after in pairwise(heights)]
    return {
        "ascent": tidy(sum(step for step in steps if step > 0)),
        "descent": tidy(-sum(step for step in steps if step < 0)),
        "net": tidy(heights[-1] - heights[0]),
        "highest": max(heights),
        "lowest": min(heights),
        "steepest_step": tidy(max(steps, key=abs)),
    }
