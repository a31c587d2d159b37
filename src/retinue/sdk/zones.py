"""Names of time zones: `find_time_zone` finds the zone that a text names, `zone_names` returns all IANA names."""

from retinue.language.timezone_aliases import find_time_zone, zone_names

__all__ = [
    "find_time_zone",
    "zone_names",
]
