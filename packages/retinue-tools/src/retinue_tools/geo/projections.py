"""Coordinate reference systems and projected coordinates."""

from functools import cache
from typing import Annotated, Any, Literal

import pyproj
from pyproj.aoi import AreaOfInterest
from pyproj.database import query_crs_info
from pyproj.enums import PJType
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, tool
from retinue_tools.geo._places import WGS84

CrsName = Annotated[
    str, About("Coordinate reference system: EPSG code, name or WKT", "EPSG:3857", min_length=1, max_length=5000)
]


@cache
def _crs(name: str) -> Any:
    try:
        return pyproj.CRS.from_user_input(f"EPSG:{name.strip()}" if name.strip().isdecimal() else name.strip())
    except (pyproj.exceptions.CRSError, ValueError) as error:
        raise ToolError(
            f"There is no coordinate reference system {name[:80]}. Use a code such as EPSG:4326."
        ) from error


class Transformed(TypedDict):
    """Transformed coordinates."""

    coordinates: Annotated[list[list[float | None]], About("x (east or longitude) and y; null outside the projection")]
    from_crs: Annotated[str, About("Name of the source system")]
    to_crs: Annotated[str, About("Name of the target system")]
    accuracy_m: Annotated[float | None, About("Accuracy of the transformation in metres, if known")]


@tool(
    tags="transform coordinates crs projection epsg reproject mercator lambert gauss-kruger osgb easting northing",
    use_when=(
        "Convert EPSG:25832 eastings and northings to latitude and longitude",
        "What is 13.405, 52.52 in Web Mercator (EPSG:3857)?",
        "Reproject these points from British National Grid to WGS 84",
    ),
    examples=(
        Example(
            {"coordinates": [[180, 0]], "from_crs": "EPSG:4326", "to_crs": "EPSG:3857"},
            {"coordinates": [[20037508.342789244, 0.0]]},
            source="half the circumference of Web Mercator: 6378137 m * pi",
            tolerance=1e-9,
        ),
        Example(
            {"coordinates": [[1113194.9079327357, 0]], "from_crs": "3857"},
            {"coordinates": [[10.0, 0.0]], "to_crs": "WGS 84"},
            source="ten degrees of the equator: 6378137 m * pi / 18",
            tolerance=1e-9,
        ),
        Refusal({"coordinates": [[1, 2]], "from_crs": "EPSG:999999"}, "no coordinate reference system"),
    ),
    reply={
        "coordinates.1": "The coordinates in {to_crs}: {coordinates}",
        "coordinates.0": "In {to_crs} it is {coordinates.0.0}, {coordinates.0.1}.",
        "": "The coordinates: {coordinates}",
    },
    pace="normal",
)
def crs_transform_coordinates(
    coordinates: Annotated[
        list[Annotated[list[float], About("x (or longitude) and y (or latitude)", min_items=2, max_items=2)]],
        About("Pairs of x and y, in this order", [[13.405, 52.52]], min_items=1, max_items=10_000),
    ],
    from_crs: CrsName,
    to_crs: CrsName = WGS84,
) -> Transformed:
    """Transform coordinates from one coordinate reference system to another (EPSG codes, names or WKT).

    Use it for eastings and northings, Web Mercator or national grids. Order is always x (longitude), y (latitude).
    """
    source, target = _crs(from_crs), _crs(to_crs)
    try:
        transformer = pyproj.Transformer.from_crs(source, target, always_xy=True)
        transformed = [transformer.transform(x, y) for x, y in coordinates]
    except pyproj.exceptions.ProjError as error:
        raise ToolError("There is no transformation between these systems. Choose others.") from error
    return {
        "coordinates": [[_finite(x), _finite(y)] for x, y in transformed],
        "from_crs": source.name,
        "to_crs": target.name,
        "accuracy_m": transformer.accuracy if transformer.accuracy >= 0 else None,
    }


def _finite(value: float) -> float | None:
    return float(value) + 0.0 if abs(value) < 1e300 else None


class Utm(TypedDict):
    """A point in UTM and in degrees."""

    zone: Annotated[int, About("UTM zone, 1 to 60")]
    hemisphere: Annotated[str, About("north or south")]
    easting_m: Annotated[float, About("Easting in metres")]
    northing_m: Annotated[float, About("Northing in metres")]
    latitude: Latitude
    longitude: Longitude
    epsg: Annotated[str, About("Code of the zone's coordinate reference system")]


