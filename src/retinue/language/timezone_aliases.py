"""Resolves common names of time zones: cities, countries, abbreviations and fixed UTC offsets."""

import io
import re
import struct
import unicodedata
from collections.abc import Mapping
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_CONTINENTS = (
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)
_OFFSET = re.compile(r"(?:utc|gmt|z)?\s{0,9}+([+-])\s*(\d{1,2})(?::?([0-5]\d))?(?:\s*h(?:ours?)?)?")
_WIDEST_MINUTES = 14 * 60
_SUFFIXES = (" local time", " standard time", " daylight time", " time")

_ABBREVIATIONS = {
    "z": "+00:00", "zulu": "+00:00", "est": "-05:00", "edt": "-04:00", "cst": "-06:00", "cdt": "-05:00",
    "mst": "-07:00", "mdt": "-06:00", "pst": "-08:00", "pdt": "-07:00", "akst": "-09:00", "akdt": "-08:00",
    "hst": "-10:00", "nst": "-03:30", "ndt": "-02:30", "brt": "-03:00", "art": "-03:00", "clt": "-04:00",
    "west": "+01:00", "bst": "+01:00", "cest": "+02:00", "sast": "+02:00", "cat": "+02:00", "eest": "+03:00",
    "msk": "+03:00", "trt": "+03:00", "eat": "+03:00", "wat": "+01:00", "gst": "+04:00", "pkt": "+05:00",
    "ist": "+05:30", "npt": "+05:45", "ict": "+07:00", "wib": "+07:00", "sgt": "+08:00", "hkt": "+08:00",
    "pht": "+08:00", "awst": "+08:00", "jst": "+09:00", "kst": "+09:00", "acst": "+09:30", "acdt": "+10:30",
    "aest": "+10:00", "aedt": "+11:00", "nzst": "+12:00", "nzdt": "+13:00",
}  # fmt: skip
"""Abbreviations with a dominant meaning: CST is North American, IST Indian, and BST British Summer Time."""

_REGIONS = {
    "et": "America/New_York", "eastern": "America/New_York", "us eastern": "America/New_York",
    "ct": "America/Chicago", "central": "America/Chicago", "us central": "America/Chicago",
    "mt": "America/Denver", "mountain": "America/Denver", "us mountain": "America/Denver",
    "pt": "America/Los_Angeles", "pacific": "America/Los_Angeles", "us pacific": "America/Los_Angeles",
    "central european": "Europe/Berlin", "eastern european": "Europe/Helsinki", "western european": "Europe/Lisbon",
    "central european summer": "+02:00", "british": "Europe/London", "british summer": "+01:00",
    "greenwich mean": "UTC", "coordinated universal": "UTC", "universal": "UTC",
    "indian": "Asia/Kolkata", "india": "Asia/Kolkata", "china": "Asia/Shanghai", "korea": "Asia/Seoul",
    "south korea": "Asia/Seoul", "japan": "Asia/Tokyo", "pakistan": "Asia/Karachi", "nepal": "Asia/Kathmandu",
    "thailand": "Asia/Bangkok", "vietnam": "Asia/Ho_Chi_Minh", "philippines": "Asia/Manila",
    "malaysia": "Asia/Kuala_Lumpur", "uae": "Asia/Dubai", "saudi arabia": "Asia/Riyadh",
    "uk": "Europe/London", "england": "Europe/London", "britain": "Europe/London", "scotland": "Europe/London",
    "ireland": "Europe/Dublin", "germany": "Europe/Berlin", "france": "Europe/Paris", "italy": "Europe/Rome",
    "spain": "Europe/Madrid", "austria": "Europe/Vienna", "switzerland": "Europe/Zurich", "sweden": "Europe/Stockholm",
    "norway": "Europe/Oslo", "denmark": "Europe/Copenhagen", "finland": "Europe/Helsinki", "greece": "Europe/Athens",
    "netherlands": "Europe/Amsterdam", "belgium": "Europe/Brussels", "ukraine": "Europe/Kyiv",
    "romania": "Europe/Bucharest", "hungary": "Europe/Budapest", "south africa": "Africa/Johannesburg",
    "nigeria": "Africa/Lagos", "kenya": "Africa/Nairobi", "argentina": "America/Argentina/Buenos_Aires",
    "colombia": "America/Bogota", "peru": "America/Lima", "new zealand": "Pacific/Auckland",
    "california": "America/Los_Angeles", "hawaii": "Pacific/Honolulu", "alaska": "America/Anchorage",
}  # fmt: skip

