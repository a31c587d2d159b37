"""Identifiers that are not database keys."""

import secrets
import time

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def ulid() -> str:
    """26 characters of Crockford's base 32, lower case: 48 bits of milliseconds, then 80 random bits (ULID)."""
    number = (time.time_ns() // 1_000_000 << 80) | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -5, -5))


def prefixed(prefix: str) -> str:
    """An identifier such as `conv_01k…`: sortable by time, unguessable."""
    return f"{prefix}_{ulid()}"
