"""Round trips through points."""

import math
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._tours import EXACT_UP_TO, length_of, tour

_SQUARE = [
    {"name": "a", "x": 0, "y": 0},
    {"name": "c", "x": 1, "y": 1},
    {"name": "b", "x": 1, "y": 0},
    {"name": "d", "x": 0, "y": 1},
]


class Stop(TypedDict):
    """A place to visit."""

    name: Annotated[str, About("Name of the stop", "Depot", min_length=1, max_length=100)]
    x: NotRequired[Annotated[float, About("Coordinate; not needed with a matrix", 0, minimum=-1e9, maximum=1e9)]]
    y: NotRequired[Annotated[float, About("Coordinate; not needed with a matrix", 0, minimum=-1e9, maximum=1e9)]]


class Tour(TypedDict):
    """A round trip."""

    order: Annotated[list[str], About("Stops in visiting order, beginning with the first one given")]
    length: Annotated[float, About("Length of the trip")]
    optimal: Annotated[bool, About("Whether the result is proved optimal: up to 11 stops")]


@tool(
    tags="tsp travelling salesman round trip tour delivery route order stops",
    use_when=(
        "In which order should I visit these 20 customers?",
        "What is the shortest round trip through these points?",
        "Plan a delivery tour from a matrix of driving times",
    ),
    examples=(
        Example({"stops": _SQUARE}, {"length": 4.0, "optimal": True}, source="around a unit square"),
        Example(
            {
                "stops": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
                "matrix": [[0, 1, 9], [9, 0, 1], [1, 9, 0]],
                "return_to_start": False,
            },
            {"order": ["a", "b", "c"], "length": 2.0},
            source="by hand: 1 + 1",
        ),
        Refusal({"stops": [{"name": "a"}, {"name": "b"}]}, "x and y"),
    ),
    reply={
        "optimal": "The shortest trip is {order}, with a length of {length}.",
        "": "A short trip is {order}, with a length of {length}.",
    },
    tier="pro",
    pace="normal",
)
def route_solve_round_trip(
    stops: Annotated[list[Stop], About("Stops; the first one is the start", _SQUARE, min_items=2, max_items=150)],
    matrix: Annotated[
        list[list[Annotated[float, About("Distance", minimum=0, maximum=1e9)]]] | None,
        About("Distances between all stops; default: straight lines", [[0, 3], [4, 0]], max_items=150),
    ] = None,
    return_to_start: Annotated[bool, About("Whether the trip ends at its start")] = True,
) -> Tour:
    """Find a short trip through all stops: exact up to 11 stops, by nearest neighbours and improvement above.

    Use it for deliveries and tours. Distances may differ by direction. Large trips are usually within a few percent of
    the shortest.
    """
    distances = matrix or _straight(stops)
    size = len(stops)
    if len(distances) != size or any(len(row) != size for row in distances):
        raise ToolError("The matrix needs one row and one column for each stop.")
    legs = [list(row) if return_to_start else [0.0, *row[1:]] for row in distances]
    order = tour(legs)
    names = [stops[place]["name"] for place in order]
    return {"order": names, "length": length_of(order, legs), "optimal": size <= EXACT_UP_TO}


def _straight(stops: list[Stop]) -> list[list[float]]:
    if any("x" not in stop or "y" not in stop for stop in stops):
        raise ToolError("Every stop needs x and y, unless a matrix of distances is given.")
    places = [(stop["x"], stop["y"]) for stop in stops]
    return [[math.dist(one, other) for other in places] for one in places]
