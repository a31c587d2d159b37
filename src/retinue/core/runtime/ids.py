"""Generates identifiers that are not database keys."""

import os
import time

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _CROCKFORD for second in _CROCKFORD]


def ulid() -> str:
    """Return a ULID: 48 bits of milliseconds and 80 random bits in 26 lower-case Crockford base 32 characters."""
    number = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10))
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(120, -10, -10)])


def new_id(prefix: str) -> str:
    """Return an unguessable identifier that sorts by time, such as `conv_01k…`."""
    return f"{prefix}_{ulid()}"
