"""GPX files of watches, phones and route planners (GPX 1.0 and 1.1)."""

import datetime
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import orjson
from geographiclib.geodesic import Geodesic
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.data_formats._xml_trees import malformed_at

_MOST_POINTS = 200_000
_MOVING_KM_H = 1.0
"""Slower movement counts as standing still."""

GPX = (
    '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="0" lon="0"><name>Start</name></wpt>'
    "<trk><name>Equator</name><trkseg>"
    '<trkpt lat="0" lon="0"><ele>100</ele><time>2026-05-01T08:00:00Z</time></trkpt>'
    '<trkpt lat="0" lon="0.5"><ele>130</ele><time>2026-05-01T09:00:00Z</time></trkpt>'
    '<trkpt lat="0" lon="0.5"><ele>130</ele><time>2026-05-01T09:30:00Z</time></trkpt>'
    '<trkpt lat="0" lon="1"><ele>110</ele><time>2026-05-01T10:30:00Z</time></trkpt>'
    "</trkseg></trk></gpx>"
)
"""A track of one degree along the equator, with a rest, for the examples."""


class Fix(NamedTuple):
    """A point of a track."""

    latitude: float
    longitude: float
    elevation_m: float | None
    moment: datetime.datetime | None


class Track(TypedDict):
    """Statistics of a track or route."""

    name: Annotated[str, About("Name, or empty")]
    kind: Annotated[str, About("track or route")]
    points: Annotated[int, About("Number of points")]
    distance_km: Annotated[float, About("Length on the ellipsoid, excluding gaps between segments")]
    ascent_m: Annotated[float | None, About("Sum of climbs above the threshold")]
    descent_m: Annotated[float | None, About("Sum of descents above the threshold")]
    lowest_m: float | None
    highest_m: float | None
    started_at: Annotated[str | None, About("Time of the first point, ISO 8601")]
    duration_s: Annotated[float | None, About("Time from the first to the last point")]
    moving_s: Annotated[float | None, About("Time with a speed above 1 km/h")]
    average_km_h: Annotated[float | None, About("Distance divided by the moving time")]


class GpxSummary(TypedDict):
    """Summary of a GPX file."""

    tracks: Annotated[list[Track], About("Tracks, then routes")]
    waypoints: Annotated[int, About("Number of waypoints")]
    total_km: Annotated[float, About("Total length")]
    geojson: Annotated[OutputFile | None, About("GeoJSON file of tracks, routes and waypoints, if requested")]


@tool(
    tags="gpx track route geojson convert length distance elevation ascent climb duration speed gps hike ride run",
    use_when=(
        "How long is the hike in this GPX file, and how many metres does it climb?",
        "Convert my GPX to GeoJSON",
        "What was my average speed on this bike ride?",
        "Summarise the GPS track of my run",
    ),
    examples=(
        Example(
            {"text": GPX},
            {
                "waypoints": 1,
                "total_km": 111.31949079327358,
                "tracks": [
                    {
                        "name": "Equator",
                        "points": 4,
                        "ascent_m": 30.0,
                        "descent_m": 20.0,
                        "duration_s": 9000.0,
                        "moving_s": 7200.0,
                        "average_km_h": 55.65974539663679,
                    }
                ],
            },
            source="arithmetic: a degree of the equator is 6378.137 km * pi / 180; two of 2.5 hours were spent moving",
        ),
        Example(
            {"text": GPX, "climb_threshold_m": 25, "as_geojson": True},
            {"tracks": [{"ascent_m": 30.0, "descent_m": 0.0}], "geojson": "tracks.geojson"},
            source="by hand: the descent of 20 m is below the threshold",
        ),
        Refusal({"text": "<gpx></gpx>"}, "no track"),
        Refusal({"text": "<gpx"}, "not XML"),
        Refusal({}, "as text or as a file"),
    ),
    reply={
        "tracks.1": "The tracks are {total_km} km long in all: {tracks}",
        "tracks.0.name": (
            "The {tracks.0.kind} \u201c{tracks.0.name}\u201d is {tracks.0.distance_km} "
            "km long and climbs {tracks.0.ascent_m} m."
        ),
        "tracks.0.kind, tracks.0.distance_km, tracks.0.ascent_m": (
            "The {tracks.0.kind} is {tracks.0.distance_km} km long and climbs {tracks.0.ascent_m} m."
        ),
        "tracks": "The track is {total_km} km long.",
        "": "The file contains no tracks.",
    },
)
def gpx_summarize_track(
    text: Annotated[str | None, About("GPX as text", GPX, max_length=5_000_000)] = None,
    file: File | None = None,
    climb_threshold_m: Annotated[
        float, About("Smaller changes in height are ignored as instrument noise", minimum=0, maximum=100)
    ] = 3,
    as_geojson: Annotated[bool, About("Whether to create a GeoJSON file too")] = False,
) -> GpxSummary:
    """Summarise a GPX file: length, climb, duration and speed of each track and route; optionally convert it to
    GeoJSON.

    Use it for hikes, rides and runs that a watch or phone recorded. Give the GPX as text or as a file.
    """
    root = _root(text, file)
    ways = [*_ways(root, "trk", "trkseg", "trkpt"), *_ways(root, "rte", None, "rtept")]
    if not any(segments for _, _, segments in ways):
        raise ToolError("The GPX contains no track or route with points.")
    tracks = [_summary(kind, name, segments, climb_threshold_m) for kind, name, segments in ways]
    marks = [(_name(mark), _fix(mark)) for mark in root.iterfind("{*}wpt")]
    return {
        "tracks": tracks,
        "waypoints": len(marks),
        "total_km": sum(track["distance_km"] for track in tracks),
        "geojson": save("tracks.geojson", _geojson(ways, marks)) if as_geojson else None,
    }


