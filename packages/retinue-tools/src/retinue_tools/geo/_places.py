"""Types of places and lines, shared by the geography tools."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Latitude, Longitude

WGS84 = "EPSG:4326"


class Position(TypedDict):
    """A point on the globe."""

    latitude: Latitude
    longitude: Longitude


class NamedPlace(TypedDict):
    """A point on the globe with a name."""

    name: Annotated[str, About("Name of the place", "Berlin", min_length=1, max_length=200)]
    latitude: Latitude
    longitude: Longitude


_TWO = [{"latitude": 52.52, "longitude": 13.405}, {"latitude": 48.8566, "longitude": 2.3522}]
_NAMED = [
    {"name": "Berlin", "latitude": 52.52, "longitude": 13.405},
    {"name": "Paris", "latitude": 48.8566, "longitude": 2.3522},
]

Points = Annotated[list[Position], About("Points, each with latitude and longitude", _TWO, min_items=1, max_items=5000)]
Path = Annotated[list[Position], About("Points along the route, in order", _TWO, min_items=2, max_items=20_000)]
Places = Annotated[list[NamedPlace], About("Named points", _NAMED, min_items=1, max_items=2000)]


def position(latitude: float, longitude: float) -> Position:
    """Return a point with its longitude normalised to -180 to 180 degrees."""
    return {"latitude": latitude, "longitude": (longitude + 180) % 360 - 180 if abs(longitude) > 180 else longitude}
