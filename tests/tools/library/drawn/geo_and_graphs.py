"""Tools for geography and graphs: answers of closed formulas, and of small cases solved by hand."""

import math

from retinue.sdk import Example

_R, _A, _E = 6371.0088, 6378137.0, 0.0818191908426
_LON, _LAT = 13.4, 52.5


def _zone_km2(degrees: float, north: float) -> float:
    """The area on the WGS 84 ellipsoid between the equator and a latitude, over so many degrees of longitude."""
    sine = math.sin(math.radians(north))
    inner = sine / (1 - (_E * sine) ** 2) + math.log((1 + _E * sine) / (1 - _E * sine)) / (2 * _E)
    return math.radians(degrees) * _A**2 * (1 - _E**2) / 2 * inner / 1e6


def _square(west: float) -> dict[str, object]:
    ring = [[west, 0], [west + 1, 0], [west + 1, 1], [west, 1], [west, 0]]
    return {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}


def _edges(*pairs: str) -> list[dict[str, object]]:
    return [{"from": pair[0], "to": pair[1], **({"weight": int(pair[2:])} if pair[2:] else {})} for pair in pairs]


_RHUMB_STRETCH = math.log(math.tan(math.pi / 4 + math.radians(5)))
_COURSE = math.atan2(math.radians(10), _RHUMB_STRETCH)

CALLS = [
    (
        "crs_transform_coordinates",
        Example(
            {"coordinates": [[9, 0]], "from_crs": "EPSG:4326", "to_crs": "EPSG:32632"},
            {"coordinates": [[500000.0, 0.0]]},
            source="the origin of the zone",
            tolerance=1e-6,
        ),
    ),
    (
        "crs_transform_coordinates",
        Example(
            {"coordinates": [[_LON, _LAT]], "from_crs": "EPSG:4326", "to_crs": "EPSG:3857"},
            {"coordinates": [[_A * math.radians(_LON), _A * math.log(math.tan(math.pi / 4 + math.radians(_LAT) / 2))]]},
            source="the formula of Web Mercator",
        ),
    ),
    (
        "geo_dissolve_polygons",
        Example(
            {"geojson": {"type": "FeatureCollection", "features": [_square(0), _square(1)]}},
            {"area_km2": _zone_km2(2, 1), "geojson": {"features": [{"properties": {"merged": 2}}]}},
            source="the area of a zone of the ellipsoid",
            tolerance=1e-3,
        ),
    ),
    (
        "geo_make_grid",
        Example(
            {
                "geojson": {
                    "type": "Polygon",
                    "coordinates": [[[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1], [0, 0]]],
                },
                "cell_m": 6000,
                "count": [{"name": "a", "latitude": 0.01, "longitude": 0.01}],
            },
            {"cells": 4, "busiest": 1},
            source="11.1 km by 11.1 km in squares of 6 km",
        ),
    ),
    (
        "geo_measure_rhumb",
        Example(
            {"from_latitude": 0, "from_longitude": 179, "to_latitude": 0, "to_longitude": -179},
            {"bearing_degrees": 90.0, "distance_km": math.radians(2) * _R},
            source="two degrees of the equator",
            tolerance=1e-7,
        ),
    ),
    (
        "geo_measure_rhumb",
        Example(
            {"from_latitude": 0, "from_longitude": 0, "to_latitude": 10, "to_longitude": 10},
            {"bearing_degrees": math.degrees(_COURSE), "distance_km": math.radians(10) / math.cos(_COURSE) * _R},
            source="the formula of the loxodrome",
            tolerance=1e-7,
        ),
    ),
    *(
        (
            "utm_convert_from_degrees",
            Example({"latitude": latitude, "longitude": longitude}, wanted, source="the definition of the grid"),
        )
        for latitude, longitude, wanted in (
            (0, 3, {"zone": 31, "easting_m": 500000.0, "northing_m": 0.0}),
            (60.39, 5.32, {"zone": 32, "hemisphere": "north", "epsg": "EPSG:32632"}),
            (78.2, 15.6, {"zone": 33}),
            (-33.9, 151.2, {"zone": 56, "hemisphere": "south", "epsg": "EPSG:32756"}),
        )
    ),
    (
        "graph_find_cheapest_flow",
        Example(
            {
                "pipes": [
                    {"source": "a", "target": "b", "capacity": 10, "cost": 2},
                    {"source": "a", "target": "c", "capacity": 5, "cost": 1},
                    {"source": "c", "target": "b", "capacity": 5, "cost": 0},
                ],
                "demands": {"a": -8, "b": 8},
            },
            {"cost": 11.0},
            source="5 * 1 + 3 * 2",
        ),
    ),
    (
        "graph_find_cliques",
        Example({"edges": _edges("AB", "AC", "AD", "BC", "BD", "CD")}, {"largest": 4, "complete": True}, source="K4"),
    ),
    (
        "graph_find_cliques",
        Example({"edges": _edges("AB", "BC")}, {"cliques": [["A", "B"], ["B", "C"]], "largest": 2}, source="a path"),
    ),
    (
        "graph_find_pattern",
        Example(
            {"edges": _edges("AB", "BC"), "pattern": _edges("12", "23"), "directed": True},
            {"matches": [{"1": "A", "2": "B", "3": "C"}], "complete": True},
            source="the only directed path of two edges",
        ),
    ),
    (
        "graph_find_spanning_tree",
        Example(
            {"edges": _edges("AB1", "BC2", "AC3"), "maximum": True},
            {"total_weight": 5.0, "connected": True},
            source="2 + 3",
        ),
    ),
    (
        "graph_find_spanning_tree",
        Example({"edges": _edges("AB1", "CD2")}, {"total_weight": 3.0, "connected": False}, source="two pieces"),
    ),
    (
        "optimize_assignment",
        Example(
            {
                "rows": ["Ann", "Bob", "Cy"],
                "columns": ["x", "y"],
                "matrix": [[1, 2], [3, 9], [8, 4]],
                "goal": "maximize",
            },
            {"pairs": [["Bob", "y"], ["Cy", "x"]], "total": 17.0, "unassigned": ["Ann"]},
            source="all six assignments by hand",
        ),
    ),
    (
        "schedule_balance_machines",
        Example(
            {"jobs": [{"name": str(n), "duration": n} for n in (7, 5, 4, 3, 2.5, 6.5)], "machines": 2},
            {"makespan": 14.0, "optimal": True},
            source="7 + 4 + 3 = 5 + 2.5 + 6.5",
        ),
    ),
]