def _root(text: str | None, file: str | None) -> Any:
    if (text is None) == (file is None):
        raise ToolError("Give the GPX either as text or as a file.")
    content = text.encode() if text is not None else Path(file or "").read_bytes()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ToolError(f"This is not XML, so it is not GPX.{malformed_at(error)} Export the track again.") from error


Way = tuple[str, str, list[list[Fix]]]


def _ways(root: Any, tag: str, segment: str | None, point: str) -> Iterator[Way]:
    """Yield kind, name and segments of each track or route."""
    left = _MOST_POINTS
    for way in root.iterfind(f"{{*}}{tag}"):
        parts = way.iterfind(f"{{*}}{segment}") if segment else [way]
        segments = [[_fix(found) for found in part.iterfind(f"{{*}}{point}")] for part in parts]
        left -= sum(map(len, segments))
        if left < 0:
            raise ToolError(f"There are more than {_MOST_POINTS:,} points. Split the file.")
        yield "track" if tag == "trk" else "route", _name(way), [part for part in segments if part]


def _name(element: Any) -> str:
    return (element.findtext("{*}name") or "").strip()[:200]


def _fix(point: Any) -> Fix:
    try:
        latitude, longitude = float(point.get("lat")), float(point.get("lon"))
        elevation = point.findtext("{*}ele")
        moment = (point.findtext("{*}time") or "").strip()
        fix = Fix(
            latitude, longitude, float(elevation) if elevation and elevation.strip() else None, _moment(moment) or None
        )
    except (TypeError, ValueError) as error:
        raise ToolError(f"A point in line {point.sourceline} is malformed: lat, lon and ele are numbers.") from error
    height = fix.elevation_m or 0.0
    if not (abs(latitude) <= 90 and abs(longitude) <= 180 and abs(height) < 1e6):
        raise ToolError(f"The point in line {point.sourceline} is not on the Earth.")
    return fix


def _moment(text: str) -> datetime.datetime | None:
    if not text:
        return None
    moment = datetime.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def _summary(kind: str, name: str, segments: Sequence[Sequence[Fix]], threshold: float) -> Track:
    fixes = [fix for segment in segments for fix in segment]
    steps = [(one, other, _km(one, other)) for segment in segments for one, other in pairwise(segment)]
    heights = [fix.elevation_m for fix in fixes if fix.elevation_m is not None]
    up, down = _climbs(heights, threshold)
    moments = [fix.moment for fix in fixes if fix.moment]
    moving = sum(_moving_s(*step) for step in steps) if moments else None
    distance = sum(length for _, _, length in steps)
    return {
        "name": name,
        "kind": kind,
        "points": len(fixes),
        "distance_km": distance,
        "ascent_m": up if heights else None,
        "descent_m": down if heights else None,
        "lowest_m": min(heights, default=None),
        "highest_m": max(heights, default=None),
        "started_at": moments[0].isoformat() if moments else None,
        "duration_s": (moments[-1] - moments[0]).total_seconds() if moments else None,
        "moving_s": moving,
        "average_km_h": distance / moving * 3600 if moving else None,
    }


def _km(one: Fix, other: Fix) -> float:
    metres = Geodesic.WGS84.Inverse(one.latitude, one.longitude, other.latitude, other.longitude, Geodesic.DISTANCE)
    return float(metres["s12"]) / 1000


def _moving_s(one: Fix, other: Fix, length_km: float) -> float:
    if not (one.moment and other.moment):
        return 0.0
    seconds = (other.moment - one.moment).total_seconds()
    return seconds if seconds > 0 and length_km / seconds * 3600 >= _MOVING_KM_H else 0.0


def _climbs(heights: Sequence[float], threshold: float) -> tuple[float, float]:
    """Compute ascent and descent in metres; a change counts once it exceeds the threshold."""
    up = down = 0.0
    level = heights[0] if heights else 0.0
    for height in heights:
        change = height - level
        if abs(change) >= threshold:
            up, down, level = up + max(change, 0.0), down + max(-change, 0.0), height
    return up, down


def _geojson(ways: Sequence[Way], marks: Sequence[tuple[str, Fix]]) -> bytes:
    features = [
        _feature(name, {"type": "MultiLineString", "coordinates": [[_place(fix) for fix in part] for part in segments]})
        for _, name, segments in ways
        if segments
    ]
    features += [_feature(name, {"type": "Point", "coordinates": _place(fix)}) for name, fix in marks]
    return orjson.dumps({"type": "FeatureCollection", "features": features})


def _feature(name: str, geometry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"name": name}, "geometry": geometry}


def _place(fix: Fix) -> list[float]:
    height = [] if fix.elevation_m is None else [fix.elevation_m]
    return [fix.longitude, fix.latitude, *height]