@tool(
    tags="utm easting northing zone convert latitude longitude universal transverse mercator",
    use_when=(
        "What are the UTM coordinates of 43.642567, -79.387139?",
        "Which UTM zone is Bergen in?",
        "Where is a point at 40.7, -74 in metres of UTM?",
    ),
    examples=(
        Example(
            {"latitude": 43.642567, "longitude": -79.387139},
            {
                "zone": 17,
                "hemisphere": "north",
                "easting_m": 630084.0,
                "northing_m": 4833439.0,
                "latitude": 43.642567,
                "longitude": -79.387139,
            },
            source="the CN Tower, as encyclopaedias give it: 17T 630084 4833438",
            tolerance=1e-6,
        ),
        Example(
            {"latitude": 60.39, "longitude": 5.32},
            {"zone": 32, "epsg": "EPSG:32632"},
            source="the widened zone 32 of southern Norway holds Bergen",
        ),
        Refusal({"latitude": 87, "longitude": 0}, "between 80"),
    ),
    reply="It is UTM zone {zone} {hemisphere}, easting {easting_m} m and northing {northing_m} m.",
)
def utm_convert_from_degrees(
    latitude: Latitude,
    longitude: Longitude,
    zone: Annotated[int | None, About("Zone to use instead of the point's own", 33, minimum=1, maximum=60)] = None,
) -> Utm:
    """Convert latitude and longitude (WGS 84) to UTM zone, easting and northing.

    Use it for metric coordinates of maps and GPS devices. It handles the exceptions of Norway and Svalbard.
    """
    if not -80 <= latitude <= 84:
        raise ToolError("UTM is defined between 80 degrees south and 84 north. Use a polar system there.")
    number = zone or _zone(latitude, longitude)
    epsg = f"EPSG:{(32600 if latitude >= 0 else 32700) + number}"
    easting, northing = _transformer(WGS84, epsg).transform(longitude, latitude)
    if not abs(easting) < 1e7:
        raise ToolError(f"Zone {number} is too far from this point. Omit the zone.")
    return {
        "zone": number,
        "hemisphere": "north" if latitude >= 0 else "south",
        "easting_m": float(easting),
        "northing_m": float(northing),
        "latitude": latitude,
        "longitude": longitude,
        "epsg": epsg,
    }


@tool(
    tags="utm easting northing zone to latitude longitude convert inverse",
    use_when=(
        "Convert UTM 33N 392000 5820000 to latitude and longitude",
        "Where is easting 630084, northing 4833438 in zone 17 north?",
        "Turn these UTM values into degrees",
    ),
    examples=(
        Example(
            {"zone": 31, "hemisphere": "north", "easting_m": 500000, "northing_m": 0},
            {"latitude": 0.0, "longitude": 3.0, "epsg": "EPSG:32631"},
            source="definition: 500,000 m east on the central meridian of zone 31, 3 degrees",
        ),
        Example(
            {"zone": 17, "hemisphere": "north", "easting_m": 630084, "northing_m": 4833438},
            {"latitude": 43.64256, "longitude": -79.38714},
            source="the CN Tower",
            tolerance=1e-6,
        ),
        Refusal({"zone": 61, "hemisphere": "north", "easting_m": 500000, "northing_m": 0}, "at most 60"),
    ),
    reply="It is at {latitude}, {longitude}.",
)
def utm_convert_to_degrees(
    zone: Annotated[int, About("UTM zone", 33, minimum=1, maximum=60)],
    hemisphere: Annotated[Literal["north", "south"], About("Hemisphere")],
    easting_m: Annotated[float, About("Easting in metres", 392_000, minimum=-1_000_000, maximum=2_000_000)],
    northing_m: Annotated[float, About("Northing in metres", 5_820_000, minimum=-1_000_000, maximum=10_100_000)],
) -> Utm:
    """Convert a UTM zone, easting and northing to latitude and longitude (WGS 84).

    Use it for coordinates read from maps or GPS devices in metres.
    """
    epsg = f"EPSG:{(32600 if hemisphere == 'north' else 32700) + zone}"
    longitude, latitude = _transformer(epsg, WGS84).transform(easting_m, northing_m)
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        raise ToolError("These coordinates are outside the zone. Check zone, easting and northing.")
    return {
        "zone": zone,
        "hemisphere": hemisphere,
        "easting_m": easting_m,
        "northing_m": northing_m,
        "latitude": float(latitude),
        "longitude": (float(longitude) + 180) % 360 - 180,
        "epsg": epsg,
    }


@cache
def _transformer(source: str, target: str) -> Any:
    return pyproj.Transformer.from_crs(source, target, always_xy=True)