_CITIES = {
    "America/New_York": "nyc, boston, washington, washington dc, miami, philadelphia, atlanta, orlando, pittsburgh",
    "America/Chicago": "houston, dallas, austin, san antonio, minneapolis, new orleans, nashville, st louis, memphis",
    "America/Denver": "salt lake city, albuquerque, colorado springs",
    "America/Los_Angeles": "la, san francisco, seattle, san diego, las vegas, sacramento, silicon valley, san jose",
    "America/Toronto": "montreal, ottawa, quebec city",
    "America/Edmonton": "calgary",
    "America/Sao_Paulo": "rio, rio de janeiro, brasilia, salvador",
    "Africa/Johannesburg": "cape town, durban, pretoria",
    "Africa/Casablanca": "rabat, marrakesh, marrakech",
    "Africa/Lagos": "abuja",
    "Asia/Kolkata": "mumbai, delhi, new delhi, bangalore, bengaluru, chennai, hyderabad, pune, bombay",
    "Asia/Shanghai": "beijing, shenzhen, guangzhou, wuhan, chengdu, peking",
    "Asia/Tokyo": "osaka, kyoto, yokohama, sapporo, nagoya",
    "Asia/Seoul": "busan",
    "Asia/Ho_Chi_Minh": "hanoi",
    "Asia/Dubai": "abu dhabi",
    "Asia/Riyadh": "jeddah, mecca",
    "Asia/Karachi": "lahore, islamabad",
    "Asia/Jerusalem": "haifa",
    "Asia/Makassar": "bali, denpasar",
    "Australia/Sydney": "canberra",
    "Europe/Berlin": "munich, hamburg, frankfurt, cologne, stuttgart, leipzig, dresden, dusseldorf",
    "Europe/Istanbul": "ankara, izmir",
    "Europe/Lisbon": "porto",
    "Europe/London": "manchester, edinburgh, glasgow, birmingham, liverpool, cardiff, leeds, bristol",
    "Europe/Madrid": "barcelona, valencia, seville, malaga",
    "Europe/Moscow": "st petersburg, saint petersburg",
    "Europe/Paris": "lyon, marseille, nice, toulouse, bordeaux",
    "Europe/Rome": "milan, naples, florence, venice, turin",
    "Europe/Warsaw": "krakow, gdansk, wroclaw",
    "Europe/Zurich": "geneva, basel, bern",
    "Europe/Brussels": "antwerp",
    "Europe/Amsterdam": "rotterdam, the hague, utrecht",
    "Pacific/Auckland": "wellington, christchurch",
}
"""Large cities that do not appear as zone names in the IANA database."""


_NO_ZONES = {"Factory", "localtime", "posixrules"}
"""Files beside the zones that stand for a setting of this machine, or for none."""


@cache
def zone_names() -> frozenset[str]:
    """Return all time zone names."""
    return frozenset(available_timezones() - _NO_ZONES)


def canonical_zone(name: str) -> str | None:
    """Return an IANA name in the spelling of the database, ignoring the case of `name`, or None."""
    return name if name in zone_names() else _spellings().get(name.casefold())


@cache
def _spellings() -> Mapping[str, str]:
    return {name.casefold(): name for name in zone_names()}


def find_time_zone(name: str) -> ZoneInfo | None:
    """Return the time zone for a common name or an offset, or None."""
    if name in zone_names():
        return ZoneInfo(name)
    plain = _plain(name)
    minutes = _offset_minutes(plain)
    if minutes is not None:
        return _fixed_zone(minutes)
    for suffix in _SUFFIXES:
        found = _spoken_zones().get(plain) or _spoken_zones().get(plain.removesuffix(suffix))
        if found:
            return find_time_zone(found)
    return None


def _plain(name: str) -> str:
    """Normalize a name: fold case, remove accents, periods and the text after a comma, and collapse blanks."""
    unaccented = unicodedata.normalize("NFKD", name.replace("\N{MINUS SIGN}", "-"))
    letters = "".join(letter for letter in unaccented if not unicodedata.combining(letter) and letter != ".")
    return " ".join(letters.partition(",")[0].replace("_", " ").split()).casefold()


def _offset_minutes(plain: str) -> int | None:
    """Parse an offset such as utc+5:30, gmt-5 or +0530 into minutes east of Greenwich, or None."""
    found = _OFFSET.fullmatch(plain)
    if not found:
        return None
    minutes = int(found[2]) * 60 + int(found[3] or 0)
    return None if minutes > _WIDEST_MINUTES else minutes * (-1 if found[1] == "-" else 1)


def _fixed_zone(minutes: int) -> ZoneInfo:
    """Create a zone with a fixed offset in minutes, from TZif data that zoneinfo can read (RFC 8536)."""
    name = f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    abbreviation = name.encode() + b"\0"
    header = b"TZif" + b"\0" * 16 + struct.pack(">6l", 0, 0, 0, 0, 1, len(abbreviation))
    kind = struct.pack(">lbb", minutes * 60, 0, 0)
    return ZoneInfo.from_file(io.BytesIO(header + kind + abbreviation), key=name)


@cache
def _spoken_zones() -> Mapping[str, str]:
    """Map common names to zone names or offsets. Names from the IANA database take precedence."""
    names = sorted(zone_names(), key=len, reverse=True)
    placed = {_plain(name.rpartition("/")[2]): name for name in names if name.startswith(_CONTINENTS) and "/" in name}
    cities = {city: zone for zone, many in _CITIES.items() for city in many.split(", ")}
    return {**_ABBREVIATIONS, **_REGIONS, **cities, **placed, **_spellings()}
