"""Short codes for places: geohash, Open Location Code (plus code) and Maidenhead locator."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, tool
from retinue_tools.geo._places import Position

_BASE32 = "0123456789bcdefghjkmnpqrstuvwxyz"
_PLUS = "23456789CFGHJMPQRVWX"
_DIRECTIONS = {
    "north": (1, 0),
    "north_east": (1, 1),
    "east": (0, 1),
    "south_east": (-1, 1),
    "south": (-1, 0),
    "south_west": (-1, -1),
    "west": (0, -1),
    "north_west": (1, -1),
}
_GRID_LENGTH, _PAIR_LENGTH = 15, 10
_LAT_UNITS, _LON_UNITS = 8000 * 5**5, 8000 * 4**5
"""The finest steps of a plus code in a degree: ten digits resolve 1/8000 degree, and each of five more divides it by a
5 by 4 grid.
"""

Code = Literal["geohash", "plus_code", "maidenhead"]


class Area(TypedDict):
    """Rectangle of a code."""

    code: Annotated[str, About("The code")]
    center: Annotated[Position, About("Centre of the area")]
    south: Annotated[float, About("Southern edge, degrees")]
    west: Annotated[float, About("Western edge, degrees")]
    north: Annotated[float, About("Northern edge, degrees")]
    east: Annotated[float, About("Eastern edge, degrees")]


Bounds = tuple[float, float, float, float]


@tool(
    tags="geohash plus code open location code maidenhead locator grid square encode coordinate ham radio",
    use_when=(
        "What is the geohash of 57.64911, 10.40744?",
        "Give me the plus code of 47.365590, 8.524997",
        "Which Maidenhead locator has 48.14666, 11.60833?",
        "Which geohash has this latitude and longitude?",
    ),
    examples=(
        Example(
            {"latitude": 57.64911, "longitude": 10.40744, "system": "geohash", "length": 11},
            {"code": "u4pruydqqvj"},
            source="Niemeyer's geohash: the example of its description",
        ),
        Example(
            {"latitude": 47.365590, "longitude": 8.524997, "system": "plus_code"},
            {"code": "8FVC9G8F+6X"},
            source="test vectors of Open Location Code (encoding.csv)",
        ),
        Example(
            {"latitude": 20.3701125, "longitude": 2.782234375, "system": "plus_code", "length": 11},
            {"code": "7FG49QCJ+2VX"},
            source="test vectors of Open Location Code (encoding.csv)",
        ),
        Example(
            {"latitude": 48.14666, "longitude": 11.60833, "system": "maidenhead", "length": 6},
            {"code": "JN58TD"},
            source="the example of the Maidenhead system: Munich",
        ),
        Refusal({"latitude": 1, "longitude": 2, "system": "maidenhead", "length": 5}, "even"),
    ),
    reply="The code is {code}.",
)
def location_encode_code(
    latitude: Latitude,
    longitude: Longitude,
    system: Annotated[Code, About("Kind of code")],
    length: Annotated[
        int | None,
        About("Number of characters; default: 9 (geohash), 10 (plus code) or 6 (Maidenhead)", 8, minimum=1, maximum=15),
    ] = None,
) -> Area:
    """Encode a coordinate as a geohash, a plus code (Open Location Code) or a Maidenhead grid locator.

    Use it for short place codes, bucketing of points or ham radio. Returns the code and its rectangle.
    """
    if system == "geohash":
        code = encode_geohash(latitude, longitude, min(length or 9, 12))
    elif system == "plus_code":
        code = encode_plus_code(latitude, longitude, _plus_length(length or _PAIR_LENGTH))
    else:
        code = encode_maidenhead(latitude, longitude, _maidenhead_length(length or 6))
    return _area(code, system)


def _plus_length(length: int) -> int:
    if length < 2 or (length < _PAIR_LENGTH and length % 2):
        raise ToolError("A plus code has 2, 4, 6, 8 or 10 to 15 digits. Choose one of these lengths.")
    return length


def _maidenhead_length(length: int) -> int:
    if length % 2 or length > 10:
        raise ToolError("A Maidenhead locator has an even number of characters, at most 10. Choose 4, 6 or 8.")
    return length


@tool(
    tags="geohash plus code open location code maidenhead locator decode coordinate bounds",
    use_when=(
        "Where is geohash ezs42?",
        "Decode the plus code 8FVC9G8F+6X to latitude and longitude",
        "What coordinates has the grid square JN58td?",
    ),
    examples=(
        Example(
            {"code": "ezs42", "system": "geohash"},
            {"south": 42.5830078125, "north": 42.626953125, "west": -5.625, "east": -5.5810546875, "code": "ezs42"},
            source="the worked example of the geohash algorithm: 42.605, -5.603 with half of 0.0439 degrees",
        ),
        Example(
            {"code": "8FVC9G8F+6X", "system": "plus_code"},
            {"south": 47.3655, "west": 8.524875, "north": 47.365625, "east": 8.525},
            source="test vectors of Open Location Code (decoding.csv)",
        ),
        Example(
            {"code": "JN58", "system": "maidenhead"},
            {"south": 48.0, "west": 10.0, "north": 49.0, "east": 12.0},
            source="by hand: J 9*20-180, N 13*10-90, then 5*2 and 8*1 degrees",
        ),
        Refusal({"code": "ezs4a", "system": "geohash"}, "is not a character of such a code"),
    ),
    reply="{code} is at {center.latitude}, {center.longitude}.",
)
def location_decode_code(
    code: Annotated[str, About("The code", "8FVC9G8F+6X", min_length=1, max_length=20)],
    system: Annotated[Code, About("Kind of code")],
) -> Area:
    """Decode a geohash, a full plus code or a Maidenhead locator to a coordinate.

    Use it to locate a place code. Returns its centre and the edges of its rectangle in degrees.
    """
    return _area(code.strip(), system)


def _area(code: str, system: Code) -> Area:
    decode = {"geohash": decode_geohash, "plus_code": decode_plus_code, "maidenhead": decode_maidenhead}[system]
    south, west, north, east = decode(code)
    center: Position = {"latitude": (south + north) / 2, "longitude": (west + east) / 2}
    return {"code": code, "center": center, "south": south, "west": west, "north": north, "east": east}


class Neighbours(TypedDict):
    """Codes around a geohash; null beyond the poles."""

    north: str | None
    north_east: str | None
    east: str | None
    south_east: str | None
    south: str | None
    south_west: str | None
    west: str | None
    north_west: str | None


@tool(
    tags="geohash neighbours neighbors adjacent cells proximity search",
    use_when=(
        "Which geohashes surround ezs42?",
        "List the eight neighbours of geohash u33dc",
        "Which geohash cells must I query around gcpvj for a proximity search?",
    ),
    examples=(
        Example(
            {"geohash": "ezs42"},
            {"north": "ezs48", "east": "ezs43", "south": "ezs40", "west": "ezefr", "north_west": "ezefx"},
            source="the published neighbours of ezs42 in descriptions of the algorithm",
        ),
        Example(
            {"geohash": "z"},
            {"north": None, "east": "b"},
            source="by hand: z is the north-eastern cell; b lies beyond 180",
        ),
        Refusal({"geohash": "hello"}, "is not a character of such a code"),
    ),
    reply={
        "north": (
            "The neighbours are {north} in the north, {east} in the east, {south} in "
            "the south and {west} in the west, with {north_east}, {south_east}, "
            "{south_west} and {north_west} between."
        ),
        "north_west, north, north_east": (
            "The neighbours: {north_west}, {north}, {north_east}, {east}, {south_east}, {south}, {south_west}, {west}."
        ),
        "south_east, south, south_west": (
            "The neighbours are {east} in the east, {south_east}, {south}, {south_west} and {west} in the west."
        ),
        "": "The neighbours are {west} in the west, {north_west}, {north}, {north_east} and {east} in the east.",
    },
)
def geohash_list_neighbors(
    geohash: Annotated[str, About("Geohash", "ezs42", min_length=1, max_length=12)],
) -> Neighbours:
    """List the eight geohashes that surround one of the same length.

    Use it for proximity searches, which must include neighbouring cells. It wraps around at the date line.
    """
    south, west, north, east = decode_geohash(geohash)
    found = {
        name: _shift(geohash, (south + north) / 2 + up * (north - south), (west + east) / 2 + right * (east - west))
        for name, (up, right) in _DIRECTIONS.items()
    }
    return {
        "north": found["north"],
        "north_east": found["north_east"],
        "east": found["east"],
        "south_east": found["south_east"],
        "south": found["south"],
        "south_west": found["south_west"],
        "west": found["west"],
        "north_west": found["north_west"],
    }


def _shift(geohash: str, latitude: float, longitude: float) -> str | None:
    if not -90 < latitude < 90:
        return None
    return encode_geohash(latitude, (longitude + 180) % 360 - 180, len(geohash))


def encode_geohash(latitude: float, longitude: float, length: int) -> str:
    """Encode bits of longitude and latitude alternately, longitude first, five per character."""
    bits = length * 5
    lon_bits, lat_bits = (bits + 1) // 2, bits // 2
    column = min(int((longitude + 180) / 360 * 2**lon_bits), 2**lon_bits - 1)
    row = min(int((latitude + 90) / 180 * 2**lat_bits), 2**lat_bits - 1)
    number = 0
    for place in range(bits):
        source, left = (column, lon_bits - 1 - place // 2) if place % 2 == 0 else (row, lat_bits - 1 - place // 2)
        number = number << 1 | source >> left & 1
    return "".join(_BASE32[number >> 5 * place & 31] for place in reversed(range(length)))


def decode_geohash(code: str) -> Bounds:
    """Return south, west, north and east in degrees."""
    edges = [[-180.0, 180.0], [-90.0, 90.0]]
    bits = "".join(f"{_digit(_BASE32, character):05b}" for character in code.lower())
    for place, bit in enumerate(bits):
        low, high = edges[place % 2]
        edges[place % 2][bit == "0"] = (low + high) / 2
    return edges[1][0], edges[0][0], edges[1][1], edges[0][1]


def _digit(alphabet: str, character: str) -> int:
    found = alphabet.find(character)
    if found < 0:
        raise ToolError(f"{character} is not a character of such a code. Valid characters: {alphabet}.")
    return found


def encode_plus_code(latitude: float, longitude: float, length: int) -> str:
    """Encode according to the specification of Open Location Code: integer arithmetic, five pairs, then a grid of 5 by
    4.
    """
    row = min(int(round((latitude + 90) * _LAT_UNITS * 1e6) / 1e6), 180 * _LAT_UNITS - 1)
    column = int(round((longitude + 180) * _LON_UNITS * 1e6) / 1e6) % (360 * _LON_UNITS)
    digits = []
    for _ in range(_GRID_LENGTH - _PAIR_LENGTH):
        digits.append(_PLUS[row % 5 * 4 + column % 4])
        row, column = row // 5, column // 4
    for _ in range(_PAIR_LENGTH // 2):
        digits += [_PLUS[column % 20], _PLUS[row % 20]]
        row, column = row // 20, column // 20
    code = "".join(reversed(digits))[:length].ljust(8, "0")
    return f"{code[:8]}+{code[8:]}"


def decode_plus_code(code: str) -> Bounds:
    """Return south, west, north and east in degrees."""
    digits = code.upper().replace("+", "", 1).rstrip("0")
    if code.find("+") != 8 or not 2 <= len(digits) <= _GRID_LENGTH or (len(digits) < 10 and len(digits) % 2):
        raise ToolError("This is not a full plus code. Write it as 8FVC9G8F+6X, without the name of a town.")
    south, west, height, width = -90.0, -180.0, 400.0, 400.0
    for place in range(0, min(len(digits), _PAIR_LENGTH), 2):
        height, width = height / 20, width / 20
        south += height * _digit(_PLUS, digits[place])
        west += width * _digit(_PLUS, digits[place + 1])
    for character in digits[_PAIR_LENGTH:]:
        height, width = height / 5, width / 4
        south += height * (_digit(_PLUS, character) // 4)
        west += width * (_digit(_PLUS, character) % 4)
    if south >= 90 or west >= 180:
        raise ToolError("This plus code is beyond the pole or the date line. Check it for typing errors.")
    return round(south, 12), round(west, 12), round(south + height, 12), round(west + width, 12)


def _maidenhead_bases(length: int) -> list[int]:
    return [18, 10, 24, 10, 24][: length // 2]


def encode_maidenhead(latitude: float, longitude: float, length: int) -> str:
    """Encode pairs for longitude and latitude: letters to 18, digits, letters to 24, digits (IARU, 1980)."""
    x, y = min((longitude + 180) / 360, 1 - 1e-15), min((latitude + 90) / 180, 1 - 1e-15)
    code = ""
    for base in _maidenhead_bases(length):
        x, y = x * base, y * base
        first = "0" if base == 10 else "A"
        code += chr(ord(first) + int(x)) + chr(ord(first) + int(y))
        x, y = x % 1, y % 1
    return code


def decode_maidenhead(code: str) -> Bounds:
    """Return south, west, north and east in degrees."""
    if len(code) % 2 or len(code) > 10:
        raise ToolError("A Maidenhead locator has an even number of characters, at most 10, such as JN58td.")
    south, west, height, width = -90.0, -180.0, 180.0, 360.0
    for place, base in enumerate(_maidenhead_bases(len(code))):
        alphabet = "0123456789" if base == 10 else "ABCDEFGHIJKLMNOPQRSTUVWX"[:base]
        height, width = height / base, width / base
        west += width * _digit(alphabet, code[2 * place].upper())
        south += height * _digit(alphabet, code[2 * place + 1].upper())
    return south, west, south + height, west + width
