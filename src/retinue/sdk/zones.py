"""Names of time zones: `zone_called` finds the zone that a text names, `zone_names` returns all IANA names."""

from retinue.language.timezone_aliases import zone_called, zone_names

__all__ = [
    "zone_called",
    "zone_names",
]