def _zone(latitude: float, longitude: float) -> int:
    """Return the zone: six degrees each, except for southern Norway and Svalbard."""
    if 56 <= latitude < 64 and 3 <= longitude < 12:
        return 32
    if latitude >= 72 and 0 <= longitude < 42:
        return 31 + 2 * sum(longitude >= edge for edge in (9, 21, 33))
    return int((longitude + 180) // 6) % 60 + 1


class CrsFacts(TypedDict):
    """Properties of a coordinate reference system."""

    name: str
    code: Annotated[str | None, About("Authority and code, such as EPSG:3857")]
    kind: Annotated[str, About("Geographic, projected or another kind")]
    datum: Annotated[str | None, About("Name of the datum")]
    ellipsoid: Annotated[str | None, About("Name of the ellipsoid")]
    projection: Annotated[str | None, About("Method of the projection")]
    axes: Annotated[list[str], About("Axes in the order of the definition, with unit")]
    area: Annotated[str | None, About("Area of use")]
    bounds: Annotated[list[float] | None, About("west, south, east, north of the area of use, degrees")]


@tool(
    tags="crs epsg lookup projection datum ellipsoid axis order unit area of use info",
    use_when=(
        "What is EPSG:25833?",
        "Which axis order and unit has EPSG:4326?",
        "For which area is EPSG:27700 meant?",
    ),
    examples=(
        Example(
            {"crs": "EPSG:27700"},
            {"name": "OSGB36 / British National Grid", "ellipsoid": "Airy 1830", "projection": "Transverse Mercator"},
            source="EPSG registry",
        ),
        Example({"crs": "4326"}, {"name": "WGS 84", "code": "EPSG:4326", "projection": None}, source="EPSG registry"),
        Refusal({"crs": "flat earth"}, "no coordinate reference system"),
    ),
    reply={
        "area": "{name} ({code}) is a {kind} with the axes {axes}; it is used in: {area}",
        "": "{name} is a {kind} with the axes {axes}.",
    },
)
def crs_describe_system(crs: CrsName) -> CrsFacts:
    """Describe a coordinate reference system: datum, ellipsoid, projection, axes, units and area of use.

    Use it to understand an EPSG code or WKT definition before transforming coordinates.
    """
    found = _crs(crs)
    authority, area = found.to_authority(), found.area_of_use
    return {
        "name": found.name,
        "code": ":".join(authority) if authority else None,
        "kind": found.type_name,
        "datum": found.datum.name if found.datum else None,
        "ellipsoid": found.ellipsoid.name if found.ellipsoid else None,
        "projection": found.coordinate_operation.method_name if found.coordinate_operation else None,
        "axes": [f"{axis.name} ({axis.direction}, {axis.unit_name})" for axis in found.axis_info],
        "area": area.name if area else None,
        "bounds": [area.west, area.south, area.east, area.north] if area else None,
    }


class CrsChoice(TypedDict):
    """A coordinate system for an area."""

    code: Annotated[str, About("Authority and code")]
    name: str
    area: Annotated[str, About("Area of use")]


class CrsChoices(TypedDict):
    """Suitable systems for a place."""

    systems: Annotated[list[CrsChoice], About("Narrowest areas of use first")]
    found: Annotated[int, About("Total number of systems")]


@tool(
    tags="find crs epsg suitable projection for area national grid which utm zone code search",
    use_when=(
        "Which projected coordinate systems are used around 46.95, 7.45?",
        "Find the EPSG code of the national grid at 52.1, 5.1",
        "Which EPSG code has a name with Lambert near Paris?",
    ),
    examples=(
        Example(
            {"latitude": 46.95, "longitude": 7.45, "name_contains": "LV95"},
            {"systems": [{"code": "EPSG:2056", "name": "CH1903+ / LV95"}], "found": 1},
            source="EPSG registry: the Swiss grid",
        ),
        Example(
            {"latitude": 52.1, "longitude": 5.1, "name_contains": "amersfoort / RD New", "limit": 1},
            {"systems": [{"code": "EPSG:28992"}]},
            source="EPSG registry: the Dutch grid",
        ),
        Refusal({"latitude": 0, "longitude": -150, "name_contains": "Swiss"}, "No projected system"),
    ),
    reply={
        "systems": "I found {found|coordinate system}: {systems}",
        "": "I found no such coordinate system for this place.",
    },
    pace="normal",
)
def crs_find_for_place(
    latitude: Latitude,
    longitude: Longitude,
    name_contains: Annotated[str | None, About("Part of the name", "UTM", max_length=100)] = None,
    limit: Annotated[int, About("Maximum number to list", minimum=1, maximum=100)] = 20,
) -> CrsChoices:
    """Find the projected coordinate systems of the EPSG registry that are meant for a place.

    Use it to choose a national grid or UTM code. Lists those with the narrowest area of use first.
    """
    around = AreaOfInterest(longitude, latitude, longitude, latitude)
    systems = [
        info
        for info in query_crs_info("EPSG", PJType.PROJECTED_CRS, around, contains=True)
        if (name_contains or "").lower() in info.name.lower()
    ]
    if not systems:
        raise ToolError("No projected system with that name is meant for this place. Omit name_contains.")
    systems.sort(key=_extent)
    return {
        "systems": [
            {"code": f"EPSG:{info.code}", "name": info.name, "area": info.area_of_use.name} for info in systems[:limit]
        ],
        "found": len(systems),
    }


def _extent(info: Any) -> tuple[float, int]:
    area = info.area_of_use
    return ((area.east - area.west) % 360) * (area.north - area.south), int(info.code)
